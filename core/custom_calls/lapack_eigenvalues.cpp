// See lapack_routines.h: eigenvalues and singular values, and the Schur, Hessenberg and tridiagonal forms.
#include <algorithm>

#include "core/base/result.h"
#include "core/custom_calls/lapack_routines.h"
#include "core/custom_calls/matrix_factors.h"
#include "core/custom_calls/shared_matrices.h"

namespace tessera {

template <class T>
Result<Literal> syevd(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, squaresOf(context, kLapackType<T>));
  TESSERA_ASSIGN_OR_RETURN(const char job, configLetter(context, "mode", "VN"));
  TESSERA_ASSIGN_OR_RETURN(const char triangle, configTriangle(context));
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out,
                           MatrixResults::of(context, {x.matrix(kLapackType<T>, x.rows, x.rows),
                                                       x.vector(kLapackReal<T>, x.rows), x.number(kLapackInt)}));
  TESSERA_TRY(forEachMatrix(x.count, x.operations(), [&](int64_t item) -> Status {
    std::vector<T> a = columnsOf<T>(context.operands[0], item, x.rows, x.rows);
    std::vector<RealOf<T>> values;
    TESSERA_ASSIGN_OR_RETURN(const int info, factorSymmetric(a, x.rows, job, triangle, values));
    out.storeMatrix(0, item, a, x.rows, x.rows);
    out.storeRow(1, item, values, x.rows);
    out.storeNumber(2, item, info);
    return {};
  }));
  return out.take();
}

namespace {

// Columns of U and rows of Vᴴ for a mode: N gives none, but the result has room for all or for the first k, as
// written.
struct SingularSizes {
  int u = 0, vt = 0;
};
SingularSizes singularSizes(const EvaluateContext& context, const MatrixBatch& x, char mode) {
  const int k = std::min(x.rows, x.columns);
  const SingularSizes all{x.rows, x.columns}, first{k, k};
  if (mode != 'N') return mode == 'S' ? first : all;
  const auto fits = [&](size_t leaf, size_t fromEnd, int size) {
    if (!context.shape.isTuple() || context.shape.elements.size() <= leaf) return false;
    const std::vector<int64_t>& dims = context.shape.elements[leaf].dimensions;
    return dims.size() >= fromEnd && dims[dims.size() - fromEnd] == size;
  };
  return fits(2, 1, k) && fits(3, 2, k) ? first : all;
}

// gesdd (divide and conquer) and gesvd (QR iteration) have the same operands and results.
template <class T, bool kDivide>
Result<Literal> singularValues(const EvaluateContext& context) {
  TESSERA_TRY(expectOperandCount(context, 1));
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, matricesOf(context, kLapackType<T>));
  TESSERA_ASSIGN_OR_RETURN(const char mode, configLetter(context, "mode", "ASN"));
  const auto [uColumns, vtRows] = singularSizes(context, x, mode);
  const int m = x.rows, n = x.columns, k = std::min(m, n);
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out,
                           MatrixResults::of(context, {x.matrix(kLapackType<T>, m, n), x.vector(kLapackReal<T>, k),
                                                       x.matrix(kLapackType<T>, m, uColumns),
                                                       x.matrix(kLapackType<T>, vtRows, n), x.number(kLapackInt)}));
  TESSERA_TRY(forEachMatrix(x.count, x.operations(), [&](int64_t item) -> Status {
    std::vector<T> a = columnsOf<T>(context.operands[0], item, m, n);
    TESSERA_ASSIGN_OR_RETURN(const SingularFactors<T> factors,
                             (factorSingular<T, kDivide>(a, m, n, mode, uColumns, vtRows)));
    out.storeMatrix(0, item, a, m, n);
    out.storeRow(1, item, factors.values, k);
    out.storeMatrix(2, item, factors.u, m, uColumns);
    out.storeMatrix(3, item, factors.vt, vtRows, n);
    out.storeNumber(4, item, factors.info);
    return {};
  }));
  return out.take();
}

}  // namespace

template <class T>
Result<Literal> gesdd(const EvaluateContext& context) {
  return singularValues<T, true>(context);
}
template <class T>
Result<Literal> gesvd(const EvaluateContext& context) {
  return singularValues<T, false>(context);
}

namespace {

// LAPACK writes the vectors of a complex pair as real and imaginary columns.
template <class T>
std::vector<ComplexOf<T>> complexColumns(const std::vector<T>& packed, const std::vector<T>& imaginary, int n) {
  std::vector<ComplexOf<T>> out(packed.size());
  const auto size = static_cast<size_t>(n);
  for (size_t j = 0; j < size; ++j) {
    const bool pair = imaginary[j] != T(0) && j + 1 < size;
    for (size_t i = 0; i < size; ++i) {
      out[j * size + i] = packed[j * size + i];
      if (!pair) continue;
      out[j * size + i] = {packed[j * size + i], packed[(j + 1) * size + i]};
      out[(j + 1) * size + i] = std::conj(out[j * size + i]);
    }
    if (pair) ++j;
  }
  return out;
}

}  // namespace

