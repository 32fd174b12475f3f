// See alias_analysis.h: the leaves of shapes, and which instructions may write over an operand.
#include <algorithm>
#include <unordered_set>

#include "core/ops/op.h"
#include "core/passes/buffers/alias_analysis.h"
#include "core/passes/patterns.h"

namespace tessera {

uint32_t leafCount(const Shape& shape) {
  if (!shape.isTuple()) return 1;
  uint32_t count = 0;
  for (const Shape& element : shape.elements) count += leafCount(element);
  return count;
}

uint32_t firstLeafOf(const Shape& tuple, size_t element) {
  uint32_t count = 0;
  for (size_t i = 0; i < element; ++i) count += leafCount(tuple.elements[i]);
  return count;
}

bool isAliasOnly(Opcode opcode) { return hasTrait(opcode, kPassesOn); }

namespace {

// Inside a fusion: every way from parameter `number` to the results keeps the index.
bool fusionKeepsIndex(const Module& module, const Computation& fused, size_t number, const std::vector<int64_t>& dims) {
  if (number >= fused.parameters.size()) return false;
  std::unordered_set<uint32_t> carries{fused.parameters[number].value};
  bool arrives = false;
  for (InstructionId id : fused.instructions) {
    const Instruction& in = module.at(id);
    auto carried = [&](InstructionId o) { return carries.contains(o.value); };
    if (std::ranges::none_of(in.operands, carried)) continue;
    arrives = arrives || id == fused.root;
    if (id == fused.root && in.opcode == Opcode::Tuple) continue;
    if (!isElementwise(in.opcode) || in.shape->dimensions != dims) return false;
    for (InstructionId o : in.operands)
      if (carried(o) && module.shapeOf(o).dimensions != dims) return false;
    carries.insert(id.value);
  }
  return arrives;
}

}  // namespace

bool mayOverwrite(const Module& module, const Instruction& in, size_t operand) {
  const Shape& from = module.shapeOf(in.operands[operand]);
  const Shape& to = in.shape->isTuple() && !in.shape->elements.empty() ? in.shape->elements[0] : *in.shape;
  if (!to.isArray() || !from.isArray() || byteWidth(from.type) != byteWidth(to.type) || from.layout != to.layout)
    return false;
  if (in.opcode != Opcode::Fusion && !isElementwise(in.opcode)) return false;
  if (in.shape->isArray() && to.elementCount() == 1 && from.elementCount() == 1) return true;
  if (from.dimensions != to.dimensions) return false;
  if (in.opcode != Opcode::Fusion) return true;
  // All results are stored by one walk. A chain of dots (kOutput) writes tiles before it has read all.
  for (const Shape& element : in.shape->elements)
    if (!element.isArray() || element.dimensions != to.dimensions) return false;
  std::vector<ComputationId> callees = module.callees(in);
  return callees.size() == 1 && in.attributes->textOr(Attr::kind, "") != "kOutput" &&
         fusionKeepsIndex(module, module.at(callees[0]), operand, to.dimensions);
}

}  // namespace tessera
