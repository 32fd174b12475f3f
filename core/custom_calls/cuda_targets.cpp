// The targets of linear algebra that jaxlib registers for CUDA, cusolver_NAME_ffi and cu_lu_pivots_to_permutation: what
// they mean, by LAPACK. The element type is the operand's.
#include <algorithm>

#include "core/base/result.h"
#include "core/custom_calls/custom_calls.h"
#include "core/custom_calls/lapack_routines.h"
#include "core/custom_calls/matrix_factors.h"
#include "core/custom_calls/shared_matrices.h"

namespace tessera {
namespace {

bool configFlag(const EvaluateContext& context, std::string_view key) {
  return configNumber(context.instruction, key).value_or(0) != 0;
}

// The conjugate transpose of a column-major matrix.
template <class T>
std::vector<T> adjointOf(const std::vector<T>& matrix, size_t rows, size_t columns) {
  std::vector<T> out(matrix.size());
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j) {
      const T value = matrix[j * rows + i];
      if constexpr (kIsComplex<T>)
        out[i * columns + j] = std::conj(value);
      else
        out[i * columns + j] = value;
    }
  return out;
}

// A = U · S · Vᴴ. By QR iteration the results are a, s, U, Vᴴ and info, or, `transposed`, Vᴴ before U; by
// Jacobi's rotations V stands in the place of Vᴴ. Without compute_uv the vectors are zeros of the shape that is
// written.
template <class T, bool kJacobi>
Result<Literal> singular(const EvaluateContext& context) {
  TESSERA_TRY(expectOperandCount(context, 1));
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, matricesOf(context, kLapackType<T>));
  const bool isWhole = configFlag(context, "full_matrices"), hasVectors = configFlag(context, "compute_uv"),
             isSwapped = !kJacobi && configFlag(context, "transposed");
  const int m = x.rows, n = x.columns, k = std::min(m, n), uColumns = isWhole ? m : k, vtRows = isWhole ? n : k;
  std::vector<Shape> shapes{
      x.matrix(kLapackType<T>, m, n), x.vector(kLapackReal<T>, k), x.matrix(kLapackType<T>, m, uColumns),
      kJacobi ? x.matrix(kLapackType<T>, n, vtRows) : x.matrix(kLapackType<T>, vtRows, n), x.number(kLapackInt)};
  const size_t u = isSwapped ? 3 : 2, v = isSwapped ? 2 : 3;
  if (isSwapped) std::swap(shapes[2], shapes[3]);
  const bool isTuple = context.shape.isTuple() && context.shape.elements.size() == shapes.size();
  for (const size_t result : {u, v})
    if (!hasVectors && isTuple && context.shape.elements[result].type == kLapackType<T>)
      shapes[result] = withoutLayout(context.shape.elements[result]);
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out, MatrixResults::of(context, shapes));
  TESSERA_TRY(forEachMatrix(x.count, x.operations(), [&](int64_t item) -> Status {
    std::vector<T> a = columnsOf<T>(context.operands[0], item, m, n);
    const char mode = !hasVectors ? 'N' : isWhole ? 'A' : 'S';
    TESSERA_ASSIGN_OR_RETURN(const SingularFactors<T> factors,
                             (factorSingular<T, kJacobi>(a, m, n, mode, uColumns, vtRows)));
    out.storeMatrix(0, item, a, m, n);
    out.storeRow(1, item, factors.values, k);
    out.storeNumber(4, item, factors.info);
    if (!hasVectors) return {};
    out.storeMatrix(u, item, factors.u, m, uColumns);
    if constexpr (kJacobi)
      out.storeMatrix(v, item, adjointOf(factors.vt, static_cast<size_t>(vtRows), static_cast<size_t>(n)), n, vtRows);
    else
      out.storeMatrix(v, item, factors.vt, vtRows, n);
    return {};
  }));
  return out.take();
}
template <class T>
Result<Literal> gesvdq(const EvaluateContext& context) {
  return singular<T, false>(context);
}
template <class T>
Result<Literal> gesvdj(const EvaluateContext& context) {
  return singular<T, true>(context);
}

// Pivots of LU, counted from 0, as a permutation of the rows.
Result<Literal> pivotsToPermutation(const EvaluateContext& context) {
  TESSERA_TRY(expectOperandCount(context, 1));
  const Shape& shape = context.operands[0].shape();
  const bool hasLines = shape.isArray() && shape.rank() > 0 && shape.type == ElementType::S32 &&
                        context.shape.isArray() && context.shape.rank() == shape.rank();
  const int64_t pivots = hasLines ? shape.dimensions.back() : 0, rows = hasLines ? context.shape.dimensions.back() : 0;
  Shape expected = withoutLayout(shape);
  if (hasLines) expected.dimensions.back() = rows;
  if (!hasLines || rows < pivots || rows > std::numeric_limits<int>::max() || !compatible(expected, context.shape))
    return failUnsupported("a permutation of rows is made of s32 pivots, one for each of its first rows, not of " +
                           toString(shape, false));
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::zeros(expected));
  const int64_t lines = rows > 0 ? expected.elementCount().value_or(0) / rows : 0;
  for (int64_t line = 0; line < lines; ++line) {
    const std::vector<int> row = rowOf<int>(context.operands[0], line, pivots);
    if (std::ranges::any_of(row, [&](int pivot) { return pivot < 0 || pivot >= rows; }))
      return fail(ErrorKind::Runtime, "a pivot is none of the " + std::to_string(rows) + " rows");
    const std::vector<int> permutation = permutationOf(row, static_cast<int>(rows));
    std::ranges::copy(permutation, out.mutableData<int>().data() + line * rows);
  }
  return out;
}

constexpr CustomCallTarget kCudaTargets[] = {
    {"cusolver_geqrf_ffi", TESSERA_BY_TYPE(geqrf)},   {"cusolver_orgqr_ffi", TESSERA_BY_TYPE(orgqr)},
    {"cusolver_ormqr_ffi", TESSERA_BY_TYPE(ormqr)},   {"cusolver_getrf_ffi", TESSERA_BY_TYPE(getrf)},
    {"cusolver_potrf_ffi", TESSERA_BY_TYPE(potrf)},   {"cusolver_syevd_ffi", TESSERA_BY_TYPE(syevd)},
    {"cusolver_sytrd_ffi", TESSERA_BY_TYPE(sytrd)},   {"cusolver_gesvd_ffi", TESSERA_BY_TYPE(gesvdq)},
    {"cusolver_gesvdj_ffi", TESSERA_BY_TYPE(gesvdj)}, {"cu_lu_pivots_to_permutation", pivotsToPermutation},
};

}  // namespace

std::span<const CustomCallTarget> cudaTargets() { return kCudaTargets; }

}  // namespace tessera