template <class T>
Result<Literal> geev(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, squaresOf(context, kLapackType<T>));
  TESSERA_ASSIGN_OR_RETURN(const char left, configLetter(context, "compute_left", "NV"));
  TESSERA_ASSIGN_OR_RETURN(const char right, configLetter(context, "compute_right", "NV"));
  TESSERA_ASSIGN_OR_RETURN(void* routine, lapackRoutine<T>("geev"));
  const int n = x.rows, leading = leadingOf(n);
  constexpr ElementType kComplex = LapackType<ComplexOf<T>>::type;
  std::vector<Shape> shapes{x.vector(kLapackType<T>, n), x.matrix(kComplex, n, n), x.matrix(kComplex, n, n),
                            x.number(kLapackInt)};
  if (!kIsComplex<T>) shapes.insert(shapes.begin(), x.vector(kLapackType<T>, n));
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out, MatrixResults::of(context, shapes));
  const size_t vectors = shapes.size() - 3;
  TESSERA_TRY(forEachMatrix(x.count, x.operations(), [&](int64_t item) -> Status {
    std::vector<T> a = columnsOf<T>(context.operands[0], item, n, n), values(static_cast<size_t>(n)),
                   imaginary(static_cast<size_t>(n)), vl(a.size()), vr(a.size());
    std::vector<RealOf<T>> realWork(2 * static_cast<size_t>(n) + 1);
    int info = 0;
    withWorkspace<T>([&](T* work, int* size) {
      if constexpr (kIsComplex<T>)
        callFortran(routine, &left, &right, &n, a.data(), &leading, values.data(), vl.data(), &leading, vr.data(),
                    &leading, work, size, realWork.data(), &info, size_t{1}, size_t{1});
      else
        callFortran(routine, &left, &right, &n, a.data(), &leading, values.data(), imaginary.data(), vl.data(),
                    &leading, vr.data(), &leading, work, size, &info, size_t{1}, size_t{1});
    });
    out.storeRow(0, item, values, n);
    if constexpr (kIsComplex<T>) {
      out.storeMatrix(vectors, item, vl, n, n);
      out.storeMatrix(vectors + 1, item, vr, n, n);
    } else {
      out.storeRow(1, item, imaginary, n);
      out.storeMatrix(vectors, item, complexColumns<T>(vl, imaginary, n), n, n);
      out.storeMatrix(vectors + 1, item, complexColumns<T>(vr, imaginary, n), n, n);
    }
    out.storeNumber(vectors + 2, item, info);
    return {};
  }));
  return out.take();
}

// The Schur form and its vectors; eigenvalues are not sorted.
template <class T>
Result<Literal> gees(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, squaresOf(context, kLapackType<T>));
  TESSERA_ASSIGN_OR_RETURN(const char job, configLetter(context, "mode", "VN"));
  TESSERA_ASSIGN_OR_RETURN(const char sort, configLetter(context, "sort", "N"));
  TESSERA_ASSIGN_OR_RETURN(void* routine, lapackRoutine<T>("gees"));
  const int n = x.rows, leading = leadingOf(n);
  std::vector<Shape> shapes{x.matrix(kLapackType<T>, n, n), x.matrix(kLapackType<T>, n, n), x.vector(kLapackType<T>, n),
                            x.number(kLapackInt), x.number(kLapackInt)};
  if (!kIsComplex<T>) shapes.insert(shapes.begin() + 2, x.vector(kLapackType<T>, n));
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out, MatrixResults::of(context, shapes));
  TESSERA_TRY(forEachMatrix(x.count, x.operations(), [&](int64_t item) -> Status {
    std::vector<T> a = columnsOf<T>(context.operands[0], item, n, n), values(static_cast<size_t>(n)),
                   imaginary(static_cast<size_t>(n)), vectors(a.size());
    std::vector<RealOf<T>> realWork(static_cast<size_t>(n) + 1);
    std::vector<int> flags(static_cast<size_t>(n) + 1);
    int info = 0, selected = 0;
    void* select = nullptr;
    withWorkspace<T>([&](T* work, int* size) {
      if constexpr (kIsComplex<T>)
        callFortran(routine, &job, &sort, select, &n, a.data(), &leading, &selected, values.data(), vectors.data(),
                    &leading, work, size, realWork.data(), flags.data(), &info, size_t{1}, size_t{1});
      else
        callFortran(routine, &job, &sort, select, &n, a.data(), &leading, &selected, values.data(), imaginary.data(),
                    vectors.data(), &leading, work, size, flags.data(), &info, size_t{1}, size_t{1});
    });
    out.storeMatrix(0, item, a, n, n);
    out.storeMatrix(1, item, vectors, n, n);
    out.storeRow(2, item, values, n);
    if (!kIsComplex<T>) out.storeRow(3, item, imaginary, n);
    out.storeNumber(shapes.size() - 2, item, selected);
    out.storeNumber(shapes.size() - 1, item, info);
    return {};
  }));
  return out.take();
}

