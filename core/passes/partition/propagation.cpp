// See propagation.h.
#include "core/passes/partition/propagation.h"

#include <algorithm>

#include "core/ops/inference/callee_index.h"
#include "core/ops/op.h"
#include "core/passes/buffers/alias_analysis.h"
#include "core/passes/partition/halo.h"
#include "core/passes/partition/reshape.h"
#include "core/passes/rewriter.h"

namespace tessera::partition {
namespace {

// Elementwise work and what only moves dimensions first, then what adds or takes away dimensions, then products. Cuts
// that pass on nowhere are moved last.
int priorityOf(Opcode opcode) {
  if (hasTrait(opcode, kContraction) || opcode == Opcode::Gather || opcode == Opcode::Scatter) return 2;
  if (opcode == Opcode::Reshape || opcode == Opcode::Broadcast || opcode == Opcode::Reduce) return 1;
  return 0;
}
constexpr int kMovePriority = 3;

// "true", or the i-th of "{true,false}"; `otherwise` where the header says nothing.
bool allows(std::string_view text, size_t i, bool otherwise) {
  if (text.empty()) return otherwise;
  if (!text.starts_with('{')) return text == "true";
  text.remove_prefix(1);
  for (; i > 0 && text.contains(','); --i) text.remove_prefix(text.find(',') + 1);
  while (text.starts_with(' ')) text.remove_prefix(1);
  return text.starts_with("true");
}

// Arrays of `from`, from the first one named on, are those of `to`, from its.
struct LeafLink {
  InstructionId from, to;
  size_t firstFrom = 0, firstTo = 0;
};

size_t countOf(const Module& module, const LeafLink& link) {
  return std::min(leavesOf(module.shapeOf(link.from)).size() - link.firstFrom,
                  leavesOf(module.shapeOf(link.to)).size() - link.firstTo);
}

// Of instructions that hand arrays on: tuples, loops, branches, annotations.
std::vector<LeafLink> leafLinks(const Module& module, const Instruction& instruction) {
  std::vector<LeafLink> out;
  const bool passesOn = hasTrait(instruction.opcode, kPassesOn) && instruction.opcode != Opcode::Bitcast;
  if (instruction.opcode == Opcode::Tuple) {
    for (size_t at = 0; InstructionId operand : instruction.operands) {
      out.push_back({operand, instruction.id, 0, at});
      at += leavesOf(module.shapeOf(operand)).size();
    }
  } else if (instruction.opcode == Opcode::Conditional) {
    for (size_t b = 1; ComputationId branch : branchesOf(*instruction.attributes))
      out.push_back({instruction.operands[b++], module.at(branch).parameters[0]});
  } else if (passesOn || isAnnotationCall(instruction) || instruction.opcode == Opcode::While) {
    const InstructionId operand = instruction.operands[0];
    const bool isElement = instruction.opcode == Opcode::GetTupleElement;
    const auto index = static_cast<size_t>(instruction.attributes->intOr(Attr::index, 0));
    out.push_back({operand, instruction.id, isElement ? firstLeafOf(module.shapeOf(operand), index) : 0, 0});
  }
  return out;
}

}  // namespace

Propagation::SlotId Propagation::slotOf(InstructionId id, size_t leaf) const {
  SlotId slot = first_.at(id.value) + static_cast<SlotId>(leaf);
  while (joined_[slot] != slot) slot = joined_[slot];
  return slot;
}

std::vector<ArraySharding> Propagation::of(const Instruction& instruction) const {
  std::vector<ArraySharding> out;
  for (size_t k = 0; k < leavesOf(*instruction.shape).size(); ++k) out.push_back(of(instruction.id, k));
  return out;
}

void Propagation::addSlots(ComputationId computation) {
  for (InstructionId id : module_.at(computation).instructions) {
    order_.push_back(id);
    first_[id.value] = static_cast<SlotId>(slots_.size());
    for (const ShapeLeaf& leaf : leavesOf(module_.shapeOf(id))) {
      joined_.push_back(static_cast<SlotId>(slots_.size()));
      slots_.push_back({leaf.shape, wholeArray(*leaf.shape)});
    }
  }
}

void Propagation::join(InstructionId a, InstructionId b) {
  for (size_t k = 0; k < leavesOf(module_.shapeOf(a)).size(); ++k) {
    const SlotId left = slotOf(a, k), right = slotOf(b, k);
    joined_[std::max(left, right)] = std::min(left, right);
  }
}

void Propagation::joinControl(const Instruction& instruction) {
  if (instruction.opcode != Opcode::While && instruction.opcode != Opcode::Conditional) return;
  for (ComputationId callee : module_.callees(instruction)) {
    const Computation& computation = module_.at(callee);
    if (instruction.opcode == Opcode::While) join(instruction.id, computation.parameters[0]);
    const auto* condition = instruction.attributes->get<ComputationId>(Attr::condition);
    if (!condition || *condition != callee) join(instruction.id, computation.root);
  }
}

Status Propagation::annotate(const Instruction& instruction) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Annotation> annotations, context_.of(instruction));
  for (size_t k = 0; k < annotations.size(); ++k) {
    Slot& slot = slots_[slotOf(instruction.id, k)];
    if (slot.fixed || !slot.shape->isArray()) continue;
    slot.sharding = annotations[k].sharding;
    slot.fixed = !annotations[k].open;
  }
  return {};
}

