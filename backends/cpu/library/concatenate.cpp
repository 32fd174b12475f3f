// See concatenate.h.
#include "backends/cpu/library/concatenate.h"

#include <algorithm>

#include "backends/runtime/movement/concatenate_step.h"
#include "core/base/tuning.h"

namespace tessera::cpu {

StepPtr planConcatenate(const Module& module, const Instruction& instruction, std::span<const int> operands,
                        int result) {
  const auto& limits = tuning().movement;
  if (instruction.opcode != Opcode::Concatenate || std::ranges::find(operands, result) != operands.end())
    return nullptr;
  const Shape& shape = *instruction.shape;
  const auto along = static_cast<size_t>(instruction.attributes->ints(Attr::dimensions)[0]);
  int64_t rows = 1, inner = byteWidth(shape.type);
  for (size_t d = 0; d < along; ++d) rows *= shape.dimensions[d];
  for (size_t d = along + 1; d < shape.dimensions.size(); ++d) inner *= shape.dimensions[d];
  if (shape.elementCount().value_or(0) == 0 || rows < limits.concatenateRows || inner >= limits.concatenateInnerBytes)
    return nullptr;
  std::vector<ConcatenateStep::Piece> pieces;
  for (size_t i = 0; i < operands.size(); ++i) {
    const int64_t size = module.shapeOf(instruction.operands[i]).dimensions[along];
    if (operands[i] < 0) return nullptr;
    if (size > 0) pieces.push_back({operands[i], size * inner});
  }
  return std::make_unique<ConcatenateStep>(rows, std::move(pieces), result);
}

}  // namespace tessera::cpu
