// Inlining: a call or fusion gives way to the instructions that it runs. They move where it was the only one to run
// them, so that ids stay; otherwise they are copied. A tuple that is only taken apart again goes, too.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/edit/performer.h"
#include "core/edit/refusal.h"

namespace tessera {
namespace {

using Ids = std::vector<InstructionId>;

size_t callCount(const Module& module, ComputationId body) {
  size_t count = 0;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      const auto callees = module.callees(module.at(id));
      count += static_cast<size_t>(std::ranges::count(callees, body));
    }
  return count;
}

class Inliner {
 public:
  Inliner(Module& module, InstructionId call, ComputationId body)
      : module_(module),
        call_(call),
        home_(module.at(call).computation),
        body_(body),
        moves_(callCount(module, body) == 1) {
    for (InstructionId id : module_.at(home_).instructions) taken_.insert(module_.at(id).name);
  }

  Status run() {
    TESSERA_ASSIGN_OR_RETURN(const Ids order, topologicalOrder(module_, body_));
    const Ids arguments(module_.at(call_).operands.begin(), module_.at(call_).operands.end());
    const Ids parameters = module_.at(body_).parameters;
    for (size_t k = 0; k < parameters.size(); ++k) now_[parameters[k]] = arguments[k];
    const InstructionId root = module_.at(body_).root;
    for (InstructionId id : order)
      if (module_.at(id).opcode != Opcode::Parameter) moves_ ? move(id) : copy(id);
    if (moves_) {
      module_.edit(body_).instructions = parameters;
      module_.remove(body_);
    }
    replace(now_.at(root));
    return {};
  }
  const Ids& placed() const { return placed_; }
  const Ids& copied() const { return copied_; }
  const Ids& changed() const { return changed_; }

 private:
  void move(InstructionId id) {
    now_[id] = id;
    module_.edit(id).computation = home_;
    module_.edit(home_).instructions.push_back(id);
    if (!taken_.insert(module_.at(id).name).second)
      module_.setName(id, freeName(module_, std::string(module_.at(id).name)));
    settle(id);
  }
  void copy(InstructionId id) {
    Instruction made = module_.at(id);
    made.provenance = nullptr;
    const std::string name = freeName(module_, std::string(made.name));
    made.name = name;
    const Shape* shape = made.shape;
    const InstructionId copied = module_.addInterned(home_, std::move(made), shape);
    now_[id] = copied;
    copied_.push_back(copied);
    settle(copied);
  }
  // Operands and what had to come first, as they are called here; what waited for nothing waits for what the call
  // waited for.
  void settle(InstructionId id) {
    placed_.push_back(id);
    Ids operands(module_.at(id).operands.begin(), module_.at(id).operands.end());
    for (InstructionId& operand : operands)
      if (operand.valid()) operand = now_.at(operand);
    module_.setOperands(id, operands);
    if (!module_.at(id).metadata && module_.at(call_).metadata) module_.edit(id).metadata = module_.at(call_).metadata;
    const Ids* own = module_.at(id).attributes->get<Ids>(Attr::control_predecessors);
    const Ids* calls = module_.at(call_).attributes->get<Ids>(Attr::control_predecessors);
    if (!own && !calls) return;
    Ids all = calls ? *calls : Ids();
    if (own)
      for (InstructionId each : *own)
        if (const auto found = now_.find(each); found != now_.end() && found->second.valid())
          all.push_back(found->second);
    AttributeSet attributes = *module_.at(id).attributes;
    attributes.set(Attr::control_predecessors, std::move(all));
    module_.setAttributes(id, std::move(attributes));
  }

