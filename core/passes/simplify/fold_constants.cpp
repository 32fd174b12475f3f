// See fold_constants.h.
#include "core/passes/simplify/fold_constants.h"

#include <algorithm>
#include <cmath>

#include "core/base/tuning.h"
#include "core/evaluate/evaluate.h"
#include "core/ops/op.h"
#include "core/ops/shared/window_math.h"

namespace tessera {
namespace {

bool isKnown(const Instruction& in) {
  return in.opcode == Opcode::Constant && in.literal && !in.literal->elided() && in.shape->isArray();
}

// Shapes, the operation and its operands allow it; operands of more than `most` elements do not.
bool canFold(const Module& module, const Instruction& in, int64_t most) {
  if (in.operands.empty() || in.opcode == Opcode::Broadcast || !in.shape->isArray() || in.shape->hasDynamicDimensions())
    return false;
  if (in.shape->elementCount().value_or(most + 1) > most || isStateful(in)) return false;
  return std::ranges::all_of(in.operands, [&](InstructionId id) {
    const Instruction& operand = module.at(id);
    return isKnown(operand) && operand.literal->elementCount() <= most;
  });
}

InstructionId fold(Rewriter& rewriter, const Instruction& in) {
  Module& module = rewriter.module();
  const OpDef* op = findOp(in.opcode);
  std::vector<Literal> operands;
  std::vector<const Shape*> shapes;
  for (InstructionId id : in.operands)
    operands.push_back(*module.at(id).literal), shapes.push_back(module.at(id).shape);
  EvaluateContext context{in, *in.shape, operands, shapes, {}, {}};
  const std::vector<ComputationId> callees = module.callees(in);
  context.call = [&](size_t callee, std::span<const Literal> arguments) {
    return evaluateComputation(module, callees[callee], arguments);
  };
  context.module = &module;
  Result<Literal> value = op->evaluate(context);
  if (!value || !sameIgnoringLayout(value->shape(), *in.shape)) return {};
  const InstructionId origin[] = {in.id};
  return rewriter.addConstant(in.computation, std::move(*value), *in.shape, origin);
}

// Instructions of the called computations, over scalars alone; infinite where one is over arrays or calls on: a loop or
// an array in there would have no bound.
double calledWork(const Module& module, const Instruction& in) {
  double count = 1;
  for (ComputationId callee : module.callees(in))
    for (InstructionId id : module.at(callee).instructions) {
      const Instruction& inner = module.at(id);
      if (!module.callees(inner).empty() || (inner.shape->isArray() && !inner.shape->isScalar())) return INFINITY;
      ++count;
    }
  return count;
}

double windowWork(const Instruction& in) {
  double count = 1;
  for (const WindowDimension& each : windowOr(*in.attributes, 0).dimensions) count *= static_cast<double>(each.size);
  return count;
}

// Operations for the whole result: elements times what one of them reads.
double workOf(const Module& module, const Instruction& in) {
  double work = static_cast<double>(in.shape->elementCount().value_or(0));
  double inner = 1;
  for (InstructionId id : in.operands)
    inner = std::max(inner, static_cast<double>(module.shapeOf(id).elementCount().value_or(0)));
  switch (in.opcode) {
    case Opcode::Dot:
    case Opcode::Convolution: return work * inner;
    case Opcode::ReduceWindow: return work * windowWork(in) * calledWork(module, in);
    default: return (work + inner) * calledWork(module, in);
  }
}

bool isFoldable(const Module& module, const Instruction& in) {
  const auto& limits = tuning().simplify;
  switch (in.opcode) {
    case Opcode::Iota:
    case Opcode::Copy:
    case Opcode::Reshape:
    case Opcode::Bitcast:
    case Opcode::OptBarrier:
    case Opcode::Fft:
    case Opcode::Cholesky:
    case Opcode::TriangularSolve:
    case Opcode::SelectAndScatter: return false;
    default: break;
  }
  const OpDef* op = findOp(in.opcode);
  if (!op || !op->evaluate ||
      (op->kind != ExecutionKind::Element && op->kind != ExecutionKind::Loops && op->kind != ExecutionKind::Library))
    return false;
  if (!canFold(module, in, limits.foldedElements)) return false;
  int64_t given = 0;
  for (InstructionId id : in.operands) given += module.shapeOf(id).elementCount().value_or(0);
  return workOf(module, in) <= limits.foldedOperations &&
         *in.shape->elementCount() <= std::max(given, limits.alwaysFoldedElements);
}

}  // namespace

InstructionId foldSmallConstant(Rewriter& rewriter, const Instruction& in) {
  const OpDef* op = findOp(in.opcode);
  if (!op || op->kind != ExecutionKind::Element || !op->evaluate ||
      !canFold(rewriter.module(), in, tuning().simplify.alwaysFoldedElements))
    return {};
  return rewriter.module().callees(in).empty() ? fold(rewriter, in) : InstructionId();
}

Result<bool> foldConstants(Module& module) {
  Rewriter rewriter(module, "fold-constants");
  for (ComputationId computation : controlComputations(module))
    for (InstructionId id : std::vector<InstructionId>(module.at(computation).instructions)) {
      const Instruction in = rewriter.visit(id);
      if (in.opcode == Opcode::Constant || !isFoldable(module, in)) continue;
      if (const InstructionId by = fold(rewriter, in); by.valid()) rewriter.replace(id, by);
    }
  return rewriter.finish();
}

}  // namespace tessera
