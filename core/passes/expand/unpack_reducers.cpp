// See unpack_reducers.h. The computation may have other callers: it is copied, and the copy gives what is in the
// tuple.
#include "core/passes/expand/unpack_reducers.h"

#include "core/passes/rewriter.h"

namespace tessera {
namespace {

bool givesTupleOfOne(const Instruction& in) {
  const bool reduces = in.opcode == Opcode::Reduce || in.opcode == Opcode::ReduceWindow;
  return reduces && in.operands.size() == 2 && in.shape->isTuple();
}

// The one value of the root's tuple.
InstructionId valueOfRoot(Rewriter& rewriter, ComputationId computation) {
  Module& module = rewriter.module();
  const InstructionId root = module.at(computation).root;
  if (module.at(root).opcode == Opcode::Tuple) return module.at(root).operands[0];
  AttributeSet attributes;
  attributes.set(Attr::index, int64_t{0});
  const Shape value = module.shapeOf(root).elements[0];
  const InstructionId from[] = {root};
  return rewriter.add(computation, Opcode::GetTupleElement, value, from, std::move(attributes), from);
}

void unpack(Rewriter& rewriter, InstructionId id) {
  Module& module = rewriter.module();
  const Instruction reduction = rewriter.visit(id);
  const ComputationId reducer = rewriter.cloneComputation(module.callees(reduction)[0]);
  module.setRoot(reducer, valueOfRoot(rewriter, reducer));
  AttributeSet attributes = *reduction.attributes;
  attributes.set(Attr::to_apply, reducer);
  const std::vector<InstructionId> operands(reduction.operands.begin(), reduction.operands.end());
  const InstructionId from[] = {id};
  const InstructionId value[] = {rewriter.add(reduction.computation, reduction.opcode, reduction.shape->elements[0],
                                              operands, std::move(attributes), from)};
  rewriter.replace(id, rewriter.add(reduction.computation, Opcode::Tuple, *reduction.shape, value, {}, from));
}

}  // namespace

Result<bool> unpackReducers(Module& module) {
  Rewriter rewriter(module, "unpack-reducers");
  bool found = false;
  for (ComputationId computation : std::vector<ComputationId>(module.order()))
    for (InstructionId id : std::vector<InstructionId>(module.at(computation).instructions))
      if (givesTupleOfOne(module.at(id))) unpack(rewriter, id), found = true;
  if (!found) return false;
  TESSERA_TRY(rewriter.finish());
  TESSERA_TRY(restoreComputationOrder(module));
  return true;
}

}  // namespace tessera
