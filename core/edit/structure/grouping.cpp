// Grouping: which instructions go together, and the move into a computation of their own. Ids stay, so that selection,
// places and undo follow; only the caller, parameters and the tuple between several results are new.
#include "core/edit/structure/grouping.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/base/name_counter.h"
#include "core/edit/performer.h"
#include "core/edit/refusal.h"
#include "core/edit/shared_scope.h"
#include "core/ops/op.h"
#include "core/tools/cut_out.h"

namespace tessera {
namespace {

using Ids = std::vector<InstructionId>;
using IdSet = std::unordered_set<InstructionId>;

std::string quoted(const Module& module, InstructionId id) { return module.at(id).reference(); }

const Ids* predecessorsOf(const Instruction& instruction) {
  return instruction.attributes->get<Ids>(Attr::control_predecessors);
}

// Everything that must be done before an instruction.
template <class Visit>
void eachNeed(const Instruction& instruction, Visit visit) {
  for (InstructionId operand : instruction.operands)
    if (operand.valid()) visit(operand);
  if (const Ids* others = predecessorsOf(instruction))
    for (InstructionId other : *others) visit(other);
}

// A number or an iota that is in its reader as a field.
bool isField(const Module& module, InstructionId id) {
  const Instruction& value = module.at(id);
  if (value.opcode == Opcode::Constant || value.opcode == Opcode::Iota) return true;
  return value.opcode == Opcode::Broadcast && value.operands.size() == 1 && module.contains(value.operands[0]) &&
         module.at(value.operands[0]).opcode == Opcode::Constant;
}

// Fields that only members read; twice, since a broadcast brings its constant.
void takeFields(const Module& module, IdSet& inside, ComputationId home) {
  for (int round = 0; round < 2; ++round) {
    IdSet wanted, outside;
    for (InstructionId id : module.at(home).instructions)
      for (InstructionId operand : module.at(id).operands)
        if (module.contains(operand) && isField(module, operand) && !inside.contains(operand))
          (inside.contains(id) ? wanted : outside).insert(operand);
    for (InstructionId id : wanted)
      if (!outside.contains(id) && module.at(home).root != id) inside.insert(id);
  }
}

// A path that leaves the members and comes back would need the group before and after itself.
Status checkTogether(const Module& module, const Ids& order, const IdSet& inside) {
  IdSet below;
  for (InstructionId id : order) {
    InstructionId between;
    bool follows = false;
    eachNeed(module.at(id), [&](InstructionId need) {
      follows = follows || inside.contains(need) || below.contains(need);
      if (below.contains(need)) between = need;
    });
    if (!inside.contains(id)) {
      if (follows) below.insert(id);
    } else if (between.valid()) {
      return refuse(module, between,
                    quoted(module, between) + " lies between: it needs what is selected, and " + quoted(module, id) +
                        ", which is selected, needs it. Select it too, or leave " + quoted(module, id) + " out");
    }
  }
  return {};
}

Status checkHalves(const Module& module, const GroupedSelection& grouping) {
  for (const Ids* list : {&grouping.inputs, &grouping.results})
    for (InstructionId id : *list)
      if (hasTrait(module.at(id).opcode, kStartsAsync))  // no parameter carries a transfer in flight
        return refuse(module, id, quoted(module, id) + " and what ends it must stay together");
  return {};
}

void collectEnds(const Module& module, GroupedSelection& grouping, const IdSet& inside) {
  IdSet known, read, readInside;
  for (InstructionId id : grouping.members)
    for (InstructionId operand : module.at(id).operands) {
      if (!module.contains(operand)) continue;
      if (inside.contains(operand))
        readInside.insert(operand);
      else if (known.insert(operand).second)
        grouping.inputs.push_back(operand);
    }
  for (InstructionId id : module.at(grouping.home).instructions)
    for (InstructionId operand : module.at(id).operands)
      if (!inside.contains(id) && inside.contains(operand)) read.insert(operand);
  for (InstructionId id : grouping.members)
    if (read.contains(id) || module.at(grouping.home).root == id) grouping.results.push_back(id);
  if (!grouping.results.empty()) return;
  for (InstructionId id : grouping.members)
    if (!readInside.contains(id)) grouping.results.push_back(id);
}

std::string freeComputationName(const Module& module, const std::string& stem) {
  std::string name = stem;
  for (size_t k = 1; module.findComputation(name); ++k) name = stem + "." + std::to_string(k);
  return name;
}

// The move itself.
class Grouper {
 public:
  Grouper(Module& module, const GroupedSelection& grouping, const GroupInstructions& action)
      : module_(module),
        grouping_(grouping),
        action_(action),
        inside_(grouping.members.begin(), grouping.members.end()) {}

