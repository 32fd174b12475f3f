// See simplify_sorts.h.
#include "core/passes/simplify/simplify_sorts.h"

#include <algorithm>

#include "core/passes/control/loop_form.h"

namespace tessera {
namespace {

using Ids = std::vector<InstructionId>;

// Operands whose result or whose elements in the comparator are read; everything when the tuple is read as a whole.
std::vector<size_t> neededOperands(const Module& module, const Instruction& sort, ComputationId comparator) {
  const size_t count = sort.operands.size();
  std::vector<bool> needed(count, module.at(sort.computation).root == sort.id);
  for (InstructionId id : module.at(sort.computation).instructions) {
    if (const auto i = elementOf(module, id, sort.id))
      needed[*i] = true;
    else if (std::ranges::find(module.at(id).operands, sort.id) != module.at(id).operands.end())
      needed.assign(count, true);
  }
  const Computation& compare = module.at(comparator);
  for (InstructionId id : compare.instructions)
    for (InstructionId operand : module.at(id).operands)
      for (size_t p = 0; p < compare.parameters.size(); ++p)
        if (compare.parameters[p] == operand) needed[p / 2] = true;
  for (size_t p = 0; p < compare.parameters.size(); ++p)
    if (compare.parameters[p] == compare.root) needed[p / 2] = true;
  std::vector<size_t> out;
  for (size_t i = 0; i < count; ++i)
    if (needed[i]) out.push_back(i);
  return out;
}

ComputationId comparatorOf(Rewriter& rewriter, ComputationId original, const std::vector<size_t>& kept) {
  Module& module = rewriter.module();
  const ComputationId copy = rewriter.cloneComputation(original);
  const Ids parameters = module.at(copy).parameters;
  Ids gone;
  for (size_t p = 0; p < parameters.size(); ++p) {
    const auto at = std::ranges::find(kept, p / 2);
    if (at == kept.end())
      gone.push_back(parameters[p]);
    else
      module.edit(parameters[p]).parameterNumber =
          static_cast<int32_t>(2 * (at - kept.begin()) + static_cast<int64_t>(p % 2));
  }
  module.removeAll(copy, gone);
  Ids now;
  for (InstructionId parameter : parameters)
    if (module.contains(parameter)) now.push_back(parameter);
  module.edit(copy).parameters = now;
  return copy;
}

bool dropOperands(Rewriter& rewriter, InstructionId id) {
  Module& module = rewriter.module();
  const Instruction sort = rewriter.visit(id);
  const auto callees = module.callees(sort);
  if (callees.size() != 1 || module.at(callees[0]).parameters.size() != 2 * sort.operands.size() || hasSideEffect(sort))
    return false;
  const std::vector<size_t> kept = neededOperands(module, sort, callees[0]);
  if (kept.size() == sort.operands.size() || kept.empty()) return false;
  Ids operands;
  std::vector<Shape> shapes;
  for (size_t i : kept) operands.push_back(sort.operands[i]), shapes.push_back(sort.shape->elements[i]);
  AttributeSet attributes = *sort.attributes;
  attributes.set(Attr::to_apply, comparatorOf(rewriter, callees[0], kept));
  const InstructionId origin[] = {id};
  const bool single = kept.size() == 1;
  const InstructionId now = rewriter.add(sort.computation, Opcode::Sort, single ? shapes[0] : Shape::tuple(shapes),
                                         operands, std::move(attributes), origin);
  for (InstructionId user : Ids(module.at(sort.computation).instructions)) {
    const auto i = elementOf(module, user, id);
    if (!i) continue;
    const auto at = static_cast<size_t>(std::ranges::lower_bound(kept, *i) - kept.begin());
    if (single) {
      rewriter.replace(user, now);
      continue;
    }
    AttributeSet index;
    index.set(Attr::index, static_cast<int64_t>(at));
    const InstructionId from[] = {user};
    rewriter.replace(
        user, rewriter.add(sort.computation, Opcode::GetTupleElement, shapes[at], {&now, 1}, std::move(index), from));
  }
  rewriter.replace(id, now);
  return true;
}

}  // namespace

Result<bool> simplifySorts(Module& module) {
  bool changed = false;
  for (ComputationId computation : controlComputations(module))
    for (InstructionId id : Ids(module.at(computation).instructions)) {
      if (!module.contains(id) || module.at(id).opcode != Opcode::Sort || !module.at(id).shape->isTuple()) continue;
      Rewriter rewriter(module, "simplify-sorts");
      if (!dropOperands(rewriter, id)) continue;
      TESSERA_TRY(rewriter.finish());
      changed = true;
    }
  if (changed) TESSERA_TRY(restoreComputationOrder(module));
  return changed;
}

}  // namespace tessera