// Arguments are whole where nothing is said; results are as propagation leaves them, unless the header forbids it.
Status Propagation::fixSignature() {
  const Computation& entry = module_.entryComputation();
  const auto fix = [&](InstructionId id, std::string_view allowed, bool otherwise, bool byLeaf) -> Status {
    TESSERA_ASSIGN_OR_RETURN(const std::vector<Annotation> annotations, context_.of(module_.at(id)));
    if (!annotations.empty()) return {};
    const auto number = static_cast<size_t>(std::max(module_.at(id).parameterNumber, 0));
    for (size_t k = 0; k < leavesOf(module_.shapeOf(id)).size(); ++k)
      if (!allows(allowed, byLeaf ? k : number, otherwise)) slots_[slotOf(id, k)].fixed = true;
    return {};
  };
  for (InstructionId parameter : entry.parameters)
    TESSERA_TRY(fix(parameter, module_.config().allowShardingPropagationToParameters, false, false));
  return fix(entry.root, module_.config().allowShardingPropagationToOutput, true, true);
}

void Propagation::relate(const Instruction& instruction) {
  for (const LeafLink& link : leafLinks(module_, instruction))
    for (size_t k = 0; k < countOf(module_, link); ++k)
      relations_.push_back(
          {Relation::Same, 0, {slotOf(link.from, link.firstFrom + k)}, {slotOf(link.to, link.firstTo + k)}, {}});
  if (instruction.opcode == Opcode::Reshape && !instruction.shape->hasDynamicDimensions())
    relations_.push_back({Relation::Reshape, 1, {slotOf(instruction.operands[0], 0)}, {slotOf(instruction.id, 0)}, {}});
  auto rule = ruleOf(module_, instruction);
  if (!rule) return;
  Relation relation{Relation::Factors, priorityOf(instruction.opcode), {}, {}, std::move(*rule)};
  for (InstructionId operand : instruction.operands) relation.operands.push_back(slotOf(operand, 0));
  for (size_t k = 0; k < leavesOf(*instruction.shape).size(); ++k)
    relation.results.push_back(slotOf(instruction.id, k));
  relations_.push_back(std::move(relation));
}

// The outer side of a border is best cut as the region wants it.
Status Propagation::relateBorder(const Instruction& border) {
  const bool in = borderOf(border) == Border::In;
  if (anyManual(in ? border.operands[0] : border.id)) return {};  // within another region
  auto shardings = borderShardings(context_, border);
  if (!shardings) return std::unexpected(placedAt(border, shardings.error()));
  if (!*shardings) return {};
  for (size_t i = 0; i < border.operands.size(); ++i)
    merge(in ? slotOf(border.operands[i], 0) : slotOf(border.id, i), (**shardings)[i]);
  return {};
}

bool Propagation::anyManual(InstructionId id) const {
  for (size_t k = 0; k < leavesOf(module_.shapeOf(id)).size(); ++k)
    if (of(id, k).manual) return true;
  return false;
}

bool Propagation::mark(SlotId slot) {
  ArraySharding& sharding = slots_[slot].sharding;
  const bool changed = !sharding.manual;
  sharding = {.cuts = Cuts(sharding.cuts.size()), .manual = true};
  return changed;
}