  // The caller, and then what takes its results apart.
  Ids run() {
    scope_ = sharedScope(module_, grouping_.members, action_.name);
    body_ = module_.addComputation(freeComputationName(module_, action_.name));
    placeBefore(grouping_.home);
    addParameters();
    moveMembers();
    gatherResults();
    return call();
  }

 private:
  void placeBefore(ComputationId home) {  // callees stand first
    Order order = module_.order();
    order.pop_back();
    order.insert(std::ranges::find(order, home), body_);
    module_.setOrder(std::move(order));
  }
  void addParameters() {
    for (size_t k = 0; k < grouping_.inputs.size(); ++k) {
      const InstructionId source = grouping_.inputs[k];
      Instruction parameter;
      parameter.opcode = Opcode::Parameter;
      parameter.parameterNumber = static_cast<int32_t>(k);
      const std::string name = freeName(module_, std::string(withoutNumber(module_.at(source).name)));
      parameter.name = name;
      inner_[source] = module_.add(body_, std::move(parameter), module_.shapeOf(source));
    }
  }
  void moveMembers() {
    const InstructionId root = module_.at(grouping_.home).root;
    wasRoot_ = inside_.contains(root) ? root : InstructionId();
    std::erase_if(module_.edit(grouping_.home).instructions, [&](InstructionId id) { return inside_.contains(id); });
    for (InstructionId id : grouping_.members) {
      module_.edit(id).computation = body_;
      module_.edit(body_).instructions.push_back(id);
      Ids operands(module_.at(id).operands.begin(), module_.at(id).operands.end());
      for (InstructionId& operand : operands)
        if (const auto found = inner_.find(operand); found != inner_.end()) operand = found->second;
      module_.setOperands(id, operands);
      keepPredecessors(id);
    }
  }
  // What had to wait for something outside lets the caller wait.
  void keepPredecessors(InstructionId id) {
    const Ids* others = predecessorsOf(module_.at(id));
    if (!others) return;
    Ids left;
    for (InstructionId other : *others) (inside_.contains(other) ? left : waitsFor_).push_back(other);
    AttributeSet attributes = *module_.at(id).attributes;
    if (left.empty())
      attributes.remove(Attr::control_predecessors);
    else
      attributes.set(Attr::control_predecessors, std::move(left));
    module_.setAttributes(id, std::move(attributes));
  }
  void gatherResults() {
    if (grouping_.results.size() == 1) return module_.setRoot(body_, grouping_.results[0]);
    Instruction tuple;
    tuple.opcode = Opcode::Tuple;
    const std::string name = freeName(module_, action_.name + ".results");
    tuple.name = name;
    tuple.operands = grouping_.results;
    std::vector<Shape> shapes;
    for (InstructionId id : grouping_.results) shapes.push_back(module_.shapeOf(id));
    module_.setRoot(body_, module_.add(body_, std::move(tuple), Shape::tuple(std::move(shapes))));
  }
  Ids call() {
    Instruction caller;
    caller.opcode = action_.caller;
    caller.shapeWritten = false;
    const std::string name = freeName(module_, action_.name);
    caller.name = name;
    caller.operands = grouping_.inputs;
    caller.metadata = scope_;
    AttributeSet attributes;
    attributes.set(action_.caller == Opcode::Fusion ? Attr::calls : Attr::to_apply, body_);
    if (action_.caller == Opcode::Fusion && !action_.kind.empty()) attributes.set(Attr::kind, action_.kind);
    if (!waitsFor_.empty()) attributes.set(Attr::control_predecessors, waitsFor_);
    caller.attributes = std::make_shared<const AttributeSet>(std::move(attributes));
    Ids made{module_.add(grouping_.home, std::move(caller), module_.shapeOf(module_.at(body_).root))};
    if (grouping_.results.size() == 1)
      outer_[grouping_.results[0]] = made[0];
    else
      takeApart(made);
    rewire(made[0]);
    return made;
  }
  void takeApart(Ids& made) {
    for (size_t k = 0; k < grouping_.results.size(); ++k) {
      Instruction part;
      part.opcode = Opcode::GetTupleElement;
      part.shapeWritten = false;
      const std::string name = freeName(module_, "get-tuple-element");
      part.name = name;
      part.operands = std::span(made.data(), 1);
      part.metadata = scope_;
      AttributeSet attributes;
      attributes.set(Attr::index, static_cast<int64_t>(k));
      part.attributes = std::make_shared<const AttributeSet>(std::move(attributes));
      const InstructionId id = module_.add(grouping_.home, std::move(part), module_.shapeOf(grouping_.results[k]));
      outer_[grouping_.results[k]] = id;
      made.push_back(id);
    }
  }
  void rewire(InstructionId caller) {
    const Ids others = module_.at(grouping_.home).instructions;
    for (InstructionId id : others) {
      Ids operands(module_.at(id).operands.begin(), module_.at(id).operands.end());
      bool changed = false;
      for (InstructionId& operand : operands)
        if (const auto found = outer_.find(operand); found != outer_.end()) operand = found->second, changed = true;
      if (changed) module_.setOperands(id, operands);
      const Ids* before = predecessorsOf(module_.at(id));
      if (!before || std::ranges::none_of(*before, [&](InstructionId each) { return inside_.contains(each); }))
        continue;
      Ids kept = *before;
      std::erase_if(kept, [&](InstructionId each) { return inside_.contains(each); });
      kept.push_back(caller);
      AttributeSet attributes = *module_.at(id).attributes;
      attributes.set(Attr::control_predecessors, std::move(kept));
      module_.setAttributes(id, std::move(attributes));
    }
    if (wasRoot_.valid()) module_.setRoot(grouping_.home, outer_.at(wasRoot_));
  }

