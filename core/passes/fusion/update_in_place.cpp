// See update_in_place.h.
#include "core/passes/fusion/update_in_place.h"

#include <algorithm>

#include "core/hlo/numbers.h"
#include "core/passes/patterns.h"

namespace tessera {
namespace {

// The array whose bytes a reshape or bitcast shows in other dimensions.
InstructionId arrayBehind(const Module& module, InstructionId id) {
  for (const Instruction* in = &module.at(id);; in = &module.at(id)) {
    if (in->opcode != Opcode::Reshape && in->opcode != Opcode::Bitcast && in->opcode != Opcode::Copy) return id;
    id = in->operands[0];
  }
}

// A constant start moved inside; nullopt when it is computed.
std::optional<int64_t> constantStart(const Module& module, InstructionId start, int64_t last) {
  const Instruction& in = module.at(start);
  if (in.opcode != Opcode::Constant || !in.literal || in.literal->elided() || !in.shape->isScalar())
    return std::nullopt;
  const int64_t value = loadInt(in.shape->type, in.literal->bytes().data());
  return in.shape->type == ElementType::U64 && value < 0 ? last : std::clamp<int64_t>(value, 0, last);
}

// The slice takes exactly the elements that the update replaces.
bool takesWhatIsReplaced(const Module& module, const Instruction& slice, const Instruction& update) {
  const Shape &whole = *update.shape, &part = module.shapeOf(update.operands[1]);
  if (slice.opcode != Opcode::Slice && slice.opcode != Opcode::DynamicSlice) return false;
  if (slice.shape->dimensions != part.dimensions || slice.operands[0] != update.operands[0]) return false;
  if (slice.opcode == Opcode::DynamicSlice) {
    const auto a = std::span(slice.operands).subspan(1), b = std::span(update.operands).subspan(2);
    return std::ranges::equal(a, b);
  }
  if (update.operands.size() != 2 + whole.dimensions.size()) return false;
  const auto& ranges = *slice.attributes->get<std::vector<SliceDimension>>(Attr::slice);
  for (size_t d = 0; d < ranges.size(); ++d) {
    const auto start = constantStart(module, update.operands[2 + d], whole.dimensions[d] - part.dimensions[d]);
    if (!start || *start != ranges[d].start || (ranges[d].stride != 1 && part.dimensions[d] > 1)) return false;
  }
  return true;
}

struct Visit {
  InstructionId id;
  bool atSameIndex;  // read at the index of the update's own element
};

}  // namespace

bool readsOnlyWhatItReplaces(const Module& module, const Instruction& update,
                             const std::function<bool(const Instruction&)>& mayFuse) {
  constexpr size_t kMaxVisits = 400;
  const InstructionId whole = arrayBehind(module, update.operands[0]);
  std::vector<Visit> stack, seen;
  auto visit = [&](InstructionId id, bool atSameIndex) {
    const bool known =
        std::ranges::any_of(seen, [&](const Visit& v) { return v.id == id && v.atSameIndex == atSameIndex; });
    if (!known) stack.push_back({id, atSameIndex}), seen.push_back({id, atSameIndex});
  };
  for (size_t k = 1; k < update.operands.size(); ++k) visit(update.operands[k], k == 1);
  while (!stack.empty()) {
    const auto [id, atSameIndex] = stack.back();
    stack.pop_back();
    const Instruction& in = module.at(id);
    if (arrayBehind(module, id) == whole || seen.size() > kMaxVisits) return false;
    if (!mayFuse(in)) continue;
    const bool isReplaced = atSameIndex && takesWhatIsReplaced(module, in, update);
    for (size_t k = isReplaced ? 1 : 0; k < in.operands.size(); ++k)
      visit(in.operands[k], atSameIndex && isElementwise(in.opcode) &&
                                module.shapeOf(in.operands[k]).dimensions == in.shape->dimensions);
  }
  return true;
}

std::optional<size_t> updatedOperand(const Module& module, const Instruction& instruction) {
  if (instruction.opcode == Opcode::DynamicUpdateSlice || instruction.opcode == Opcode::Scatter) return 0;
  if (instruction.opcode != Opcode::Fusion || instruction.attributes->textOr(Attr::kind, "") == "kOutput")
    return std::nullopt;
  const auto callees = module.callees(instruction);
  if (callees.size() != 1) return std::nullopt;
  const Instruction& root = module.at(module.at(callees[0]).root);
  if (root.opcode != Opcode::DynamicUpdateSlice) return std::nullopt;
  const Instruction& array = module.at(root.operands[0]);
  if (array.opcode != Opcode::Parameter) return std::nullopt;
  const bool isSafe = readsOnlyWhatItReplaces(module, root, [](const Instruction&) { return true; });
  return isSafe ? std::optional(static_cast<size_t>(array.parameterNumber)) : std::nullopt;
}

}  // namespace tessera
