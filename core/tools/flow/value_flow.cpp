// See value_flow.h. A walk is breadth first over values; each step is made of what the instruction's hand-over says
// (flow_values.h), and of what calls do.
#include "core/tools/flow/value_flow.h"

#include <algorithm>

namespace tessera {

using How = FlowStep::How;

ValueFlow::ValueFlow(const Module& module)
    : module_(module), values_(module), summaries_(module, values_), users_(module), sites_(module.computationSlots()) {
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      for (const CallBinding& binding : bindingsOf(module, module.at(id)))
        sites_[binding.callee.value].push_back({id, binding});
}

// The value at the same place of another instruction; all of them where the two have not equally many.
void ValueFlow::oneOrAll(InstructionId id, uint32_t leaf, uint32_t of,
                         const std::function<void(ValueNumber)>& take) const {
  if (!id.valid()) return;
  const uint32_t count = values_.count(id);
  if (count == of) return take(values_.first(id) + leaf);
  for (uint32_t k = 0; k < count; ++k) take(values_.first(id) + k);
}

// --- within a computation

// The operands' values in one row.
void ValueFlow::eachInRow(const Instruction& in, const std::function<void(ValueNumber, uint32_t row)>& take) const {
  uint32_t row = 0;
  for (InstructionId operand : in.operands)
    if (operand.valid())
      for (uint32_t i = 0; i < values_.count(operand); ++i) take(values_.first(operand) + i, row++);
}

void ValueFlow::sources(ValueNumber value, const Visit& visit, bool inside) const {
  const Instruction& in = module_.at(values_.owner(value));
  const uint32_t leaf = values_.leaf(value);
  const auto take = [&](ValueNumber from) { visit(from, inside, How::Use); };
  switch (values_.handOf(in)) {
    case FlowValues::Hand::Take: return take(values_.first(in.operands[0]) + values_.offsetOf(in, 0) + leaf);
    case FlowValues::Hand::Pack:
      return eachInRow(in, [&](ValueNumber from, uint32_t row) {
        if (row == leaf) take(from);
      });
    case FlowValues::Hand::Call:
      return eachInRow(in, [&, &call = summaries_.of(in.id)](ValueNumber from, uint32_t row) {
        if (call.has(leaf, row)) take(from);
      });
    case FlowValues::Hand::Each:
      return eachInRow(in, [&](ValueNumber from, uint32_t row) {
        if (row == leaf || row >= values_.count(in.operands[0])) take(from);
      });
    case FlowValues::Hand::Blend: return eachInRow(in, [&](ValueNumber from, uint32_t) { take(from); });
  }
}

void ValueFlow::use(const Instruction& user, size_t operand, uint32_t leaf, const Visit& visit, bool inside) const {
  const ValueNumber first = values_.first(user.id);
  const uint32_t count = values_.count(user.id);
  const auto hand = values_.handOf(user);
  if (hand == FlowValues::Hand::Pack) return visit(first + values_.offsetOf(user, operand) + leaf, inside, How::Use);
  if (hand == FlowValues::Hand::Each && operand == 0) return visit(first + leaf, inside, How::Use);
  if (hand == FlowValues::Hand::Take) {
    const uint32_t offset = values_.offsetOf(user, 0);
    if (leaf >= offset && leaf - offset < count) visit(first + leaf - offset, inside, How::Use);
    return;
  }
  const CallSummary* call = hand == FlowValues::Hand::Call ? &summaries_.of(user.id) : nullptr;
  const uint32_t row = call ? values_.rowBefore(user, operand) + leaf : 0;
  for (uint32_t k = 0; k < count; ++k)
    if (!call || call->has(k, row)) visit(first + k, inside, How::Use);
}

void ValueFlow::targets(ValueNumber value, const Visit& visit, bool inside) const {
  const InstructionId owner = values_.owner(value);
  for (InstructionId id : users_.users(owner)) {
    const Instruction& user = module_.at(id);
    for (size_t k = 0; k < user.operands.size(); ++k)
      if (user.operands[k] == owner) use(user, k, values_.leaf(value), visit, inside);
  }
}

// --- between computations

// From a parameter to what its callers give it; of a loop also to what an iteration leaves for the next.
void ValueFlow::outUp(ValueNumber value, const Visit& visit, bool inside) const {
  const Instruction& in = module_.at(values_.owner(value));
  if (in.opcode != Opcode::Parameter || in.parameterNumber < 0) return;
  const uint32_t leaf = values_.leaf(value), of = values_.count(in.id);
  for (const Site& site : sites_[in.computation.value]) {
    const Instruction& call = module_.at(site.call);
    if (call.opcode == Opcode::While)
      for (const CallBinding& binding : bindingsOf(module_, call))
        if (binding.loops)
          oneOrAll(module_.at(binding.callee).root, leaf, of,
                   [&](ValueNumber from) { visit(from, inside, How::NextIteration); });
    if (inside) continue;
    const auto give = [&](ValueNumber from) { visit(from, false, How::Enter); };
    if (site.binding.result == CallBinding::Result::Blend && !site.binding.entered) {
      for (InstructionId operand : call.operands) oneOrAll(operand, 0, 0, give);
    } else if (const size_t k = site.binding.firstOperand + static_cast<size_t>(in.parameterNumber);
               k < call.operands.size()) {
      oneOrAll(call.operands[k], leaf, of, give);
    }
  }
}

// From a root to what runs its computation; of a loop also to the parameters of the next iteration.
void ValueFlow::outDown(ValueNumber value, const Visit& visit, bool inside) const {
  const InstructionId id = values_.owner(value);
  const ComputationId computation = module_.at(id).computation;
  if (module_.at(computation).root != id) return;
  const uint32_t leaf = values_.leaf(value), of = values_.count(id);
  for (const Site& site : sites_[computation.value]) {
    if (site.binding.loops)
      for (const CallBinding& binding : bindingsOf(module_, module_.at(site.call)))
        if (const auto& parameters = module_.at(binding.callee).parameters; !parameters.empty())
          oneOrAll(parameters.front(), leaf, of, [&](ValueNumber to) { visit(to, inside, How::NextIteration); });
    if (inside) continue;
    const bool one = site.binding.result == CallBinding::Result::Values;
    oneOrAll(site.call, leaf, one ? of : 0, [&](ValueNumber to) { visit(to, false, How::Leave); });
  }
}

void ValueFlow::inUp(ValueNumber value, const Visit& visit) const {
  const Instruction& call = module_.at(values_.owner(value));
  for (const CallBinding& binding : bindingsOf(module_, call)) {
    if (!binding.entered) continue;
    const bool one = binding.result == CallBinding::Result::Values;
    oneOrAll(module_.at(binding.callee).root, values_.leaf(value), one ? values_.count(call.id) : 0,
             [&](ValueNumber from) { visit(from, true, How::Leave); });
  }
}

void ValueFlow::inDown(ValueNumber value, const Visit& visit) const {
  const InstructionId owner = values_.owner(value);
  for (InstructionId id : users_.users(owner)) {
    const Instruction& user = module_.at(id);
    for (const CallBinding& binding : bindingsOf(module_, user)) {
      if (!binding.entered) continue;
      const auto& parameters = module_.at(binding.callee).parameters;
      for (size_t k = binding.firstOperand; k < user.operands.size() && k - binding.firstOperand < parameters.size();
           ++k)
        if (user.operands[k] == owner)
          oneOrAll(parameters[k - binding.firstOperand], values_.leaf(value), values_.count(owner),
                   [&](ValueNumber to) { visit(to, true, How::Enter); });
    }
  }
}

void ValueFlow::each(Place from, FlowDirection direction, const Visit& visit) const {
  if (direction == FlowDirection::Up) {
    sources(from.value, visit, from.inside);
    outUp(from.value, visit, from.inside);
    inUp(from.value, visit);
  } else {
    targets(from.value, visit, from.inside);
    outDown(from.value, visit, from.inside);
    inDown(from.value, visit);
  }
}

// --- walks

// Breadth first: what was reached, in the order of its distance, with the way back.
class ValueFlow::Walk {
 public:
  struct Reached {
    Place place;
    uint32_t before;  // of the list; its own number where the walk began
    How how;
  };
  explicit Walk(const ValueFlow& flow) : flow_(flow), seen_(2 * flow.values_.size()) {}