bool Propagation::markAll(const Instruction& instruction) {
  bool changed = false;
  for (size_t k = 0; k < leavesOf(*instruction.shape).size(); ++k) changed |= mark(slotOf(instruction.id, k));
  return changed;
}

// A value of each device's own makes those that are computed from it so, until it leaves the region: all of them where
// it chooses what is computed.
bool Propagation::markManual(const Instruction& instruction) {
  if (borderOf(instruction) == Border::Out) return false;
  if (borderOf(instruction) == Border::In || instruction.opcode == Opcode::PartitionId) return markAll(instruction);
  const std::vector<LeafLink> links = leafLinks(module_, instruction);
  if (links.empty() || isChosenManually(instruction)) {
    const bool any = std::ranges::any_of(instruction.operands, [&](InstructionId id) { return anyManual(id); });
    bool changed = (any || isChosenManually(instruction)) && markAll(instruction);
    for (const LeafLink& link : links) changed |= markAll(module_.at(link.to));
    return changed;
  }
  bool changed = false;
  for (const LeafLink& link : links)
    for (size_t k = 0; k < countOf(module_, link); ++k)
      if (of(link.from, link.firstFrom + k).manual) changed |= mark(slotOf(link.to, link.firstTo + k));
  return changed;
}

// How often a loop runs, or which branch, differs among devices.
bool Propagation::isChosenManually(const Instruction& instruction) const {
  if (instruction.opcode == Opcode::Conditional) return anyManual(instruction.operands[0]);
  return instruction.opcode == Opcode::While &&
         anyManual(module_.at(*instruction.attributes->get<ComputationId>(Attr::condition)).root);
}

bool Propagation::cut(SlotId id, int64_t dimension, const CutPtr& by) {
  Slot& slot = slots_[id];
  const auto d = static_cast<size_t>(dimension);
  if (slot.fixed || slot.sharding.manual || slot.sharding.cuts[d]) return false;
  if (!canAdd(slot.sharding.cuts, by, slot.shape->dimensions[d])) return false;
  slot.sharding.cuts[d] = by;
  return true;
}

bool Propagation::merge(SlotId slot, const ArraySharding& sharding) {
  bool changed = false;
  for (size_t d = 0; d < sharding.cuts.size() && !sharding.manual; ++d)
    if (sharding.cuts[d]) changed |= cut(slot, static_cast<int64_t>(d), sharding.cuts[d]);
  return changed;
}

// A cut passes on where blocks reach no further than devices can exchange for the price of an all-to-all: a block.
bool Propagation::passesOn(const Relation& relation, const Factor& factor, const CutPtr& by) const {
  for (size_t i = 0; i < factor.reaches.size(); ++i) {
    if (!factor.reaches[i]) continue;
    const int64_t size = slots_[relation.operands[i]].shape->dimensions[static_cast<size_t>(factor.operands[i])];
    const auto ranges = rangesOf(*factor.reaches[i], factor.size, by->parts);
    const auto exchanged = ranges ? exchangedIndices(*ranges, size, by->parts) : std::nullopt;
    if (!exchanged || *exchanged > blockSize(size, by->parts)) return false;
  }
  return true;
}

// The cut into most parts is given to all that have the dimension; of equal ones the first.
bool Propagation::applyFactor(const Relation& relation, const Factor& factor) {
  CutPtr best;
  const auto forEach = [&](const auto& visit) {
    for (size_t i = 0; i < factor.operands.size(); ++i)
      if (factor.operands[i] >= 0) visit(relation.operands[i], factor.operands[i]);
    for (size_t k = 0; k < factor.results.size(); ++k)
      if (factor.results[k] >= 0) visit(relation.results[k], factor.results[k]);
  };
  forEach([&](SlotId slot, int64_t d) {
    const ArraySharding& sharding = slots_[slot].sharding;
    if (sharding.manual) return;
    const CutPtr& one = sharding.cuts[static_cast<size_t>(d)];
    if (one && (!best || one->parts > best->parts)) best = one;
  });
  bool changed = false;
  if (best && passesOn(relation, factor, best)) forEach([&](SlotId slot, int64_t d) { changed |= cut(slot, d, best); });
  return changed;
}

