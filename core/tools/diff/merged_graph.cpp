// See merged_graph.h.
#include "core/tools/diff/merged_graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace tessera {
namespace {

class Merger {
 public:
  Merger(const Module& left, const Module& right, const DiffResult& found)
      : left_(left), found_(found), out_{right, {}} {
    for (const auto& [one, other] : found.computationPairs) computations_.try_emplace(one, other);
    for (ComputationId id : right.order())
      for (InstructionId each : right.at(id).instructions) names_.emplace(right.at(each).name);
    for (InstructionId id : found.removed) gone_.insert(id);
  }

  MergedGraph run() {
    for (const ChangedInstruction& one : found_.changed) out_.states.emplace_back(one.right, DiffState::Changed);
    for (InstructionId id : found_.added) out_.states.emplace_back(id, DiffState::Added);
    for (ComputationId id : left_.order()) copyGone(id);
    order();
    return std::move(out_);
  }

 private:
  // Operands first; a circle, which no module that verifies has, is left out.
  void copyGone(ComputationId id) {
    const auto sorted = topologicalOrder(left_, id);
    if (!sorted) return;
    for (InstructionId each : *sorted)
      if (gone_.contains(each)) copy(left_.at(each));
  }

  ComputationId homeOf(ComputationId id) {
    const auto [at, isNew] = computations_.try_emplace(id);
    if (isNew) {
      std::string name = left_.at(id).name;
      while (out_.module.findComputation(name)) name += ".before";
      at->second = out_.module.addComputation(name);
      made_.push_back(at->second);
    }
    return at->second;
  }

  InstructionId standInFor(InstructionId operand, ComputationId home) const {
    if (!operand.valid() || !left_.contains(operand)) return {};
    InstructionId out;
    if (const auto copied = copies_.find(operand); copied != copies_.end())
      out = copied->second;
    else if (operand.value < found_.left.size())
      out = found_.left[operand.value].partner;
    return out.valid() && out_.module.contains(out) && out_.module.at(out).computation == home ? out : InstructionId();
  }

  void copy(const Instruction& from) {
    const ComputationId home = homeOf(from.computation);
    Instruction made = from;
    std::vector<InstructionId> operands;
    for (InstructionId operand : from.operands) operands.push_back(standInFor(operand, home));
    made.operands = operands;
    made.provenance = nullptr;
    made.attributes = std::make_shared<const AttributeSet>(mapped(*from.attributes));
    std::string name(from.name);
    while (!names_.insert(name).second) name += ".before";
    made.name = name;
    made.unknownOpcode = out_.module.tables().intern(made.unknownOpcode);
    made.note = out_.module.tables().intern(made.note);
    if (made.metadata) made.metadata = out_.module.tables().intern(*made.metadata);
    if (made.opcode == Opcode::Parameter)
      made.parameterNumber = static_cast<int32_t>(out_.module.at(home).parameters.size());
    const Shape shape = *made.shape;
    const InstructionId id = out_.module.add(home, std::move(made), shape);
    if (!out_.module.at(home).root.valid()) out_.module.setRoot(home, id);
    if (left_.at(from.computation).root == from.id && std::ranges::count(made_, home) > 0)
      out_.module.setRoot(home, id);
    copies_[from.id] = id;
    out_.states.emplace_back(id, DiffState::Removed);
  }

  AttributeSet mapped(AttributeSet attributes) {
    const std::vector<Attribute> items = attributes.items();
    for (const Attribute& each : items) {
      if (const auto* one = std::get_if<ComputationId>(&each.value)) attributes.set(each.name, homeOf(*one));
      if (const auto* many = std::get_if<std::vector<ComputationId>>(&each.value)) {
        std::vector<ComputationId> others;
        for (ComputationId id : *many) others.push_back(homeOf(id));
        attributes.set(each.name, std::move(others));
      }
      if (std::holds_alternative<std::vector<InstructionId>>(each.value)) attributes.remove(each.name);
    }
    return attributes;
  }

  // Callees come first: added computations are called by existing ones.
  void order() {
    std::vector<ComputationId> all;
    for (ComputationId id : made_)
      if (!out_.module.at(id).instructions.empty()) all.push_back(id);
    for (ComputationId id : out_.module.order())
      if (std::ranges::count(made_, id) == 0) all.push_back(id);
    out_.module.setOrder(std::move(all));
  }

  const Module& left_;
  const DiffResult& found_;
  MergedGraph out_;
  std::unordered_map<ComputationId, ComputationId> computations_;
  std::unordered_map<InstructionId, InstructionId> copies_;
  std::unordered_set<InstructionId> gone_;
  std::unordered_set<std::string> names_;
  std::vector<ComputationId> made_;
};

}  // namespace

MergedGraph mergedGraph(const Module& left, const Module& right, const DiffResult& found) {
  return Merger(left, right, found).run();
}

}  // namespace tessera