  void begin(InstructionId id) {
    for (uint32_t k = 0; k < flow_.values_.count(id); ++k)
      add({flow_.values_.first(id) + k, false}, static_cast<uint32_t>(reached_.size()), How::Start);
  }
  // Until `stop` says so of something reached; its number, or none.
  template <class Stop>
  std::optional<uint32_t> run(FlowDirection direction, const Stop& stop) {
    for (uint32_t next = 0; next < reached_.size(); ++next) {
      const Place place = reached_[next].place;
      if (stop(place)) return next;
      flow_.each(place, direction, [&](ValueNumber value, bool inside, How how) { add({value, inside}, next, how); });
    }
    return std::nullopt;
  }
  const std::vector<Reached>& reached() const { return reached_; }

 private:
  // What was reached from outside covers what is reached from inside: it may go on to more.
  void add(Place place, uint32_t before, How how) {
    const size_t outside = 2 * size_t{place.value};
    if (seen_[outside] || (place.inside && seen_[outside + 1])) return;
    seen_[outside + place.inside] = true;
    reached_.push_back({place, before, how});
  }
  const ValueFlow& flow_;
  std::vector<bool> seen_;
  std::vector<Reached> reached_;
};

namespace {

std::vector<InstructionId> sortedOnce(std::vector<InstructionId> ids) {
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  return ids;
}

}  // namespace

std::vector<InstructionId> ValueFlow::cone(std::span<const InstructionId> from, FlowDirection direction) const {
  Walk walk(*this);
  for (InstructionId id : from) walk.begin(id);
  walk.run(direction, [](Place) { return false; });
  std::vector<InstructionId> out(from.begin(), from.end());
  for (const Walk::Reached& reached : walk.reached()) out.push_back(values_.owner(reached.place.value));
  return sortedOnce(std::move(out));
}

std::vector<InstructionId> ValueFlow::between(InstructionId from, InstructionId to) const {
  const std::vector<InstructionId> down = cone(std::span(&from, 1), FlowDirection::Down);
  const std::vector<InstructionId> up = cone(std::span(&to, 1), FlowDirection::Up);
  std::vector<InstructionId> out;
  if (std::ranges::binary_search(down, to)) std::ranges::set_intersection(down, up, std::back_inserter(out));
  return out;
}

std::vector<InstructionId> ValueFlow::neighbourhood(std::span<const InstructionId> from, int64_t hops) const {
  std::vector<bool> seen(values_.size());
  std::vector<ValueNumber> ring, next;
  std::vector<InstructionId> out(from.begin(), from.end());
  const auto add = [&](ValueNumber value) {
    if (seen[value]) return;
    seen[value] = true;
    next.push_back(value);
    out.push_back(values_.owner(value));
  };
  for (InstructionId id : from) oneOrAll(id, 0, 0, add);
  for (; hops > 0 && !next.empty(); --hops) {
    ring = std::exchange(next, {});
    for (ValueNumber value : ring)
      for (FlowDirection direction : {FlowDirection::Up, FlowDirection::Down})
        each({value, false}, direction, [&](ValueNumber reached, bool, How) { add(reached); });
  }
  return sortedOnce(std::move(out));
}

std::vector<int64_t> ValueFlow::elementOf(ValueNumber value) const {
  const InstructionId id = values_.owner(value);
  if (!module_.shapeOf(id).isTuple()) return {};
  const std::vector<ShapeLeaf> leaves = leavesOf(module_.shapeOf(id));
  const uint32_t leaf = values_.leaf(value);
  return leaves.size() == values_.count(id) ? leaves[leaf].index : std::vector<int64_t>();
}

std::vector<FlowStep> ValueFlow::path(InstructionId from, InstructionId to) const {
  Walk walk(*this);
  walk.begin(from);
  const auto end = walk.run(FlowDirection::Down, [&](Place place) { return values_.owner(place.value) == to; });
  std::vector<FlowStep> out;
  if (!end) return out;
  for (uint32_t at = *end;; at = walk.reached()[at].before) {
    const Walk::Reached& reached = walk.reached()[at];
    out.push_back({values_.owner(reached.place.value), reached.how, elementOf(reached.place.value)});
    if (reached.how == How::Start) break;
  }
  std::ranges::reverse(out);
  return out;
}

std::vector<FlowStep> ValueFlow::path(std::span<const InstructionId> through) const {
  std::vector<FlowStep> out;
  for (size_t k = 1; k < through.size(); ++k) {
    const std::vector<FlowStep> part = path(through[k - 1], through[k]);
    if (part.empty()) return {};
    out.insert(out.end(), part.begin() + (k > 1), part.end());
  }
  return out;
}

}  // namespace tessera
