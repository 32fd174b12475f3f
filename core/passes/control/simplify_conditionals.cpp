// See simplify_conditionals.h.
#include "core/passes/control/simplify_conditionals.h"

#include <algorithm>

#include "core/base/tuning.h"
#include "core/hlo/numbers.h"
#include "core/ops/inference/callee_index.h"
#include "core/passes/control/loop_form.h"
#include "core/passes/patterns.h"

namespace tessera {
namespace {

using Ids = std::vector<InstructionId>;

bool hasFewElements(const Shape& shape) {
  return shape.isArray() && shape.elementCount().value_or(INT64_MAX) <= tuning().control.selectedElements;
}

class Choice {
 public:
  Choice(Rewriter& rewriter, InstructionId id)
      : rewriter_(rewriter),
        module_(rewriter.module()),
        in_(rewriter.visit(id)),
        branches_(branchesOf(*in_.attributes)) {}

  bool run() {
    if (in_.attributes->has(Attr::control_predecessors) || branches_.empty() ||
        in_.operands.size() != branches_.size() + 1)
      return false;
    if (in_.shape->hasDynamicDimensions()) return false;
    for (ComputationId branch : branches_)
      if (module_.at(branch).parameters.size() != 1) return false;
    if (const auto known = takenBranch()) return inlineBranch(*known);
    if (isPredicate() && isSmall(branches_[0]) && isSmall(branches_[1])) return selectResult();
    return dropResults();
  }

 private:
  bool isPredicate() const {
    return module_.shapeOf(in_.operands[0]).type == ElementType::Pred && branches_.size() == 2;
  }

  // By a constant predicate or index (one that is out of range takes the last); the only branch there is.
  std::optional<size_t> takenBranch() const {
    if (branches_.size() == 1) return 0;
    const Instruction& chooser = module_.at(in_.operands[0]);
    if (chooser.opcode != Opcode::Constant || !chooser.literal || chooser.literal->elided() ||
        chooser.literal->elementCount() != 1)
      return std::nullopt;
    const int64_t value = loadInt(chooser.shape->type, chooser.literal->bytes().data());
    if (isPredicate()) return value != 0 ? 0 : 1;
    return value < 0 || value >= static_cast<int64_t>(branches_.size()) ? branches_.size() - 1
                                                                        : static_cast<size_t>(value);
  }

  // The branch's instructions in the computation of the conditional; its result.
  InstructionId copyOf(size_t branch) {
    const Computation from = module_.at(branches_[branch]);
    std::unordered_map<uint32_t, InstructionId> map{
        {from.parameters[0].value, rewriter_.resolve(in_.operands[branch + 1])}};
    for (InstructionId id : from.instructions) {
      if (map.contains(id.value)) continue;
      Ids operands;
      for (InstructionId operand : module_.at(id).operands) operands.push_back(map.at(operand.value));
      map[id.value] = rewriter_.clone(id, in_.computation, operands);
    }
    return map.at(from.root.value);
  }
  bool hasControlEdges(size_t branch) const {
    return std::ranges::any_of(module_.at(branches_[branch]).instructions, [&](InstructionId id) {
      return module_.at(id).attributes->has(Attr::control_predecessors);
    });
  }
  bool inlineBranch(size_t branch) {
    if (hasControlEdges(branch) || module_.shapeOf(module_.at(branches_[branch]).root) != *in_.shape) return false;
    rewriter_.replace(in_.id, copyOf(branch));
    return true;
  }

  // Few cheap operations on few elements.
  bool isSmall(ComputationId branch) const {
    size_t work = 0;
    for (InstructionId id : module_.at(branch).instructions) {
      const Instruction& in = module_.at(id);
      if (in.opcode == Opcode::Parameter || in.opcode == Opcode::Tuple || in.opcode == Opcode::GetTupleElement)
        continue;
      if (!hasFewElements(*in.shape) || isStateful(in)) return false;
      const bool cheap = isElementwise(in.opcode) || in.opcode == Opcode::Constant || in.opcode == Opcode::Broadcast ||
                         in.opcode == Opcode::Reshape || in.opcode == Opcode::Iota;
      if (!cheap || in.opcode == Opcode::Map || ++work > tuning().control.selectedInstructions) return false;
    }
    const Shape& result = module_.shapeOf(module_.at(branch).root);
    return result.isArray() ? hasFewElements(result) : std::ranges::all_of(result.elements, hasFewElements);
  }
  InstructionId add(Opcode opcode, const Shape& shape, Ids operands, AttributeSet attributes = {}) {
    const InstructionId origin[] = {in_.id};
    return rewriter_.add(in_.computation, opcode, shape, operands, std::move(attributes), origin);
  }
  InstructionId element(InstructionId tuple, size_t i) {
    AttributeSet attributes;
    attributes.set(Attr::index, static_cast<int64_t>(i));
    return add(Opcode::GetTupleElement, Shape(module_.shapeOf(tuple).elements[i]), {tuple}, std::move(attributes));
  }
  InstructionId selected(InstructionId yes, InstructionId no) {
    const Shape shape = module_.shapeOf(yes);
    InstructionId predicate = rewriter_.resolve(in_.operands[0]);
    if (!shape.isScalar()) {
      AttributeSet attributes;
      attributes.set(Attr::dimensions, std::vector<int64_t>{});
      predicate = add(Opcode::Broadcast, Shape::arrayRowMajor(ElementType::Pred, shape.dimensions), {predicate},
                      std::move(attributes));
    }
    return add(Opcode::Select, shape, {predicate, yes, no});
  }
  bool selectResult() {
    for (ComputationId branch : branches_)
      if (module_.shapeOf(module_.at(branch).root) != *in_.shape) return false;
    const InstructionId yes = copyOf(0), no = copyOf(1);
    if (!in_.shape->isTuple()) {
      rewriter_.replace(in_.id, selected(yes, no));
      return true;
    }
    Ids parts;
    for (size_t i = 0; i < in_.shape->elements.size(); ++i) parts.push_back(selected(element(yes, i), element(no, i)));
    rewriter_.replace(in_.id, add(Opcode::Tuple, *in_.shape, parts));
    return true;
  }

