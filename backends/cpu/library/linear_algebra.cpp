// triangular-solve, cholesky and jaxlib's LAPACK targets for both and for LU, of f32 and f64:
// runtime/linear_algebra/triangular_solve_step and runtime/linear_algebra/factor_step. Complex matrices, and shapes
// that a target refuses, are left to `evaluate`.
#include <algorithm>
#include <optional>
#include <ranges>
#include <string_view>

#include "backends/cpu/library/library_steps.h"
#include "backends/runtime/linear_algebra/factor_step.h"
#include "backends/runtime/linear_algebra/triangular_solve_step.h"
#include "core/custom_calls/lapack.h"

namespace tessera::cpu {

namespace {

constexpr int64_t kMaxSize = 40000;  // of a matrix, as LAPACK's targets have it

bool isReal(ElementType type) { return type == ElementType::F32 || type == ElementType::F64; }

// The last two dimensions of an array, and the product of the others.
struct Matrices {
  int64_t batch = 1, rows = 0, columns = 0;
  bool isDouble = false;
};

// Nothing: no matrices of f32 or f64, none at all, or ones too large.
std::optional<Matrices> matricesOf(const Shape& shape) {
  if (!shape.isArray() || !isReal(shape.type) || shape.rank() < 2 || shape.elementCount().value_or(0) == 0)
    return std::nullopt;
  Matrices out;
  const size_t rank = shape.dimensions.size();
  out.rows = shape.dimensions[rank - 2];
  out.columns = shape.dimensions[rank - 1];
  out.isDouble = shape.type == ElementType::F64;
  for (size_t d = 0; d + 2 < rank; ++d) out.batch *= shape.dimensions[d];
  if (std::max(out.rows, out.columns) > kMaxSize) return std::nullopt;
  return out;
}

const Shape& operandShape(const LibraryContext& context, size_t index) {
  return context.module.shapeOf(context.instruction.operands[index]);
}

Result<StepPtr> planTriangularSolve(LibraryContext& context, TriangularSolve solve) {
  if (context.instruction.operands.size() != 2 || context.outputs.size() != 1 ||
      context.outputs[0] == context.operands[0])
    return StepPtr{};
  const Shape& b = operandShape(context, 1);
  const auto triangles = matricesOf(operandShape(context, 0)), sides = matricesOf(b);
  if (!triangles || !sides || triangles->rows != triangles->columns || triangles->isDouble != sides->isDouble)
    return StepPtr{};
  if (triangles->batch != sides->batch || operandShape(context, 0).rank() != b.rank() ||
      !compatible(b, *context.instruction.shape))
    return StepPtr{};
  if ((solve.left ? sides->rows : sides->columns) != triangles->rows) return StepPtr{};
  solve.batch = triangles->batch;
  solve.n = triangles->rows;
  solve.sides = solve.left ? sides->columns : sides->rows;
  solve.isDouble = sides->isDouble;
  solve.threads = context.threads;
  solve.a = context.operands[0];
  solve.b = context.operands[1];
  solve.x = context.outputs[0];
  TESSERA_ASSIGN_OR_RETURN(solve.scratch, context.scratch(scratchBytes(solve)));
  context.what = "triangular solve";
  return makeTriangularSolveStep(solve);
}

Result<StepPtr> planFactor(LibraryContext& context, Factor factor) {
  if (context.instruction.operands.size() != 1) return StepPtr{};
  const auto matrices = matricesOf(operandShape(context, 0));
  if (!matrices || (factor.factors == Factors::Cholesky && matrices->rows != matrices->columns)) return StepPtr{};
  factor.batch = matrices->batch;
  factor.rows = matrices->rows;
  factor.columns = matrices->columns;
  factor.isDouble = matrices->isDouble;
  factor.threads = context.threads;
  factor.from = context.operands[0];
  TESSERA_ASSIGN_OR_RETURN(factor.scratch, context.scratch(scratchBytes(factor)));
  context.what = factor.factors == Factors::Lu ? "LU factors" : "Cholesky factors";
  return makeFactorStep(factor);
}

// Whether a target's results are the matrix and then vectors of s32 with these last dimensions: 0 for one number a
// matrix.
bool givesNumbers(const LibraryContext& context, std::initializer_list<int64_t> lengths) {
  const Shape &matrix = operandShape(context, 0), &result = *context.instruction.shape;
  if (!result.isTuple() || result.elements.size() != lengths.size() + 1 ||
      context.outputs.size() != result.elements.size())
    return false;
  if (!compatible(result.elements[0], matrix)) return false;
  const std::vector<int64_t> batch(matrix.dimensions.begin(), matrix.dimensions.end() - 2);
  return std::ranges::equal(result.elements | std::views::drop(1), lengths, [&](const Shape& numbers, int64_t length) {
    std::vector<int64_t> dims = batch;
    if (length > 0) dims.push_back(length);
    return numbers.isArray() && numbers.type == ElementType::S32 && numbers.dimensions == dims;
  });
}

Result<StepPtr> planGetrf(LibraryContext& context) {
  const auto matrices = matricesOf(operandShape(context, 0));
  if (!matrices || !givesNumbers(context, {std::min(matrices->rows, matrices->columns), 0})) return StepPtr{};
  Factor factor;
  factor.to = context.outputs[0];
  factor.pivots = context.outputs[1];
  factor.info = context.outputs[2];
  return planFactor(context, factor);
}

// A letter of backend_config, by its code; 0: not one of these.
char letterOf(const LibraryContext& context, std::string_view key, std::string_view letters) {
  const int64_t code = configNumber(context.instruction, key).value_or(letters[0]);
  return code > 0 && code < 128 && letters.find(static_cast<char>(code)) != std::string_view::npos
             ? static_cast<char>(code)
             : '\0';
}

Result<StepPtr> planPotrf(LibraryContext& context) {
  const char triangle = letterOf(context, "uplo", "LU");
  if (!matricesOf(operandShape(context, 0)) || !givesNumbers(context, {0}) || !triangle) return StepPtr{};
  Factor factor;
  factor.factors = Factors::Cholesky;
  factor.lower = triangle == 'L';
  factor.to = context.outputs[0];
  factor.info = context.outputs[1];
  return planFactor(context, factor);
}

Result<StepPtr> planTrsm(LibraryContext& context) {
  const char side = letterOf(context, "side", "LR"), triangle = letterOf(context, "uplo", "LU"),
             diagonal = letterOf(context, "diag", "NU");
  const char transpose = letterOf(context, "trans_x", "NTC");
  if (!side || !triangle || !diagonal || !transpose) return StepPtr{};
  TriangularSolve solve;
  solve.left = side == 'L';
  solve.lower = triangle == 'L';
  solve.transposed = transpose != 'N';
  solve.unit = diagonal == 'U';
  return planTriangularSolve(context, solve);
}

}  // namespace

Result<StepPtr> planTriangularSolve(LibraryContext& context) {
  const AttributeSet& attributes = *context.instruction.attributes;
  TriangularSolve solve;
  solve.left = attributes.boolOr(Attr::left_side, false);
  solve.lower = attributes.boolOr(Attr::lower, false);
  solve.transposed = attributes.textOr(Attr::transpose_a, "NO_TRANSPOSE") != "NO_TRANSPOSE";
  solve.unit = attributes.boolOr(Attr::unit_diagonal, false);
  return planTriangularSolve(context, solve);
}

Result<StepPtr> planCholesky(LibraryContext& context) {
  Factor factor;
  factor.factors = Factors::Cholesky;
  factor.lower = context.instruction.attributes->boolOr(Attr::lower, false);
  factor.isWhole = true;
  factor.to = context.outputs[0];
  return planFactor(context, factor);
}

Result<StepPtr> planLapack(LibraryContext& context) {
  const std::string_view target = context.instruction.attributes->textOr(Attr::custom_call_target, "");
  if (context.instruction.operands.empty()) return StepPtr{};
  if (target == "lapack_sgetrf_ffi" || target == "lapack_dgetrf_ffi") return planGetrf(context);
  if (target == "lapack_spotrf_ffi" || target == "lapack_dpotrf_ffi") return planPotrf(context);
  if (target == "lapack_strsm_ffi" || target == "lapack_dtrsm_ffi") return planTrsm(context);
  return StepPtr{};
}

}  // namespace tessera::cpu
