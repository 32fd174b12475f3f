// cholesky: a = L Lᴴ (or Uᴴ U) of each matrix of a batch, column by column in double precision. The triangle that
// is not asked for is not read, and zero in the result.
#include <cmath>

#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/accumulation.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/evaluate_loops.h"

namespace tessera {
namespace {

constexpr OperandDoc kCholeskyOperands[] = {{"a", "Hermitian positive definite matrices in the last two dimensions"}};
constexpr AttributeRow kCholeskyAttributes[] = {
    {Attr::lower, false, "false", "true: the lower triangle is read and given, else the upper"}};
constexpr Constraint kCholeskyConstraints[] = {
    {"C1", "The operand has at least two dimensions."},
    {"C2", "The last two dimensions are equal."},
    {"C3", "The elements are floats or complex numbers."},
};

Result<Shape> inferCholesky(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 1));
  const Shape& a = context.operand(0);
  if (a.rank() < 2)
    return context.violated("C1", "cholesky needs a matrix", "rank 2 or more", fmt::format("rank {}", a.rank()));
  if (a.dimensions[a.dimensions.size() - 1] != a.dimensions[a.dimensions.size() - 2])
    return context.violated("C2", "the matrix is not square", "equal last dimensions", toString(a, false));
  if (!isFloat(a.type) && !isComplex(a.type))
    return context.violated("C3", "cholesky works on floats and complex numbers", "a float or complex type",
                            std::string(nameOf(a.type)));
  return withoutLayout(a);
}

// L of the n × n matrix at `a`, of which only the lower triangle is read, in place; false when not positive definite.
template <class T>
bool factorize(T* a, size_t n) {
  for (size_t j = 0; j < n; ++j) {
    double pivot = realOf(a[j * n + j]);
    for (size_t k = 0; k < j; ++k) pivot -= realOf(a[j * n + k] * conjugate(a[j * n + k]));
    if (!(pivot > 0)) return false;
    const double diagonal = std::sqrt(pivot);
    a[j * n + j] = diagonal;
    for (size_t i = j + 1; i < n; ++i) {
      T sum = a[i * n + j];
      for (size_t k = 0; k < j; ++k) sum -= a[i * n + k] * conjugate(a[j * n + k]);
      a[i * n + j] = sum / diagonal;
    }
    for (size_t i = 0; i < j; ++i) a[i * n + j] = 0;
  }
  return true;
}

template <class T>
void conjugateTranspose(T* a, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    a[i * n + i] = conjugate(a[i * n + i]);
    for (size_t j = 0; j < i; ++j) {
      const T above = a[j * n + i];
      a[j * n + i] = conjugate(a[i * n + j]);
      a[i * n + j] = conjugate(above);
    }
  }
}

template <class T>
Result<Literal> choleskyAs(const EvaluateContext& context) {
  std::vector<T> values = elementsAs<T>(context.operands[0]);
  const bool lower = context.instruction.attributes->boolOr(Attr::lower, false);
  const auto n = static_cast<size_t>(context.shape.dimensions.back());
  for (size_t at = 0; at < values.size(); at += n * n) {
    if (isCancelled(context)) return failCancelled();
    T* matrix = values.data() + at;
    if (!lower) conjugateTranspose(matrix, n);
    if (!factorize(matrix, n)) std::fill_n(matrix, n * n, T(std::nan("")));
    if (!lower) conjugateTranspose(matrix, n);
  }
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(context.shape));
  storeElements(out, 0, std::span<const T>(values));
  return out;
}

Result<Literal> evaluateCholesky(const EvaluateContext& context) {
  return isComplex(context.shape.type) ? choleskyAs<std::complex<double>>(context) : choleskyAs<double>(context);
}

DimensionRelations choleskyDimensions(const InferContext& context) {
  DimensionRelations out = relationsOfOperand(context);
  const size_t rank = context.operand(0).dimensions.size();
  out.rows[rank - 2].aligned = out.rows[rank - 1].aligned = false;
  out.same(DimensionRef::operand(0, rank - 1), DimensionRef::operand(0, rank - 2), false);
  return out;
}

}  // namespace

const OpDef kCholesky = {
    .opcode = Opcode::Cholesky,
    .kind = ExecutionKind::Library,
    .category = {OpCategory::LinearAlgebra},
    .summary = "Cholesky factor of each matrix",
    .doc =
        "$a = L L^H$ with lower triangular $L$, or $a = U^H U$. Only the triangle that is asked for is read, and the "
        "imaginary part of the diagonal is not; the other triangle of the result is zero. A matrix that is not "
        "positive definite gives NaN everywhere. Computed in double precision.",
    .operands = kCholeskyOperands,
    .attributes = kCholeskyAttributes,
    .constraints = kCholeskyConstraints,
    .inferShape = inferCholesky,
    .inferLayout = followOperandLayout,
    .evaluate = evaluateCholesky,
    .dimensions = choleskyDimensions,
};

}  // namespace tessera
