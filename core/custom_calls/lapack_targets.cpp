// The targets lapack_{s,d,c,z}NAME_ffi that jaxlib registers on CPU: a function a routine, a table row a type. Operands
// and results are jaxlib's: overwritten operands come back as results, info is s32 and counts for each matrix. Every
// shape is checked before LAPACK sees it, since LAPACK ends the process over a wrong argument.
#include <algorithm>

#include "core/base/result.h"
#include "core/custom_calls/custom_calls.h"
#include "core/custom_calls/matrix_factors.h"
#include "core/custom_calls/shared_matrices.h"

namespace tessera {
namespace {

constexpr ElementType kInt = ElementType::S32;

template <class T>
constexpr ElementType kType = LapackType<T>::type;
template <class T>
constexpr ElementType kReal = LapackType<T>::realType;

Result<MatrixBatch> squaresOf(const EvaluateContext& context, ElementType type) {
  TESSERA_TRY(expectOperandCount(context, 1));
  TESSERA_ASSIGN_OR_RETURN(MatrixBatch x, matricesOf(context, type));
  if (x.rows != x.columns)
    return failUnsupported("this target takes square matrices, not " + toString(context.operands[0].shape(), false));
  return x;
}

template <class T>
Result<Literal> geqrf(const EvaluateContext& context) {
  TESSERA_TRY(expectOperandCount(context, 1));
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, matricesOf(context, kType<T>));
  const int k = std::min(x.rows, x.columns);
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out,
                           MatrixResults::of(context, {x.matrix(kType<T>, x.rows, x.columns), x.vector(kType<T>, k)}));
  TESSERA_TRY(forEachMatrix(x.count, x.operations(), [&](int64_t item) -> Status {
    std::vector<T> a = columnsOf<T>(context.operands[0], item, x.rows, x.columns), tau;
    TESSERA_TRY(factorQr(a, x.rows, x.columns, tau));
    out.storeMatrix(0, item, a, x.rows, x.columns);
    out.storeRow(1, item, tau, k);
    return {};
  }));
  return out.take();
}

// QR with column pivoting: jpvt says on entry which columns are to come first, and on return where each came from.
template <class T>
Result<Literal> geqp3(const EvaluateContext& context) {
  TESSERA_TRY(expectOperandCount(context, 2));
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, matricesOf(context, kType<T>));
  TESSERA_TRY(expectOperand(context, 1, x.vector(kInt, x.columns)));
  TESSERA_ASSIGN_OR_RETURN(void* routine, lapackRoutine<T>("geqp3"));
  const int k = std::min(x.rows, x.columns), leading = leadingOf(x.rows);
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out,
                           MatrixResults::of(context, {x.matrix(kType<T>, x.rows, x.columns), x.vector(kInt, x.columns),
                                                       x.vector(kType<T>, k)}));
  TESSERA_TRY(forEachMatrix(x.count, x.operations(), [&](int64_t item) -> Status {
    std::vector<T> a = columnsOf<T>(context.operands[0], item, x.rows, x.columns), tau(static_cast<size_t>(k));
    std::vector<int> pivots = rowOf<int>(context.operands[1], item, x.columns);
    std::vector<RealOf<T>> realWork(static_cast<size_t>(2 * x.columns));
    int info = 0;
    withWorkspace<T>([&](T* work, int* size) {
      if constexpr (kIsComplex<T>)
        callFortran(routine, &x.rows, &x.columns, a.data(), &leading, pivots.data(), tau.data(), work, size,
                    realWork.data(), &info);
      else
        callFortran(routine, &x.rows, &x.columns, a.data(), &leading, pivots.data(), tau.data(), work, size, &info);
    });
    out.storeMatrix(0, item, a, x.rows, x.columns);
    out.storeRow(1, item, pivots, x.columns);
    out.storeRow(2, item, tau, k);
    return {};
  }));
  return out.take();
}

// The length of the vector of factors, operand 1.
template <class T>
Result<int> factorCount(const EvaluateContext& context, const MatrixBatch& x) {
  const Shape& shape = context.operands[1].shape();
  const int64_t k = shape.isArray() && shape.rank() > 0 ? shape.dimensions.back() : 0;
  TESSERA_TRY(expectOperand(context, 1, x.vector(kType<T>, k)));
  if (k > x.columns || k > x.rows)
    return failUnsupported("there are more reflectors (" + std::to_string(k) + ") than rows or columns");
  return static_cast<int>(k);
}

