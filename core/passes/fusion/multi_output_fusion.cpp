// See multi_output_fusion.h. What a nest walks is its form (iteration_signature); one form, one group. Groups grow
// along the order of the computation: an instruction joins the group of earlier siblings when these can wait for it,
// that is when none of their users precedes it. The order, with groups at the place of their last member, stays
// right at each step; so no merges can close a cycle together.
#include "core/passes/fusion/multi_output_fusion.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "core/base/tuning.h"
#include "core/passes/dead_code.h"
#include "core/passes/fusion/iteration_signature.h"
#include "core/passes/patterns.h"
#include "core/passes/rewriter.h"

namespace tessera {
namespace {

class Siblings {
 public:
  Siblings(Rewriter& rewriter, ComputationId computation)
      : rewriter_(rewriter),
        module_(rewriter.module()),
        order_(module_.at(computation).instructions),
        groups_(order_.size()),
        users_(order_.size()),
        groupOf_(order_.size()),
        place_(order_.size()),
        forms_(order_.size()),
        narrow_(order_.size()) {}

  bool run() {
    for (uint32_t i = 0; i < order_.size(); ++i) {
      local_[order_[i].value] = i;
      for (InstructionId operand : at(i).operands) users_[local_.at(operand.value)].push_back(i);
    }
    for (uint32_t i = 0; i < order_.size(); ++i)
      if (isRead(i)) forms_[i] = iterationSignatureOf(module_, at(i));
    groupAll();
    if (narrowCrowded()) groupAll();
    bool changed = false;
    for (const std::vector<uint32_t>& group : groups_)
      if (group.size() > 1) merge(group), changed = true;
    return changed;
  }

 private:
  void groupAll() {
    readers_.clear();
    for (uint32_t i = 0; i < order_.size(); ++i) {
      groupOf_[i] = place_[i] = i;
      groups_[i] = {i};
    }
    for (uint32_t i = 0; i < order_.size(); ++i)
      if (forms_[i]) join(i);
  }

  // A group may end with more results than a nest may have, as no later sibling joins them: it is formed again,
  // smaller.
  bool narrowCrowded() {
    const auto& limits = tuning().siblings;
    bool any = false;
    for (const std::vector<uint32_t>& group : groups_) {
      if (group.size() <= limits.maxResults || std::ranges::count_if(group, [&](uint32_t i) {
                                                 return isResult(group, i);
                                               }) <= static_cast<int64_t>(limits.maxResults))
        continue;
      for (uint32_t i : group) narrow_[i] = any = true;
    }
    return any;
  }

  const Instruction& at(uint32_t i) const { return module_.at(order_[i]); }

  // Not dead: what nobody reads has no place in a nest.
  bool isRead(uint32_t i) const { return !users_[i].empty() || order_[i] == module_.at(at(i).computation).root; }

  size_t sizeOf(const Instruction& in) const {
    return in.opcode == Opcode::Fusion ? module_.at(module_.callees(in)[0]).instructions.size() : 1;
  }

  // Into the group of a nest that it reads, or the first group of a sibling that takes it.
  void join(uint32_t i) {
    for (size_t k = 0; k < at(i).operands.size() && groupOf_[i] == i; ++k) {
      const InstructionId operand = at(i).operands[k];
      if (!isWalked(operand, *forms_[i])) continue;
      const uint32_t maker = local_.at(operand.value);
      if (forms_[maker]) tryGroup(groupOf_[maker], i);
      const std::vector<uint32_t>& readers = readers_[operand.value];
      uint32_t tried = i;
      for (size_t r = readers.size() > tuning().siblings.maxReaders ? readers.size() - tuning().siblings.maxReaders : 0;
           r < readers.size() && groupOf_[i] == i; ++r)
        if (const uint32_t group = groupOf_[readers[r]]; group != tried) tryGroup(tried = group, i);
    }
    for (InstructionId operand : at(i).operands)
      if (auto& readers = readers_[operand.value]; readers.empty() || readers.back() != i) readers.push_back(i);
  }

  // An array that the nest reads element by element, not a statistic or a row that it repeats.
  bool isWalked(InstructionId operand, const IterationSignature& form) const {
    const Shape& read = module_.shapeOf(operand);
    return read.isArray() && read.dimensions == form.walked;
  }

  void tryGroup(uint32_t group, uint32_t i) {
    if (group == groupOf_[i] || !canWait(group, i) || !fits(group, i)) return;
    groups_[group].push_back(i);
    groups_[i].clear();
    groupOf_[i] = group;
    for (uint32_t member : groups_[group]) place_[member] = i;
  }

  bool fits(uint32_t group, uint32_t i) const {
    const auto& limits = tuning().siblings;
    if (!canShare(*forms_[groups_[group][0]], *forms_[i])) return false;
    const bool isNarrow =
        narrow_[i] || std::ranges::any_of(groups_[group], [&](uint32_t member) { return narrow_[member]; });
    if (groups_[group].size() >= (isNarrow ? limits.maxResults : limits.maxNests)) return false;
    size_t size = sizeOf(at(i)), results = staysResult(group, i, i),
           most = isNarrow ? limits.maxInstructions : mostInstructions(i);
    for (uint32_t member : groups_[group]) {
      size += sizeOf(at(member));
      results += staysResult(group, i, member);
      most = std::min(most, mostInstructions(member));
    }
    return size <= most && results <= limits.maxResults && readsOf(group, i).size() <= limits.maxOperands;
  }