// The Hessenberg form of rows and columns low to high (from 1).
template <class T>
Result<Literal> gehrd(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, squaresOf(context, kLapackType<T>));
  TESSERA_ASSIGN_OR_RETURN(void* routine, lapackRoutine<T>("gehrd"));
  const int n = x.rows, leading = leadingOf(n), factors = std::max(0, n - 1);
  const int64_t from = configNumber(context.instruction, "low").value_or(1),
                to = configNumber(context.instruction, "high").value_or(n);
  const bool valid = n == 0 ? from == 1 && to == 0 : from >= 1 && from <= to && to <= n;
  if (!valid)
    return failUnsupported("the Hessenberg form of rows " + std::to_string(from) + " to " + std::to_string(to) +
                           " of " + std::to_string(n));
  const int low = static_cast<int>(from), high = static_cast<int>(to);
  TESSERA_ASSIGN_OR_RETURN(
      MatrixResults out, MatrixResults::of(context, {x.matrix(kLapackType<T>, n, n), x.vector(kLapackType<T>, factors),
                                                     x.number(kLapackInt)}));
  TESSERA_TRY(forEachMatrix(x.count, x.operations(), [&](int64_t item) -> Status {
    std::vector<T> a = columnsOf<T>(context.operands[0], item, n, n), tau(static_cast<size_t>(factors) + 1);
    int info = 0;
    withWorkspace<T>([&](T* work, int* size) {
      callFortran(routine, &n, &low, &high, a.data(), &leading, tau.data(), work, size, &info);
    });
    out.storeMatrix(0, item, a, n, n);
    out.storeRow(1, item, tau, factors);
    out.storeNumber(2, item, info);
    return {};
  }));
  return out.take();
}

// The tridiagonal form of a symmetric matrix: diagonal, off-diagonal and factors of the reflectors.
template <class T>
Result<Literal> sytrd(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, squaresOf(context, kLapackType<T>));
  TESSERA_ASSIGN_OR_RETURN(const char triangle, configTriangle(context));
  TESSERA_ASSIGN_OR_RETURN(void* routine, lapackRoutine<T>(kIsComplex<T> ? "hetrd" : "sytrd"));
  const int n = x.rows, leading = leadingOf(n), between = std::max(0, n - 1);
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out,
                           MatrixResults::of(context, {x.matrix(kLapackType<T>, n, n), x.vector(kLapackReal<T>, n),
                                                       x.vector(kLapackReal<T>, between),
                                                       x.vector(kLapackType<T>, between), x.number(kLapackInt)}));
  TESSERA_TRY(forEachMatrix(x.count, x.operations(), [&](int64_t item) -> Status {
    std::vector<T> a = columnsOf<T>(context.operands[0], item, n, n), tau(static_cast<size_t>(n));
    std::vector<RealOf<T>> diagonal(static_cast<size_t>(n)), off(static_cast<size_t>(n));
    int info = 0;
    withWorkspace<T>([&](T* work, int* size) {
      callFortran(routine, &triangle, &n, a.data(), &leading, diagonal.data(), off.data(), tau.data(), work, size,
                  &info, size_t{1});
    });
    out.storeMatrix(0, item, a, n, n);
    out.storeRow(1, item, diagonal, n);
    out.storeRow(2, item, off, between);
    out.storeRow(3, item, tau, between);
    out.storeNumber(4, item, info);
    return {};
  }));
  return out.take();
}

#define TESSERA_ROUTINES(T)                                  \
  template Result<Literal> syevd<T>(const EvaluateContext&); \
  template Result<Literal> gesdd<T>(const EvaluateContext&); \
  template Result<Literal> gesvd<T>(const EvaluateContext&); \
  template Result<Literal> geev<T>(const EvaluateContext&);  \
  template Result<Literal> gees<T>(const EvaluateContext&);  \
  template Result<Literal> gehrd<T>(const EvaluateContext&); \
  template Result<Literal> sytrd<T>(const EvaluateContext&);
TESSERA_LAPACK_TYPES(TESSERA_ROUTINES)
#undef TESSERA_ROUTINES

}  // namespace tessera