template <class T>
Result<Literal> orgqr(const EvaluateContext& context) {
  TESSERA_TRY(expectOperandCount(context, 2));
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, matricesOf(context, kType<T>));
  TESSERA_ASSIGN_OR_RETURN(const int k, factorCount<T>(context, x));
  if (x.rows < x.columns) return failUnsupported("a product of reflectors has no fewer rows than columns");
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out, MatrixResults::of(context, {x.matrix(kType<T>, x.rows, x.columns)}));
  TESSERA_TRY(forEachMatrix(x.count, x.operations(), [&](int64_t item) -> Status {
    std::vector<T> a = columnsOf<T>(context.operands[0], item, x.rows, x.columns);
    TESSERA_TRY(multiplyReflectors(a, x.rows, x.columns, rowOf<T>(context.operands[1], item, k), k));
    out.storeMatrix(0, item, a, x.rows, x.columns);
    return {};
  }));
  return out.take();
}

// Q·C, Qᴴ·C, C·Q or C·Qᴴ.
template <class T>
Result<Literal> ormqr(const EvaluateContext& context) {
  TESSERA_TRY(expectOperandCount(context, 3));
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, matricesOf(context, kType<T>));
  TESSERA_ASSIGN_OR_RETURN(const int k, factorCount<T>(context, x));
  TESSERA_ASSIGN_OR_RETURN(void* routine, lapackRoutine<T>(kIsComplex<T> ? "unmqr" : "ormqr"));
  const char side = configNumber(context.instruction, "left").value_or(1) ? 'L' : 'R';
  const char transpose = !configNumber(context.instruction, "transpose").value_or(0) ? 'N' : kIsComplex<T> ? 'C' : 'T';
  const Shape& shape = context.operands[2].shape();
  const auto rank = static_cast<size_t>(shape.isArray() ? shape.rank() : 0);
  if (rank < 2) return failUnsupported("the matrix to be multiplied is " + toString(shape, false));
  const int64_t m = shape.dimensions[rank - 2], n = shape.dimensions[rank - 1];
  TESSERA_TRY(expectOperand(context, 2, x.matrix(kType<T>, m, n)));
  if ((side == 'L' ? m : n) != x.rows || std::max(m, n) > 40000)
    return failUnsupported("the reflectors do not fit the matrix to be multiplied");
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out, MatrixResults::of(context, {x.matrix(kType<T>, m, n)}));
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), leadingA = leadingOf(x.rows),
            leadingC = leadingOf(m);
  if (m * n == 0) return out.take();
  TESSERA_TRY(forEachMatrix(x.count, x.operations(), [&](int64_t item) -> Status {
    std::vector<T> a = columnsOf<T>(context.operands[0], item, x.rows, x.columns),
                   c = columnsOf<T>(context.operands[2], item, m, n);
    const std::vector<T> tau = rowOf<T>(context.operands[1], item, k);
    int info = 0;
    withWorkspace<T>([&](T* work, int* size) {
      callFortran(routine, &side, &transpose, &rows, &columns, &k, a.data(), &leadingA, tau.data(), c.data(), &leadingC,
                  work, size, &info, size_t{1}, size_t{1});
    });
    out.storeMatrix(0, item, c, m, n);
    return {};
  }));
  return out.take();
}

template <class T>
Result<Literal> getrf(const EvaluateContext& context) {
  TESSERA_TRY(expectOperandCount(context, 1));
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, matricesOf(context, kType<T>));
  const int k = std::min(x.rows, x.columns);
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out, MatrixResults::of(context, {x.matrix(kType<T>, x.rows, x.columns),
                                                                          x.vector(kInt, k), x.number(kInt)}));
  TESSERA_TRY(forEachMatrix(x.count, x.operations(), [&](int64_t item) -> Status {
    std::vector<T> a = columnsOf<T>(context.operands[0], item, x.rows, x.columns);
    std::vector<int> pivots;
    TESSERA_ASSIGN_OR_RETURN(const int info, factorLu(a, x.rows, x.columns, pivots));
    out.storeMatrix(0, item, a, x.rows, x.columns);
    out.storeRow(1, item, pivots, k);
    out.storeNumber(2, item, info);
    return {};
  }));
  return out.take();
}

template <class T>
Result<Literal> potrf(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, squaresOf(context, kType<T>));
  TESSERA_ASSIGN_OR_RETURN(const char triangle, configLetter(context, "uplo", "LU"));
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out,
                           MatrixResults::of(context, {x.matrix(kType<T>, x.rows, x.rows), x.number(kInt)}));
  TESSERA_TRY(forEachMatrix(x.count, x.operations(), [&](int64_t item) -> Status {
    std::vector<T> a = columnsOf<T>(context.operands[0], item, x.rows, x.rows);
    TESSERA_ASSIGN_OR_RETURN(const int info, factorCholesky(a, x.rows, triangle));
    out.storeMatrix(0, item, a, x.rows, x.rows);
    out.storeNumber(1, item, info);
    return {};
  }));
  return out.take();
}