  using Order = std::vector<ComputationId>;
  Module& module_;
  const GroupedSelection& grouping_;
  const GroupInstructions& action_;
  const IdSet inside_;
  ComputationId body_;
  const Metadata* scope_ = nullptr;
  std::unordered_map<InstructionId, InstructionId> inner_, outer_;
  Ids waitsFor_;
  InstructionId wasRoot_;
};

}  // namespace

Result<GroupedSelection> groupingOf(const Module& module, std::span<const InstructionId> ids) {
  IdSet inside;
  GroupedSelection out;
  for (InstructionId id : ids) {
    if (!module.contains(id)) return fail("there is no instruction with id " + std::to_string(id.value));
    if (out.home.valid() && module.at(id).computation != out.home)
      return refuse(module, id, quoted(module, id) + " is in another computation than the others");
    out.home = module.at(id).computation;
    if (module.at(id).opcode != Opcode::Parameter) inside.insert(id);
  }
  if (inside.empty()) return fail("nothing is selected that could be grouped: parameters stay where they are");
  takeFields(module, inside, out.home);
  TESSERA_ASSIGN_OR_RETURN(const Ids order, topologicalOrder(module, out.home));
  TESSERA_TRY(checkTogether(module, order, inside));
  for (InstructionId id : order)
    if (inside.contains(id)) out.members.push_back(id);
  collectEnds(module, out, inside);
  TESSERA_TRY(checkHalves(module, out));
  return out;
}

std::vector<InstructionId> withBetween(const Module& module, std::span<const InstructionId> ids) {
  Ids out(ids.begin(), ids.end());
  const auto isElsewhere = [&](InstructionId id) {
    return !module.contains(id) || module.at(id).computation != module.at(ids[0]).computation;
  };
  if (ids.empty() || std::ranges::any_of(ids, isElsewhere)) return out;
  const auto order = topologicalOrder(module, module.at(ids[0]).computation);
  if (!order) return out;
  const IdSet chosen(ids.begin(), ids.end());
  IdSet below, above;  // what needs one of them, what one of them needs
  for (InstructionId id : *order)
    eachNeed(module.at(id), [&](InstructionId need) {
      if (chosen.contains(need) || below.contains(need)) below.insert(id);
    });
  for (auto id = order->rbegin(); id != order->rend(); ++id) {
    if (!chosen.contains(*id) && !above.contains(*id)) continue;
    eachNeed(module.at(*id), [&](InstructionId need) { above.insert(need); });
  }
  for (InstructionId id : *order)
    if (below.contains(id) && above.contains(id) && !chosen.contains(id)) out.push_back(id);
  return out;
}

Status checkFusible(const Module& module, std::span<const InstructionId> members) {
  for (InstructionId id : members) {
    const OpDef* op = findOp(module.at(id).opcode);
    if (!op || op->kind == ExecutionKind::Effect || op->kind == ExecutionKind::Control)
      return refuse(
          module, id,
          quoted(module, id) + " cannot be part of a fusion: a fusion is one kernel, without effects, loops and calls");
  }
  return {};
}

Status Performer::operator()(const GroupInstructions& action) {
  if (action.caller != Opcode::Call && action.caller != Opcode::Fusion)
    return fail("a group is run by a call or a fusion");
  std::vector<InstructionId> ids;
  for (InstructionId id : action.instructions) {
    TESSERA_ASSIGN_OR_RETURN(id, resolve(id));
    ids.push_back(id);
  }
  TESSERA_ASSIGN_OR_RETURN(const GroupedSelection grouping, groupingOf(module_, ids));
  if (action.caller == Opcode::Fusion) TESSERA_TRY(checkFusible(module_, grouping.members));
  if (!isInstructionName(action.name)) return fail("\"" + action.name + "\" is no name");
  const std::vector<InstructionId> made = Grouper(module_, grouping, action).run();
  orderOperandsFirst(grouping.home);
  for (InstructionId id : grouping.members) touch(id);
  for (InstructionId id : made) added_.push_back(id), seed(id);
  return {};
}

std::vector<InstructionId> constantsOf(const Module& module, InstructionId id) {
  if (!module.contains(id)) return {};
  const auto constantAt = [&](InstructionId at) {
    if (module.contains(at) && module.at(at).opcode == Opcode::Broadcast && module.at(at).operands.size() == 1)
      at = module.at(at).operands[0];
    return module.contains(at) && module.at(at).opcode == Opcode::Constant ? at : InstructionId();
  };
  if (const InstructionId own = constantAt(id); own.valid()) return {own};
  std::vector<InstructionId> out;
  for (InstructionId operand : module.at(id).operands)
    if (const InstructionId each = operand.valid() ? constantAt(operand) : operand;
        each.valid() && std::ranges::find(out, each) == out.end())
      out.push_back(each);
  return out;
}

Result<Module> selectionAsModule(const Module& module, std::span<const InstructionId> ids, const std::string& name) {
  Module copy = module;
  const Edit edit{"", {GroupInstructions{{ids.begin(), ids.end()}, "extracted", Opcode::Call, ""}}};
  TESSERA_ASSIGN_OR_RETURN(const EditResult grouped, apply(copy, edit));
  const auto callees = grouped.module.callees(grouped.module.at(grouped.added.front()));
  TESSERA_ASSIGN_OR_RETURN(Module out, isolate(grouped.module, callees.front()));
  out.name = name;
  out.edit(out.entry()).name = "main";
  return out;
}

}  // namespace tessera
