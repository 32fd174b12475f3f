// XLA's own names for matrix decompositions, which its compilers expand: Qr, ProductOfElementaryHouseholderReflectors,
// LuDecomposition, Eigh, Cholesky. The element type is the operand's; Eigh is XLA's own algorithm, all others LAPACK.
#include <algorithm>
#include <cstdio>

#include "core/base/result.h"
#include "core/custom_calls/custom_calls.h"
#include "core/custom_calls/jacobi_eigen.h"
#include "core/custom_calls/lapack_routines.h"
#include "core/custom_calls/matrix_factors.h"
#include "core/custom_calls/shared_matrices.h"
#include "core/ops/shared/evaluate_loops.h"

namespace tessera {
namespace {

template <class T>
Result<Literal> reflectors(const EvaluateContext& context) {
  TESSERA_TRY(expectOperandCount(context, 2));
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, matricesOf(context, kLapackType<T>));
  const Shape& taus = context.operands[1].shape();
  const int64_t k = taus.isArray() && taus.rank() > 0 ? taus.dimensions.back() : -1;
  TESSERA_TRY(expectOperand(context, 1, x.vector(kLapackType<T>, k)));
  if (x.rows < x.columns || k > x.columns)
    return failUnsupported("a product of reflectors needs no fewer rows than columns and no more factors than columns");
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out,
                           MatrixResults::of(context, {x.matrix(kLapackType<T>, x.rows, x.columns)}));
  TESSERA_TRY(forEachMatrix(x.count, x.operations(), [&](int64_t item) -> Status {
    std::vector<T> a = columnsOf<T>(context.operands[0], item, x.rows, x.columns);
    TESSERA_TRY(multiplyReflectors(a, x.rows, x.columns, rowOf<T>(context.operands[1], item, k), static_cast<int>(k)));
    out.storeMatrix(0, item, a, x.rows, x.columns);
    return {};
  }));
  return out.take();
}

template <class T>
Result<Literal> lu(const EvaluateContext& context) {
  TESSERA_TRY(expectOperandCount(context, 1));
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, matricesOf(context, kLapackType<T>));
  const int k = std::min(x.rows, x.columns);
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out, MatrixResults::of(context, {x.matrix(kLapackType<T>, x.rows, x.columns),
                                                                          x.vector(ElementType::S32, k),
                                                                          x.vector(ElementType::S32, x.rows)}));
  TESSERA_TRY(forEachMatrix(x.count, x.operations(), [&](int64_t item) -> Status {
    std::vector<T> a = columnsOf<T>(context.operands[0], item, x.rows, x.columns);
    std::vector<int> pivots;
    TESSERA_TRY(factorLu(a, x.rows, x.columns, pivots));
    out.storeMatrix(0, item, a, x.rows, x.columns);
    for (int& pivot : pivots) --pivot;
    out.storeRow(2, item, permutationOf(pivots, x.rows), x.rows);
    out.storeRow(1, item, pivots, k);
    return {};
  }));
  return out.take();
}

// backend_config is "lower,sort,sweeps,tolerance".
struct EighConfig {
  bool lower = true;
  JacobiOptions options;
};
EighConfig eighConfigOf(const EvaluateContext& context) {
  EighConfig out;
  const auto* config = context.instruction.attributes->get<RawText>(Attr::backend_config);
  int lower = 1, sorted = 1, sweeps = 100;
  double tolerance = 1e-6;
  if (!config || std::sscanf(config->text.c_str(), "%d,%d,%d,%lf", &lower, &sorted, &sweeps, &tolerance) != 4)
    return out;
  return {lower != 0, {sorted != 0, std::clamp(sweeps, 0, 10000), tolerance}};
}

// One triangle and the real diagonal say what the whole is.
template <class T>
std::vector<std::complex<double>> hermitianOf(const Literal& literal, int64_t item, int64_t n, bool lower) {
  std::vector<std::complex<double>> out(static_cast<size_t>(n * n));
  const T* data = literal.data<T>().data() + item * n * n;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      const std::complex<double> value =
          lower ? std::complex<double>(data[i * n + j]) : std::conj(std::complex<double>(data[j * n + i]));
      out[static_cast<size_t>(i * n + j)] = i == j ? value.real() : value;
      out[static_cast<size_t>(j * n + i)] = i == j ? value.real() : std::conj(value);
    }
  return out;
}

template <class T>
T rounded(std::complex<double> value) {
  if constexpr (kIsComplex<T>)
    return T(value);
  else
    return static_cast<T>(value.real());
}

template <class T>
Result<Literal> eigh(const EvaluateContext& context) {
  TESSERA_TRY(expectOperandCount(context, 1));
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, matricesOf(context, kLapackType<T>));
  if (x.rows != x.columns) return failUnsupported("\"Eigh\" takes square matrices");
  const auto [lower, options] = eighConfigOf(context);
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out, MatrixResults::of(context, {x.matrix(kLapackType<T>, x.rows, x.rows),
                                                                          x.vector(kLapackReal<T>, x.rows)}));
  TESSERA_TRY(forEachMatrix(x.count, x.operations(), [&](int64_t item) -> Status {
    if (isCancelled(context)) return failCancelled();
    const EigenPairs pairs =
        jacobiEigenPairs(hermitianOf<T>(context.operands[0], item, x.rows, lower), x.rows, options);
    const size_t n = static_cast<size_t>(x.rows);
    std::vector<T> columns(n * n);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) columns[j * n + i] = rounded<T>(pairs.vectors[i * n + j]);
    out.storeMatrix(0, item, columns, x.rows, x.rows);
    out.storeRow(1, item, std::vector<RealOf<T>>(pairs.values.begin(), pairs.values.end()), x.rows);
    return {};
  }));
  return out.take();
}

// The lower triangle; NaN where there is none.
template <class T>
Result<Literal> cholesky(const EvaluateContext& context) {
  TESSERA_TRY(expectOperandCount(context, 1));
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, matricesOf(context, kLapackType<T>));
  if (x.rows != x.columns) return failUnsupported("\"Cholesky\" takes square matrices");
  const auto n = static_cast<size_t>(x.rows);
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out, MatrixResults::of(context, {x.matrix(kLapackType<T>, x.rows, x.rows)}));
  TESSERA_TRY(forEachMatrix(x.count, x.operations(), [&](int64_t item) -> Status {
    std::vector<T> a = columnsOf<T>(context.operands[0], item, x.rows, x.rows);
    TESSERA_ASSIGN_OR_RETURN(const int info, factorCholesky(a, x.rows, 'L'));
    if (info != 0) std::ranges::fill(a, T(std::numeric_limits<RealOf<T>>::quiet_NaN()));
    for (size_t column = 0; column < n; ++column)
      for (size_t row = 0; row < column; ++row) a[column * n + row] = T();
    out.storeMatrix(0, item, a, x.rows, x.rows);
    return {};
  }));
  return out.take();
}

constexpr CustomCallTarget kDecompositionTargets[] = {
    {"Qr", TESSERA_BY_TYPE(geqrf)},           {"ProductOfElementaryHouseholderReflectors", TESSERA_BY_TYPE(reflectors)},
    {"LuDecomposition", TESSERA_BY_TYPE(lu)}, {"Eigh", TESSERA_BY_TYPE(eigh)},
    {"Cholesky", TESSERA_BY_TYPE(cholesky)},
};

}  // namespace

std::span<const CustomCallTarget> decompositionTargets() { return kDecompositionTargets; }

}  // namespace tessera