// X with op(A)·X = B or X·op(A) = B.
template <class T>
Result<Literal> trsm(const EvaluateContext& context) {
  TESSERA_TRY(expectOperandCount(context, 2));
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, matricesOf(context, kType<T>));
  TESSERA_ASSIGN_OR_RETURN(const char side, configLetter(context, "side", "LR"));
  TESSERA_ASSIGN_OR_RETURN(const char triangle, configLetter(context, "uplo", "LU"));
  TESSERA_ASSIGN_OR_RETURN(const char transpose, configLetter(context, "trans_x", "NTC"));
  TESSERA_ASSIGN_OR_RETURN(const char diagonal, configLetter(context, "diag", "NU"));
  TESSERA_ASSIGN_OR_RETURN(void* routine, lapackRoutine<T>("trsm"));
  const Shape& shape = context.operands[1].shape();
  const auto rank = static_cast<size_t>(shape.isArray() ? shape.rank() : 0);
  if (rank < 2 || x.rows != x.columns)
    return failUnsupported("a triangular solve takes a square matrix and a matrix of right sides, not " +
                           toString(shape, false));
  const int64_t m = shape.dimensions[rank - 2], n = shape.dimensions[rank - 1];
  TESSERA_TRY(expectOperand(context, 1, x.matrix(kType<T>, m, n)));
  if ((side == 'L' ? m : n) != x.rows || std::max(m, n) > std::numeric_limits<int>::max())
    return failUnsupported("the triangular matrix does not fit the right sides");
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out, MatrixResults::of(context, {x.matrix(kType<T>, m, n)}));
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), leadingA = leadingOf(x.rows),
            leadingB = leadingOf(m);
  const T one(1);
  TESSERA_TRY(forEachMatrix(x.count, x.operations(), [&](int64_t item) -> Status {
    std::vector<T> a = columnsOf<T>(context.operands[0], item, x.rows, x.rows),
                   b = columnsOf<T>(context.operands[1], item, m, n);
    callFortran(routine, &side, &triangle, &transpose, &diagonal, &rows, &columns, &one, a.data(), &leadingA, b.data(),
                &leadingB, size_t{1}, size_t{1}, size_t{1}, size_t{1});
    out.storeMatrix(0, item, b, m, n);
    return {};
  }));
  return out.take();
}

template <class T>
Result<Literal> syevd(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, squaresOf(context, kType<T>));
  TESSERA_ASSIGN_OR_RETURN(const char job, configLetter(context, "mode", "VN"));
  TESSERA_ASSIGN_OR_RETURN(const char triangle, configLetter(context, "uplo", "LU"));
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out, MatrixResults::of(context, {x.matrix(kType<T>, x.rows, x.rows),
                                                                          x.vector(kReal<T>, x.rows), x.number(kInt)}));
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

// Columns of U and rows of Vᴴ for a mode: N gives none, but the result has room for all or for the first k, as written.
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

template <class T>
size_t singularRealWork(bool divide, int m, int n, char mode) {
  const auto least = static_cast<size_t>(std::min(m, n)), most = static_cast<size_t>(std::max(m, n));
  if (!divide) return 5 * least + 1;
  if (mode == 'N') return 7 * least + 1;
  return std::max(5 * least * least + 5 * least, 2 * most * least + 2 * least * least + least) + 1;
}

