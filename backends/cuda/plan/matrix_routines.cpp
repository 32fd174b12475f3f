// See matrix_routines.h. The steps are in matrix_steps.cpp.
#include "backends/cuda/plan/matrix_routines.h"

#include "backends/cuda/plan/factor_programs.h"
#include "backends/cuda/plan/matrix_targets.h"

namespace tessera::cuda {

namespace {

// The libraries take a batch matrix by matrix, kernels of our own take all at once and a block of columns at a time:
// what needs fewer launches.
bool isForLibrary(const Shape& a, int64_t batch) {
  return areMatrices(a) && batch > 0 && batch < factorBlocks(a.dimensions.back());
}

MatrixPlan operationPlan(MatrixRoutine routine, const Shape& a) {
  MatrixPlan plan;
  plan.call.operation = LibraryOperation::MatrixRoutine;
  plan.call.in = plan.call.out = a.type;
  for (size_t d = 0; d + 2 < a.dimensions.size(); ++d) plan.call.batch *= a.dimensions[d];
  plan.call.matrix.routine = routine;
  return plan;
}

std::optional<MatrixPlan> choleskyOf(const Module& module, const Instruction& instruction) {
  const Shape& a = module.shapeOf(instruction.operands[0]);
  if (!areMatrices(a)) return std::nullopt;
  MatrixPlan plan = operationPlan(MatrixRoutine::Cholesky, a);
  if (!isForLibrary(a, plan.call.batch)) return std::nullopt;
  const Shape stored = Shape::arrayRowMajor(a.type, a.dimensions);
  plan.call.matrix.rows = plan.call.matrix.columns = a.dimensions.back();
  plan.call.matrix.isLower = !instruction.attributes->boolOr(Attr::lower, false);
  plan.inPlace = {0, stored};
  plan.results = {{0, stored}};
  plan.isCholesky = true;
  return plan;
}

std::optional<MatrixPlan> triangularSolveOf(const Module& module, const Instruction& instruction) {
  const Shape &a = module.shapeOf(instruction.operands[0]), &b = module.shapeOf(instruction.operands[1]);
  if (!areMatrices(a) || b.elementCount().value_or(0) == 0) return std::nullopt;
  MatrixPlan plan = operationPlan(MatrixRoutine::TriangularSolve, a);
  if (!isForLibrary(a, plan.call.batch)) return std::nullopt;
  const AttributeSet& attributes = *instruction.attributes;
  const std::string_view operation = attributes.textOr(Attr::transpose_a, "NO_TRANSPOSE");
  MatrixCall& call = plan.call.matrix;
  call.rows = b.dimensions.back(), call.columns = b.dimensions[b.dimensions.size() - 2];
  call.isLeft = !attributes.boolOr(Attr::left_side, false);
  call.isLower = !attributes.boolOr(Attr::lower, false);
  call.hasUnitDiagonal = attributes.boolOr(Attr::unit_diagonal, false);
  call.isTransposed = operation != "NO_TRANSPOSE", call.isConjugated = operation == "ADJOINT";
  plan.operands = {{0, Shape::arrayRowMajor(a.type, a.dimensions)}};
  plan.inPlace = {1, Shape::arrayRowMajor(b.type, b.dimensions)};
  plan.results = {{0, plan.inPlace.stored}};
  return plan;
}

}  // namespace

std::optional<MatrixPlan> matrixPlanOf(const Module& module, const Instruction& instruction,
                                       const CustomCallLibrary* customCalls) {
  if (instruction.opcode == Opcode::CustomCall) return matrixTargetOf(module, instruction, customCalls);
  if (instruction.opcode == Opcode::Cholesky) return choleskyOf(module, instruction);
  if (instruction.opcode == Opcode::TriangularSolve) return triangularSolveOf(module, instruction);
  return std::nullopt;
}

}  // namespace tessera::cuda