  // What reads the call reads the result; its parts read what the tuple was made of.
  void replace(InstructionId result) {
    std::unordered_map<InstructionId, InstructionId> instead{{call_, result}};
    Ids gone{call_};
    const bool apart = result.valid() && module_.at(result).opcode == Opcode::Tuple &&
                       std::ranges::find(placed_, result) != placed_.end();
    for (InstructionId id : module_.at(home_).instructions) {
      const Instruction& part = module_.at(id);
      if (!apart || part.opcode != Opcode::GetTupleElement || part.operands[0] != call_) continue;
      const int64_t* index = part.attributes->get<int64_t>(Attr::index);
      if (!index || *index < 0 || static_cast<size_t>(*index) >= module_.at(result).operands.size()) continue;
      instead[id] = module_.at(result).operands[static_cast<size_t>(*index)];
      gone.push_back(id);
    }
    const bool tupleRead = rewire(instead, result);
    const InstructionId root = module_.at(home_).root;
    for (InstructionId id : gone) module_.remove(id), changed_.push_back(id);
    if (const auto found = instead.find(root); found != instead.end())
      module_.setRoot(home_, found->second.valid() ? found->second : lastOf(home_));
    if (apart && !tupleRead && module_.at(home_).root != result) module_.remove(result);
  }
  InstructionId lastOf(ComputationId id) const {
    const auto& all = module_.at(id).instructions;
    return all.empty() ? InstructionId() : all.back();
  }
  // Whether anything reads the result itself.
  bool rewire(const std::unordered_map<InstructionId, InstructionId>& instead, InstructionId result) {
    bool read = false;
    const Ids all = module_.at(home_).instructions;
    for (InstructionId id : all) {
      if (instead.contains(id)) continue;
      Ids operands(module_.at(id).operands.begin(), module_.at(id).operands.end());
      bool changed = false;
      for (InstructionId& operand : operands) {
        if (const auto found = instead.find(operand); found != instead.end()) operand = found->second, changed = true;
        read = read || (operand.valid() && operand == result);
      }
      if (changed) module_.setOperands(id, operands), changed_.push_back(id);
      rewirePredecessors(id, instead);
    }
    return read;
  }
  void rewirePredecessors(InstructionId id, const std::unordered_map<InstructionId, InstructionId>& instead) {
    const Ids* before = module_.at(id).attributes->get<Ids>(Attr::control_predecessors);
    if (!before || std::ranges::none_of(*before, [&](InstructionId each) { return instead.contains(each); })) return;
    Ids kept;
    for (InstructionId each : *before) {
      const auto found = instead.find(each);
      const InstructionId now = found == instead.end() ? each : found->second;
      if (now.valid() && std::ranges::find(kept, now) == kept.end()) kept.push_back(now);
    }
    AttributeSet attributes = *module_.at(id).attributes;
    if (kept.empty())
      attributes.remove(Attr::control_predecessors);
    else
      attributes.set(Attr::control_predecessors, std::move(kept));
    module_.setAttributes(id, std::move(attributes));
  }

  Module& module_;
  const InstructionId call_;
  const ComputationId home_, body_;
  const bool moves_;
  std::unordered_set<std::string_view> taken_;
  std::unordered_map<InstructionId, InstructionId> now_;
  Ids placed_, copied_, changed_;
};

}  // namespace

Status Performer::operator()(const InlineCall& action) {
  TESSERA_ASSIGN_OR_RETURN(const InstructionId id, resolve(action.instruction));
  const Instruction& call = module_.at(id);
  if (call.opcode != Opcode::Call && call.opcode != Opcode::Fusion)
    return refuse(
        module_, id,
        "only a call or a fusion can be inlined: %" + std::string(call.name) + " is " + std::string(call.opcodeName()));
  const auto callees = module_.callees(call);
  if (callees.size() != 1 || !module_.contains(callees[0]) || !module_.at(callees[0]).root.valid() ||
      callees[0] == call.computation)
    return refuse(module_, id, call.reference() + " runs nothing that could stand here");
  const auto& parameters = module_.at(callees[0]).parameters;
  if (parameters.size() != call.operands.size() ||
      std::ranges::any_of(parameters, [](InstructionId each) { return !each.valid(); }))
    return refuse(module_, id, call.reference() + " has not one input for each parameter of what it runs");
  const ComputationId home = call.computation;
  Inliner inliner(module_, id, callees[0]);
  TESSERA_TRY(inliner.run());
  orderOperandsFirst(home);
  for (InstructionId each : inliner.placed())
    if (module_.contains(each)) seed(each);
  for (InstructionId each : inliner.copied())
    if (module_.contains(each)) added_.push_back(each);
  for (InstructionId each : inliner.changed()) module_.contains(each) ? seed(each) : touch(each);
  return {};
}

}  // namespace tessera