// gesdd (divide and conquer) and gesvd (QR iteration) have the same operands and results.
template <class T, bool kDivide>
Result<Literal> singularValues(const EvaluateContext& context) {
  TESSERA_TRY(expectOperandCount(context, 1));
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, matricesOf(context, kType<T>));
  TESSERA_ASSIGN_OR_RETURN(const char mode, configLetter(context, "mode", "ASN"));
  TESSERA_ASSIGN_OR_RETURN(void* routine, lapackRoutine<T>(kDivide ? "gesdd" : "gesvd"));
  const auto [uColumns, vtRows] = singularSizes(context, x, mode);
  const int m = x.rows, n = x.columns, k = std::min(m, n), leading = leadingOf(m), leadingVt = leadingOf(vtRows);
  TESSERA_ASSIGN_OR_RETURN(
      MatrixResults out,
      MatrixResults::of(context, {x.matrix(kType<T>, m, n), x.vector(kReal<T>, k), x.matrix(kType<T>, m, uColumns),
                                  x.matrix(kType<T>, vtRows, n), x.number(kInt)}));
  TESSERA_TRY(forEachMatrix(x.count, x.operations(), [&](int64_t item) -> Status {
    std::vector<T> a = columnsOf<T>(context.operands[0], item, m, n),
                   u(static_cast<size_t>(m) * static_cast<size_t>(uColumns)),
                   vt(static_cast<size_t>(vtRows) * static_cast<size_t>(n));
    std::vector<RealOf<T>> values(static_cast<size_t>(k)), realWork(singularRealWork<T>(kDivide, m, n, mode));
    std::vector<int> integerWork(8 * static_cast<size_t>(k) + 1);
    int info = 0;
    withWorkspace<T>([&](T* work, int* size) {
      if constexpr (kDivide && kIsComplex<T>)
        callFortran(routine, &mode, &m, &n, a.data(), &leading, values.data(), u.data(), &leading, vt.data(),
                    &leadingVt, work, size, realWork.data(), integerWork.data(), &info, size_t{1});
      else if constexpr (kDivide)
        callFortran(routine, &mode, &m, &n, a.data(), &leading, values.data(), u.data(), &leading, vt.data(),
                    &leadingVt, work, size, integerWork.data(), &info, size_t{1});
      else if constexpr (kIsComplex<T>)
        callFortran(routine, &mode, &mode, &m, &n, a.data(), &leading, values.data(), u.data(), &leading, vt.data(),
                    &leadingVt, work, size, realWork.data(), &info, size_t{1}, size_t{1});
      else
        callFortran(routine, &mode, &mode, &m, &n, a.data(), &leading, values.data(), u.data(), &leading, vt.data(),
                    &leadingVt, work, size, &info, size_t{1}, size_t{1});
    });
    out.storeMatrix(0, item, a, m, n);
    out.storeRow(1, item, values, k);
    out.storeMatrix(2, item, u, m, uColumns);
    out.storeMatrix(3, item, vt, vtRows, n);
    out.storeNumber(4, item, info);
    return {};
  }));
  return out.take();
}
template <class T>
Result<Literal> gesdd(const EvaluateContext& context) {
  return singularValues<T, true>(context);
}
template <class T>
Result<Literal> gesvd(const EvaluateContext& context) {
  return singularValues<T, false>(context);
}

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

template <class T>
Result<Literal> geev(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, squaresOf(context, kType<T>));
  TESSERA_ASSIGN_OR_RETURN(const char left, configLetter(context, "compute_left", "NV"));
  TESSERA_ASSIGN_OR_RETURN(const char right, configLetter(context, "compute_right", "NV"));
  TESSERA_ASSIGN_OR_RETURN(void* routine, lapackRoutine<T>("geev"));
  const int n = x.rows, leading = leadingOf(n);
  constexpr ElementType kComplex = LapackType<ComplexOf<T>>::type;
  std::vector<Shape> shapes{x.vector(kType<T>, n), x.matrix(kComplex, n, n), x.matrix(kComplex, n, n), x.number(kInt)};
  if (!kIsComplex<T>) shapes.insert(shapes.begin(), x.vector(kType<T>, n));
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
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, squaresOf(context, kType<T>));
  TESSERA_ASSIGN_OR_RETURN(const char job, configLetter(context, "mode", "VN"));
  TESSERA_ASSIGN_OR_RETURN(const char sort, configLetter(context, "sort", "N"));
  TESSERA_ASSIGN_OR_RETURN(void* routine, lapackRoutine<T>("gees"));
  const int n = x.rows, leading = leadingOf(n);
  std::vector<Shape> shapes{x.matrix(kType<T>, n, n), x.matrix(kType<T>, n, n), x.vector(kType<T>, n), x.number(kInt),
                            x.number(kInt)};
  if (!kIsComplex<T>) shapes.insert(shapes.begin() + 2, x.vector(kType<T>, n));
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
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, squaresOf(context, kType<T>));
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
      MatrixResults out,
      MatrixResults::of(context, {x.matrix(kType<T>, n, n), x.vector(kType<T>, factors), x.number(kInt)}));
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
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, squaresOf(context, kType<T>));
  TESSERA_ASSIGN_OR_RETURN(const char triangle, configLetter(context, "uplo", "LU"));
  TESSERA_ASSIGN_OR_RETURN(void* routine, lapackRoutine<T>(kIsComplex<T> ? "hetrd" : "sytrd"));
  const int n = x.rows, leading = leadingOf(n), between = std::max(0, n - 1);
  TESSERA_ASSIGN_OR_RETURN(
      MatrixResults out,
      MatrixResults::of(context, {x.matrix(kType<T>, n, n), x.vector(kReal<T>, n), x.vector(kReal<T>, between),
                                  x.vector(kType<T>, between), x.number(kInt)}));
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

