// Patterns: reading constants and classes of opcodes.
#include "core/passes/patterns.h"

#include "core/hlo/numbers.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

// Of types that are whole bytes; integers as far as a double holds them exactly.
std::optional<double> firstElement(const Literal& literal) {
  const ElementType type = literal.shape().type;
  const std::byte* at = literal.bytes().data();
  if (isFloat(type)) return info(type).bits < 16 ? std::nullopt : std::optional(loadDouble(type, at));
  if (type == ElementType::Pred) return loadInt(type, at) != 0;
  if (!isInteger(type) || info(type).bits < 8) return std::nullopt;
  constexpr int64_t kExact = int64_t{1} << 53;
  const int64_t value = loadInt(type, at);  // of u64 the bits
  if (value > kExact || value < (isUnsigned(type) ? 0 : -kExact)) return std::nullopt;
  return static_cast<double>(value);
}

}  // namespace

std::optional<double> splatValue(const Module& module, InstructionId id) {
  const Instruction* instruction = &module.at(id);
  while (instruction->opcode == Opcode::Broadcast || instruction->opcode == Opcode::Reshape)
    instruction = &module.at(instruction->operands[0]);
  if (instruction->opcode != Opcode::Constant || !instruction->literal || instruction->literal->elided())
    return std::nullopt;
  if (!instruction->shape->isArray() || instruction->shape->elementCount() != 1) return std::nullopt;
  return firstElement(*instruction->literal);
}

bool isIota(std::span<const int64_t> values) {
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] != static_cast<int64_t>(i)) return false;
  return true;
}

std::vector<int64_t> significantDimensions(const Shape& shape) {
  std::vector<int64_t> out;
  for (int64_t d : shape.dimensions)
    if (d != 1) out.push_back(d);
  return out;
}

bool isElementwise(Opcode opcode) {
  const OpDef* op = findOp(opcode);
  return op && op->category.has(kElementwise) && op->element;
}

bool keepsBytes(const Shape& from, const Shape& to) {
  auto dense = [](const Shape& s) {
    return s.isArray() && !s.hasDynamicDimensions() && (!s.layout || s.layout->isRowMajor());
  };
  if (from.type != to.type || from.elementCount() != to.elementCount()) return false;
  return dense(from) && dense(to);
}

std::optional<PrefixSum> runningTotal(const Module& module, const Instruction& instruction) {
  const auto* window = instruction.attributes->get<Window>(Attr::window);
  if (instruction.opcode != Opcode::ReduceWindow || instruction.operands.size() != 2 || !window) return std::nullopt;
  const Shape& input = module.shapeOf(instruction.operands[0]);
  if (window->dimensions.size() != input.dimensions.size() || input.type != instruction.shape->type)
    return std::nullopt;
  std::optional<PrefixSum> out;
  for (size_t d = 0; d < window->dimensions.size(); ++d) {
    const WindowDimension& w = window->dimensions[d];
    if (w.stride != 1 || w.windowDilation != 1 || w.baseDilation != 1) return std::nullopt;
    if (w.size == 1 && w.paddingLow == 0 && w.paddingHigh == 0) continue;
    const int64_t others = input.dimensions[d] - 1;
    const bool forward = w.paddingLow == others && w.paddingHigh == 0,
               reversed = w.paddingLow == 0 && w.paddingHigh == others;
    if (out || w.size != input.dimensions[d] || !(forward || reversed)) return std::nullopt;
    out = PrefixSum{d, !forward};
  }
  return out;
}

}  // namespace tessera
