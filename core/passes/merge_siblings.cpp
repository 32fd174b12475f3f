// See merge_siblings.h. Groups grow along the order of the computation: an instruction joins the group of earlier
// siblings when these can wait for it, that is when none of their users stands before it. The order, with groups at the
// place of their last member, stays right at each step; so no merges can close a cycle together.
#include "core/passes/merge_siblings.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "core/passes/dead_code.h"
#include "core/passes/patterns.h"
#include "core/passes/rewriter.h"

namespace tessera {
namespace {

constexpr size_t kMostResults = 6;
constexpr size_t kMostOperands = 16;
constexpr size_t kMostInstructions = 64;  // of one nest
constexpr size_t kMostReaders = 64;       // of an array, looked at for siblings

class Siblings {
 public:
  Siblings(Rewriter& rewriter, ComputationId computation)
      : rewriter_(rewriter), module_(rewriter.module()), order_(module_.at(computation).instructions), groups_(order_.size()), users_(order_.size()), groupOf_(order_.size()), place_(order_.size()) {}

  bool run() {
    for (uint32_t i = 0; i < order_.size(); ++i) {
      local_[order_[i].value] = i;
      groupOf_[i] = place_[i] = i;
      groups_[i] = {i};
      for (InstructionId operand : at(i).operands) users_[local_.at(operand.value)].push_back(i);
    }
    for (uint32_t i = 0; i < order_.size(); ++i)
      if (isNest(at(i))) join(i);
    bool changed = false;
    for (const std::vector<uint32_t>& group : groups_)
      if (group.size() > 1) merge(group), changed = true;
    return changed;
  }

 private:
  const Instruction& at(uint32_t i) const { return module_.at(order_[i]); }

  static bool isFree(Opcode opcode) {
    return opcode == Opcode::Parameter || opcode == Opcode::Constant || opcode == Opcode::Broadcast || opcode == Opcode::Iota;
  }
  // One loop nest of elementwise work with one array as its result.
  bool isNest(const Instruction& in) const {
    if (!in.shape->isArray() || in.operands.empty() || hasSideEffect(in) || in.shape->elementCount().value_or(0) < 2) return false;
    if (in.opcode != Opcode::Fusion) return isElementwise(in.opcode) && in.opcode != Opcode::Copy && in.opcode != Opcode::Map;
    const auto callees = module_.callees(in);
    if (in.attributes->textOr(Attr::kind, "") != "kLoop" || callees.size() != 1) return false;
    return std::ranges::all_of(module_.at(callees[0]).instructions, [&](InstructionId id) {
      const Opcode opcode = module_.at(id).opcode;
      return isFree(opcode) || (isElementwise(opcode) && opcode != Opcode::Map);
    });
  }
  size_t sizeOf(const Instruction& in) const { return in.opcode == Opcode::Fusion ? module_.at(module_.callees(in)[0]).instructions.size() : 1; }

  // Into the first group of a sibling that takes it.
  void join(uint32_t i) {
    const Instruction& in = at(i);
    for (InstructionId operand : in.operands) {
      const Shape& read = module_.shapeOf(operand);
      if (!read.isArray() || read.dimensions != in.shape->dimensions) continue;
      std::vector<uint32_t>& readers = readers_[operand.value];
      const size_t first = readers.size() > kMostReaders ? readers.size() - kMostReaders : 0;
      for (size_t r = first; r < readers.size(); ++r) {
        const uint32_t group = groupOf_[readers[r]];
        if (group == groupOf_[i] || !canWait(group, i) || !fits(group, i)) continue;
        groups_[group].push_back(i);
        groups_[i].clear();
        groupOf_[i] = group;
        for (uint32_t member : groups_[group]) place_[member] = i;
        break;
      }
      readers.push_back(i);
      if (groupOf_[i] != i) break;
    }
    for (InstructionId operand : in.operands)
      if (auto& readers = readers_[operand.value]; readers.empty() || readers.back() != i) readers.push_back(i);
  }

  bool fits(uint32_t group, uint32_t i) const {
    if (groups_[group].size() >= kMostResults || at(groups_[group][0]).shape->dimensions != at(i).shape->dimensions) return false;
    size_t size = sizeOf(at(i));
    std::vector<InstructionId> operands(at(i).operands.begin(), at(i).operands.end());
    for (uint32_t member : groups_[group]) {
      size += sizeOf(at(member));
      operands.insert(operands.end(), at(member).operands.begin(), at(member).operands.end());
    }
    std::ranges::sort(operands);
    const auto tail = std::ranges::unique(operands);
    return size <= kMostInstructions && operands.size() - tail.size() <= kMostOperands;
  }