// A tridiagonal system: the three diagonals have n elements each, of which the first below and the last above are
// unused.
template <class T>
Result<Literal> gtsv(const EvaluateContext& context) {
  TESSERA_TRY(expectOperandCount(context, 4));
  TESSERA_ASSIGN_OR_RETURN(void* routine, lapackRoutine<T>("gtsv"));
  const Shape& right = context.operands[3].shape();
  const auto rank = static_cast<size_t>(right.isArray() ? right.rank() : 0);
  if (rank < 2 || right.dimensions[rank - 1] > std::numeric_limits<int>::max() ||
      right.dimensions[rank - 2] > std::numeric_limits<int>::max())
    return failUnsupported("the right sides of a tridiagonal system are matrices, not " + toString(right, false));
  MatrixBatch b;
  b.batch.assign(right.dimensions.begin(), right.dimensions.end() - 2);
  for (int64_t size : b.batch) b.count *= size;
  const int n = static_cast<int>(right.dimensions[rank - 2]), sides = static_cast<int>(right.dimensions[rank - 1]),
            leading = leadingOf(n);
  b.rows = n;
  b.columns = sides;
  const Shape line = b.vector(kType<T>, n), matrix = b.matrix(kType<T>, n, sides);
  for (size_t i = 0; i < 3; ++i) TESSERA_TRY(expectOperand(context, i, line));
  TESSERA_TRY(expectOperand(context, 3, matrix));
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out, MatrixResults::of(context, {line, line, line, matrix, b.number(kInt)}));
  TESSERA_TRY(forEachMatrix(b.count, b.operations(), [&](int64_t item) -> Status {
    std::vector<T> below = rowOf<T>(context.operands[0], item, n), diagonal = rowOf<T>(context.operands[1], item, n),
                   above = rowOf<T>(context.operands[2], item, n);
    std::vector<T> x = columnsOf<T>(context.operands[3], item, n, sides);
    int info = 0;
    if (n > 0)
      callFortran(routine, &n, &sides, below.data() + 1, diagonal.data(), above.data(), x.data(), &leading, &info);
    out.storeRow(0, item, below, n);
    out.storeRow(1, item, diagonal, n);
    out.storeRow(2, item, above, n);
    out.storeMatrix(3, item, x, n, sides);
    out.storeNumber(4, item, info);
    return {};
  }));
  return out.take();
}

#define TESSERA_LAPACK(name)                                                       \
  {"lapack_s" #name "_ffi", name<float>}, {"lapack_d" #name "_ffi", name<double>}, \
      {"lapack_c" #name "_ffi", name<std::complex<float>>}, {                      \
    "lapack_z" #name "_ffi", name<std::complex<double>>                            \
  }
// Routines whose complex form has a name of its own.
#define TESSERA_LAPACK_PAIR(name, complexName)                                     \
  {"lapack_s" #name "_ffi", name<float>}, {"lapack_d" #name "_ffi", name<double>}, \
      {"lapack_c" #complexName "_ffi", name<std::complex<float>>}, {               \
    "lapack_z" #complexName "_ffi", name<std::complex<double>>                     \
  }
constexpr CustomCallTarget kLapackTargets[] = {
    TESSERA_LAPACK(geqrf),
    TESSERA_LAPACK(geqp3),
    TESSERA_LAPACK(getrf),
    TESSERA_LAPACK(potrf),
    TESSERA_LAPACK(trsm),
    TESSERA_LAPACK(gesdd),
    TESSERA_LAPACK(gesvd),
    TESSERA_LAPACK(geev),
    TESSERA_LAPACK(gees),
    TESSERA_LAPACK(gehrd),
    TESSERA_LAPACK(gtsv),
    TESSERA_LAPACK_PAIR(orgqr, ungqr),
    TESSERA_LAPACK_PAIR(ormqr, unmqr),
    TESSERA_LAPACK_PAIR(syevd, heevd),
    TESSERA_LAPACK_PAIR(sytrd, hetrd),
};

}  // namespace

std::span<const CustomCallTarget> lapackTargets() { return kLapackTargets; }

}  // namespace tessera