bool Propagation::apply(const Relation& relation) {
  bool changed = false;
  switch (relation.kind) {
    case Relation::Factors:
      for (const Factor& factor : relation.rule.factors) changed |= applyFactor(relation, factor);
      return changed;
    case Relation::Same:
    case Relation::Reshape: {
      const SlotId from = relation.operands[0], to = relation.results[0];
      const auto seenFrom = [&](SlotId source, SlotId target) {
        const Slot &one = slots_[source], &other = slots_[target];
        if (one.sharding.manual || one.sharding.isWhole() || other.sharding.manual || !one.shape->isArray())
          return false;
        if (relation.kind == Relation::Same) return merge(target, one.sharding);
        return merge(target, reshapeSharding(*one.shape, *other.shape, one.sharding).to);
      };
      changed |= seenFrom(from, to);
      changed |= seenFrom(to, from);
      return changed;
    }
  }
  return false;
}

// The largest dimension of the operand that may be cut, and so.
bool Propagation::moveToFactor(const Relation& relation, size_t operand, const CutPtr& by) {
  const std::vector<int64_t>& sizes = slots_[relation.operands[operand]].shape->dimensions;
  const Factor* best = nullptr;
  const auto sizeOf = [&](const Factor& factor) { return sizes[static_cast<size_t>(factor.operands[operand])]; };
  for (const Factor& factor : relation.rule.factors) {
    if (factor.operands[operand] < 0 || Rule::isSummed(factor) || !factor.reaches.empty()) continue;
    if (sizeOf(factor) % by->parts != 0) continue;
    if (!best || sizeOf(factor) > sizeOf(*best)) best = &factor;
  }
  bool changed = false;
  for (size_t k = 0; best && k < best->results.size(); ++k) changed |= cut(relation.results[k], best->results[k], by);
  return changed;
}

bool Propagation::moveAcrossReshape(const Relation& relation, const CutPtr& by) {
  const Shape &from = *slots_[relation.operands[0]].shape, &to = *slots_[relation.results[0]].shape;
  for (size_t d = 0; d < from.dimensions.size(); ++d) {
    if (from.dimensions[d] % by->parts != 0) continue;
    ArraySharding moved = wholeArray(from);
    moved.cuts[d] = by;
    if (merge(relation.results[0], reshapeSharding(from, to, moved).to)) return true;
  }
  return false;
}

// Where a dimension that an operand is cut along does not pass on, the result is cut along another one: the devices
// exchange blocks, and each goes on with its share.
bool Propagation::moveCut(const Relation& relation) {
  if (relation.kind == Relation::Same) return false;
  for (size_t i = 0; i < relation.operands.size(); ++i) {
    const ArraySharding& sharding = slots_[relation.operands[i]].sharding;
    if (sharding.manual) return false;
    for (size_t d = 0; d < sharding.cuts.size(); ++d) {
      const CutPtr& by = sharding.cuts[d];
      const auto passes = [&](const Factor& factor) {
        return factor.operands[i] == static_cast<int64_t>(d) && passesOn(relation, factor, by);
      };
      if (!by || std::ranges::any_of(relation.rule.factors, passes)) continue;
      if (relation.kind == Relation::Reshape ? moveAcrossReshape(relation, by) : moveToFactor(relation, i, by))
        return true;
    }
  }
  return false;
}

Status Propagation::run() {
  for (ComputationId computation : controlComputations(module_)) addSlots(computation);
  for (InstructionId id : order_) joinControl(module_.at(id));
  while (std::ranges::count_if(order_, [&](InstructionId id) { return markManual(module_.at(id)); }) > 0) {
  }
  for (InstructionId id : order_)
    if (!anyManual(id)) TESSERA_TRY(annotate(module_.at(id)));
  TESSERA_TRY(fixSignature());
  for (InstructionId id : order_) {
    const Instruction& instruction = module_.at(id);
    if (borderOf(instruction) != Border::None) TESSERA_TRY(relateBorder(instruction));
    relate(instruction);
  }
  for (int priority = 0; priority <= kMovePriority; ++priority)
    for (bool changed = true; changed;) {
      changed = false;
      for (const Relation& relation : relations_) {
        changed |= relation.priority <= priority && apply(relation);
        changed |= priority == kMovePriority && moveCut(relation);
      }
      for (auto relation = relations_.rbegin(); relation != relations_.rend(); ++relation)
        changed |= relation->priority <= priority && apply(*relation);
    }
  return {};
}

}  // namespace tessera::partition