  // No user of a member stands before `i`, nor is it `i`.
  bool canWait(uint32_t group, uint32_t i) const {
    return std::ranges::all_of(groups_[group], [&](uint32_t member) {
      return std::ranges::all_of(users_[member], [&](uint32_t user) { return place_[user] > i; });
    });
  }

  void merge(const std::vector<uint32_t>& group) {
    const ComputationId home = at(group[0]).computation;
    const ComputationId nest = module_.addComputation(fmt::format("fused_siblings.t{}", module_.instructionSlots()));
    std::vector<InstructionId> inputs, members, roots;
    std::vector<Shape> shapes;
    std::unordered_map<uint32_t, InstructionId> parameters;
    for (uint32_t i : group) {
      members.push_back(order_[i]);
      shapes.push_back(*at(i).shape);
      for (InstructionId operand : at(i).operands)
        if (parameters.try_emplace(operand.value).second) inputs.push_back(operand);
    }
    for (size_t k = 0; k < inputs.size(); ++k) parameters[inputs[k].value] = addParameter(nest, inputs[k], static_cast<int32_t>(k));
    for (InstructionId member : members) roots.push_back(copyInto(nest, member, parameters));
    const Shape all = Shape::tuple(std::move(shapes));
    module_.setRoot(nest, rewriter_.add(nest, Opcode::Tuple, all, roots, {}, members));
    AttributeSet attributes;
    attributes.set(Attr::kind, std::string("kLoop"));
    attributes.set(Attr::calls, nest);
    const InstructionId fusion = rewriter_.add(home, Opcode::Fusion, all, inputs, std::move(attributes), members);
    for (size_t k = 0; k < members.size(); ++k) {
      AttributeSet index;
      index.set(Attr::index, static_cast<int64_t>(k));
      const InstructionId from[] = {members[k]};
      rewriter_.replace(members[k], rewriter_.add(home, Opcode::GetTupleElement, all.elements[k], {&fusion, 1}, std::move(index), from));
    }
  }

  InstructionId addParameter(ComputationId nest, InstructionId of, int32_t number) {
    Instruction parameter;
    const std::string name = fmt::format("param_{}.t{}", number, module_.instructionSlots());
    parameter.name = name;
    parameter.opcode = Opcode::Parameter;
    parameter.parameterNumber = number;
    parameter.provenance = module_.at(of).provenance;
    return module_.add(nest, std::move(parameter), module_.shapeOf(of));
  }

  // The work of a member, on the parameters of the new nest; gives its result.
  InstructionId copyInto(ComputationId nest, InstructionId member, const std::unordered_map<uint32_t, InstructionId>& parameters) {
    const Instruction in = module_.at(member);
    std::vector<InstructionId> operands;
    for (InstructionId operand : in.operands) operands.push_back(parameters.at(operand.value));
    if (in.opcode != Opcode::Fusion) return rewriter_.clone(member, nest, operands);
    const Computation inner = module_.at(module_.callees(in)[0]);
    std::unordered_map<uint32_t, InstructionId> map;
    for (size_t p = 0; p < inner.parameters.size(); ++p) map[inner.parameters[p].value] = operands[p];
    for (InstructionId id : inner.instructions) {
      if (map.contains(id.value)) continue;
      std::vector<InstructionId> mapped;
      for (InstructionId operand : module_.at(id).operands) mapped.push_back(map.at(operand.value));
      map[id.value] = rewriter_.clone(id, nest, mapped);
    }
    return map.at(inner.root.value);
  }

  Rewriter& rewriter_;
  Module& module_;
  const std::vector<InstructionId> order_;
  std::vector<std::vector<uint32_t>> groups_;  // by first member; empty: joined another
  std::vector<std::vector<uint32_t>> users_;
  std::vector<uint32_t> groupOf_, place_;
  std::unordered_map<uint32_t, uint32_t> local_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> readers_;
};

}  // namespace

Result<bool> mergeSiblings(Module& module) {
  Rewriter rewriter(module, "merge-siblings");
  std::vector<bool> bodies(module.computationSlots());
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      if (module.at(id).opcode == Opcode::While)
        for (ComputationId callee : module.callees(module.at(id))) bodies[callee.value] = true;
  bool changed = false;
  for (ComputationId computation : controlComputations(module))
    if (!bodies[computation.value]) changed |= Siblings(rewriter, computation).run();
  TESSERA_TRY(rewriter.finish());
  if (changed) TESSERA_TRY(removeDeadCode(module));
  return changed;
}

}  // namespace tessera