  // Where branch `b` takes result `i` from outside: an operand's element that is handed through.
  InstructionId handedThrough(size_t b, size_t i) {
    const Computation& branch = module_.at(branches_[b]);
    const auto k = elementOf(module_, module_.at(branch.root).operands[i], branch.parameters[0]);
    const Instruction& operand = module_.at(rewriter_.resolve(in_.operands[b + 1]));
    return k && operand.opcode == Opcode::Tuple ? rewriter_.resolve(operand.operands[*k]) : InstructionId();
  }
  InstructionId sameEverywhere(size_t i) {
    const InstructionId first = handedThrough(0, i);
    for (size_t b = 1; b < branches_.size() && first.valid(); ++b)
      if (handedThrough(b, i) != first) return {};
    return first;
  }

  bool dropResults() {
    if (!in_.shape->isTuple() || module_.at(in_.computation).root == in_.id) return false;
    for (size_t b = 0; b < branches_.size(); ++b)
      if (module_.at(module_.at(branches_[b]).root).opcode != Opcode::Tuple || hasControlEdges(b)) return false;
    std::vector<bool> read(in_.shape->elements.size());
    bool changed = false;
    for (InstructionId id : Ids(module_.at(in_.computation).instructions)) {
      if (const auto i = elementOf(module_, id, in_.id)) {
        if (const InstructionId by = sameEverywhere(*i); by.valid() && module_.at(by).shape == module_.at(id).shape) {
          rewriter_.replace(id, by);
          changed = true;
        } else {
          read[*i] = true;
        }
      } else if (std::ranges::find(module_.at(id).operands, in_.id) != module_.at(id).operands.end()) {
        return changed;
      }
    }
    std::vector<size_t> kept;
    for (size_t i = 0; i < read.size(); ++i)
      if (read[i]) kept.push_back(i);
    if (kept.size() == read.size() || kept.empty()) return changed;
    keepResults(kept);
    return true;
  }

  void keepResults(const std::vector<size_t>& kept) {
    std::vector<Shape> shapes;
    for (size_t i : kept) shapes.push_back(in_.shape->elements[i]);
    const Shape shape = Shape::tuple(std::move(shapes));
    std::unordered_map<uint32_t, ComputationId> copies;
    for (ComputationId branch : branches_)
      if (!copies.contains(branch.value)) copies[branch.value] = withResults(branch, kept, shape);
    AttributeSet attributes = *in_.attributes;
    for (const Attribute& item : in_.attributes->items()) {
      AttributeValue value = item.value;
      if (auto* one = std::get_if<ComputationId>(&value))
        *one = copies.at(one->value);
      else if (auto* many = std::get_if<std::vector<ComputationId>>(&value))
        for (ComputationId& c : *many) c = copies.at(c.value);
      else
        continue;
      attributes.set(item.name, std::move(value));
    }
    const InstructionId now =
        add(Opcode::Conditional, shape, Ids(in_.operands.begin(), in_.operands.end()), std::move(attributes));
    for (InstructionId id : Ids(module_.at(in_.computation).instructions)) {
      const auto i = module_.contains(id) ? elementOf(module_, id, in_.id) : std::nullopt;
      if (!i || rewriter_.resolve(id) != id) continue;
      const auto at = std::ranges::lower_bound(kept, *i) - kept.begin();
      rewriter_.replace(id, element(now, static_cast<size_t>(at)));
    }
    rewriter_.replace(in_.id, now);
  }
  ComputationId withResults(ComputationId branch, const std::vector<size_t>& kept, const Shape& shape) {
    const ComputationId copy = rewriter_.cloneComputation(branch);
    const InstructionId root = module_.at(copy).root;
    const Instruction old = module_.at(root);
    Ids parts;
    for (size_t i : kept) parts.push_back(old.operands[i]);
    const InstructionId origin[] = {root};
    module_.setRoot(copy, rewriter_.add(copy, Opcode::Tuple, shape, parts, {}, origin));
    const InstructionId gone[] = {root};
    module_.removeAll(copy, gone);
    return copy;
  }

  Rewriter& rewriter_;
  Module& module_;
  const Instruction in_;
  const std::vector<ComputationId> branches_;
};

}  // namespace

Result<bool> simplifyConditionals(Module& module) {
  bool changed = false;
  Ids found;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      if (module.at(id).opcode == Opcode::Conditional) found.push_back(id);
  for (InstructionId id : found) {
    if (!module.contains(id)) continue;
    Rewriter rewriter(module, "simplify-conditionals");
    if (!Choice(rewriter, id).run()) continue;
    TESSERA_TRY(rewriter.finish());
    changed = true;
  }
  if (changed) TESSERA_TRY(restoreComputationOrder(module));
  return changed;
}

}  // namespace tessera