  // A large elementwise nest keeps in registers what smaller ones would store: worth its code where arrays leave the
  // caches of a core. What is smaller costs little to store, and several nests compile side by side.
  size_t mostInstructions(uint32_t i) const {
    const auto& limits = tuning().siblings;
    return !forms_[i]->reduces && at(i).shape->elementCount().value_or(0) >= limits.largeNest ? limits.maxElementwise
                                                                                              : limits.maxInstructions;
  }

  // What the group and `i` read of others, each once.
  std::vector<InstructionId> readsOf(uint32_t group, uint32_t i) const {
    std::vector<InstructionId> reads;
    auto add = [&](uint32_t member) {
      for (InstructionId operand : at(member).operands)
        if (const uint32_t maker = local_.at(operand.value); groupOf_[maker] != group) reads.push_back(operand);
    };
    for (uint32_t member : groups_[group]) add(member);
    add(i);
    std::ranges::sort(reads);
    const auto tail = std::ranges::unique(reads);
    reads.erase(tail.begin(), tail.end());
    return reads;
  }

  // `member` is stored whatever joins later: it is read by somebody who can be of no nest with it.
  bool staysResult(uint32_t group, uint32_t i, uint32_t member) const {
    const auto stays = [&](uint32_t user) {
      return user != i && groupOf_[user] != group && !(forms_[user] && canShare(*forms_[member], *forms_[user]));
    };
    return order_[member] == module_.at(at(member).computation).root || std::ranges::any_of(users_[member], stays);
  }

  // No user of a member outside the group precedes `i`; `i` itself may be one where it reads the member at its own
  // index.
  bool canWait(uint32_t group, uint32_t i) const {
    return std::ranges::all_of(groups_[group], [&](uint32_t member) {
      return std::ranges::all_of(users_[member], [&](uint32_t user) {
        return groupOf_[user] == group || place_[user] > i ||
               (user == i && forms_[i]->result == forms_[i]->walked && readsInPlace(module_, at(i), order_[member]));
      });
    });
  }

  bool isMember(const std::vector<uint32_t>& group, InstructionId id) const {
    return std::ranges::any_of(group, [&](uint32_t i) { return order_[i] == id; });
  }
  // Somebody outside the group reads it.
  bool isResult(const std::vector<uint32_t>& group, uint32_t i) const {
    return order_[i] == module_.at(at(i).computation).root ||
           std::ranges::any_of(users_[i], [&](uint32_t user) { return !isMember(group, order_[user]); });
  }

  void merge(const std::vector<uint32_t>& group) {
    const ComputationId home = at(group[0]).computation;
    const ComputationId nest = module_.addComputation(fmt::format("fused_siblings.t{}", module_.instructionSlots()));
    std::vector<InstructionId> inputs, members, results, roots;
    std::vector<Shape> shapes;
    std::unordered_map<uint32_t, InstructionId> values;  // in the new nest
    bool loops = false;
    for (uint32_t i : group) {
      members.push_back(order_[i]);
      loops = loops || forms_[i]->reduces;
      for (InstructionId operand : at(i).operands)
        if (!isMember(group, operand) && values.try_emplace(operand.value).second) inputs.push_back(operand);
    }
    for (size_t k = 0; k < inputs.size(); ++k)
      values[inputs[k].value] = addParameter(nest, inputs[k], static_cast<int32_t>(k));
    for (uint32_t i : group) {
      const InstructionId value = values[order_[i].value] = copyInto(nest, order_[i], values);
      if (!isResult(group, i)) continue;
      results.push_back(order_[i]);
      roots.push_back(value);
      shapes.push_back(*at(i).shape);
    }
    AttributeSet attributes;
    attributes.set(Attr::kind, std::string(loops ? "kInput" : "kLoop"));
    attributes.set(Attr::calls, nest);
    const Shape all = shapes.size() == 1 ? shapes[0] : Shape::tuple(std::move(shapes));
    module_.setRoot(nest, roots.size() == 1 ? roots[0] : rewriter_.add(nest, Opcode::Tuple, all, roots, {}, members));
    const InstructionId fusion = rewriter_.add(home, Opcode::Fusion, all, inputs, std::move(attributes), members);
    rewriter_.replaceByElements(results, fusion);
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

  // The work of a member, on values of the new nest; gives its result.
  InstructionId copyInto(ComputationId nest, InstructionId member,
                         const std::unordered_map<uint32_t, InstructionId>& values) {
    const Instruction in = module_.at(member);
    std::vector<InstructionId> operands;
    for (InstructionId operand : in.operands) operands.push_back(values.at(operand.value));
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
  std::vector<std::optional<IterationSignature>> forms_;  // of those that may be merged
  std::vector<bool> narrow_;                              // of groups of few members
  std::unordered_map<uint32_t, uint32_t> local_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> readers_;
};

}  // namespace

Result<bool> fuseMultiOutput(Module& module) {
  Rewriter rewriter(module, "fuse-siblings");
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
