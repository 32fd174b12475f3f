// See flow_values.h.
#include "core/tools/flow/flow_values.h"

#include <algorithm>
#include <unordered_map>

namespace tessera {
namespace {

constexpr uint64_t kMostValues = 1u << 25;

bool isControl(Opcode opcode) {
  return opcode == Opcode::Call || opcode == Opcode::Fusion || opcode == Opcode::While || opcode == Opcode::Conditional;
}

bool hasOperand(const Instruction& instruction, size_t k) {
  return instruction.operands.size() > k && instruction.operands[k].valid();
}

}  // namespace

FlowValues::FlowValues(const Module& module)
    : module_(module), first_(module.instructionSlots(), 0), counts_(module.instructionSlots(), 0) {
  std::unordered_map<const Shape*, uint32_t> known;
  const auto total = [&] {
    uint64_t sum = 0;
    for (ComputationId computation : module.order())
      for (InstructionId id : module.at(computation).instructions) {
        const Shape* shape = module.at(id).shape;
        const auto [count, isNew] = known.try_emplace(shape, 0);
        if (isNew) count->second = countOf(*shape);
        sum += count->second;
      }
    return sum;
  };
  if (total() > kMostValues) {
    wholeTuples_ = true;
    known.clear();
    total();
  }
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      first_[id.value] = static_cast<ValueNumber>(owners_.size());
      counts_[id.value] = known.at(module.at(id).shape);
      owners_.insert(owners_.end(), counts_[id.value], id);
    }
}

uint32_t FlowValues::countOf(const Shape& shape) const {
  if (wholeTuples_ || !shape.isTuple()) return 1;
  uint64_t sum = 0;
  for (const Shape& element : shape.elements) sum += countOf(element);
  return static_cast<uint32_t>(std::clamp<uint64_t>(sum, 1, kMostValues));
}

uint32_t FlowValues::elementAt(const Shape& tuple, size_t element) const {
  uint32_t before = 0;
  for (size_t k = 0; k < std::min(element, tuple.elements.size()); ++k) before += countOf(tuple.elements[k]);
  return before;
}

FlowValues::Hand FlowValues::handOf(const Instruction& in) const {
  if (isControl(in.opcode)) return Hand::Call;
  if (wholeTuples_ || !hasOperand(in, 0)) return Hand::Blend;
  if (in.opcode == Opcode::Tuple) return Hand::Pack;
  const Shape& operand = module_.shapeOf(in.operands[0]);
  if (in.opcode == Opcode::GetTupleElement) {
    const auto* index = in.attributes->get<int64_t>(Attr::index);
    const bool fits = index && operand.isTuple() && *index >= 0 &&
                      static_cast<size_t>(*index) < operand.elements.size() &&
                      countOf(operand.elements[static_cast<size_t>(*index)]) == count(in.id);
    return fits ? Hand::Take : Hand::Blend;
  }
  const bool passesAll = in.opcode == Opcode::OptBarrier || in.opcode == Opcode::Copy || in.opcode == Opcode::Domain ||
                         in.opcode == Opcode::AddDependency;
  return passesAll && count(in.operands[0]) == count(in.id) ? Hand::Each : Hand::Blend;
}

uint32_t FlowValues::offsetOf(const Instruction& in, size_t operand) const {
  if (in.opcode == Opcode::Tuple) return rowBefore(in, operand);
  return elementAt(module_.shapeOf(in.operands[0]), static_cast<size_t>(*in.attributes->get<int64_t>(Attr::index)));
}

uint32_t FlowValues::rowBefore(const Instruction& in, size_t operand) const {
  uint32_t before = 0;
  for (size_t k = 0; k < operand; ++k)
    if (in.operands[k].valid()) before += count(in.operands[k]);
  return before;
}

std::vector<CallBinding> bindingsOf(const Module& module, const Instruction& in) {
  using Result = CallBinding::Result;
  std::vector<CallBinding> out;
  if (in.attributes->items().empty()) return out;
  const auto add = [&](CallBinding binding) {
    if (module.contains(binding.callee)) out.push_back(binding);
  };
  if (in.opcode == Opcode::While) {
    if (const auto* body = in.attributes->get<ComputationId>(Attr::body)) add({*body, 0, Result::Values, true, true});
    if (const auto* condition = in.attributes->get<ComputationId>(Attr::condition))
      add({*condition, 0, Result::Decides, true, false});
    return out;
  }
  const std::vector<ComputationId> callees = module.callees(in);
  for (size_t k = 0; k < callees.size(); ++k) {
    if (in.opcode == Opcode::Conditional)
      add({callees[k], static_cast<uint32_t>(k + 1)});
    else if (isControl(in.opcode))
      add({callees[k]});
    else
      add({callees[k], 0, Result::Blend, in.opcode == Opcode::AsyncStart, false});
  }
  return out;
}

}  // namespace tessera
