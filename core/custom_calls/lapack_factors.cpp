// See lapack_routines.h: QR, LU and Cholesky factors, products with them, and solutions of triangular and tridiagonal
// systems.
#include <algorithm>

#include "core/base/result.h"
#include "core/custom_calls/lapack_routines.h"
#include "core/custom_calls/matrix_factors.h"
#include "core/custom_calls/shared_matrices.h"

namespace tessera {

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
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, matricesOf(context, kLapackType<T>));
  const int k = std::min(x.rows, x.columns);
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out, MatrixResults::of(context, {x.matrix(kLapackType<T>, x.rows, x.columns),
                                                                          x.vector(kLapackType<T>, k)}));
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
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, matricesOf(context, kLapackType<T>));
  TESSERA_TRY(expectOperand(context, 1, x.vector(kLapackInt, x.columns)));
  TESSERA_ASSIGN_OR_RETURN(void* routine, lapackRoutine<T>("geqp3"));
  const int k = std::min(x.rows, x.columns), leading = leadingOf(x.rows);
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out,
                           MatrixResults::of(context, {x.matrix(kLapackType<T>, x.rows, x.columns),
                                                       x.vector(kLapackInt, x.columns), x.vector(kLapackType<T>, k)}));
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

namespace {

// The length of the vector of factors, operand 1.
template <class T>
Result<int> factorCount(const EvaluateContext& context, const MatrixBatch& x) {
  const Shape& shape = context.operands[1].shape();
  const int64_t k = shape.isArray() && shape.rank() > 0 ? shape.dimensions.back() : 0;
  TESSERA_TRY(expectOperand(context, 1, x.vector(kLapackType<T>, k)));
  if (k > x.columns || k > x.rows)
    return failUnsupported("there are more reflectors (" + std::to_string(k) + ") than rows or columns");
  return static_cast<int>(k);
}

}  // namespace

template <class T>
Result<Literal> orgqr(const EvaluateContext& context) {
  TESSERA_TRY(expectOperandCount(context, 2));
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, matricesOf(context, kLapackType<T>));
  TESSERA_ASSIGN_OR_RETURN(const int k, factorCount<T>(context, x));
  if (x.rows < x.columns) return failUnsupported("a product of reflectors has no fewer rows than columns");
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out,
                           MatrixResults::of(context, {x.matrix(kLapackType<T>, x.rows, x.columns)}));
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
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, matricesOf(context, kLapackType<T>));
  TESSERA_ASSIGN_OR_RETURN(const int k, factorCount<T>(context, x));
  TESSERA_ASSIGN_OR_RETURN(void* routine, lapackRoutine<T>(kIsComplex<T> ? "unmqr" : "ormqr"));
  const char side = configNumber(context.instruction, "left").value_or(1) ? 'L' : 'R';
  const char transpose = !configNumber(context.instruction, "transpose").value_or(0) ? 'N' : kIsComplex<T> ? 'C' : 'T';
  const Shape& shape = context.operands[2].shape();
  const auto rank = static_cast<size_t>(shape.isArray() ? shape.rank() : 0);
  if (rank < 2) return failUnsupported("the matrix to be multiplied is " + toString(shape, false));
  const int64_t m = shape.dimensions[rank - 2], n = shape.dimensions[rank - 1];
  TESSERA_TRY(expectOperand(context, 2, x.matrix(kLapackType<T>, m, n)));
  if ((side == 'L' ? m : n) != x.rows || std::max(m, n) > 40000)
    return failUnsupported("the reflectors do not fit the matrix to be multiplied");
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out, MatrixResults::of(context, {x.matrix(kLapackType<T>, m, n)}));
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
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, matricesOf(context, kLapackType<T>));
  const int k = std::min(x.rows, x.columns);
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out,
                           MatrixResults::of(context, {x.matrix(kLapackType<T>, x.rows, x.columns),
                                                       x.vector(kLapackInt, k), x.number(kLapackInt)}));
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
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, squaresOf(context, kLapackType<T>));
  TESSERA_ASSIGN_OR_RETURN(const char triangle, configTriangle(context));
  TESSERA_ASSIGN_OR_RETURN(
      MatrixResults out, MatrixResults::of(context, {x.matrix(kLapackType<T>, x.rows, x.rows), x.number(kLapackInt)}));
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
  TESSERA_ASSIGN_OR_RETURN(const MatrixBatch x, matricesOf(context, kLapackType<T>));
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
  TESSERA_TRY(expectOperand(context, 1, x.matrix(kLapackType<T>, m, n)));
  if ((side == 'L' ? m : n) != x.rows || std::max(m, n) > std::numeric_limits<int>::max())
    return failUnsupported("the triangular matrix does not fit the right sides");
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out, MatrixResults::of(context, {x.matrix(kLapackType<T>, m, n)}));
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
  const Shape line = b.vector(kLapackType<T>, n), matrix = b.matrix(kLapackType<T>, n, sides);
  for (size_t i = 0; i < 3; ++i) TESSERA_TRY(expectOperand(context, i, line));
  TESSERA_TRY(expectOperand(context, 3, matrix));
  TESSERA_ASSIGN_OR_RETURN(MatrixResults out,
                           MatrixResults::of(context, {line, line, line, matrix, b.number(kLapackInt)}));
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

#define TESSERA_ROUTINES(T)                                  \
  template Result<Literal> geqrf<T>(const EvaluateContext&); \
  template Result<Literal> geqp3<T>(const EvaluateContext&); \
  template Result<Literal> orgqr<T>(const EvaluateContext&); \
  template Result<Literal> ormqr<T>(const EvaluateContext&); \
  template Result<Literal> getrf<T>(const EvaluateContext&); \
  template Result<Literal> potrf<T>(const EvaluateContext&); \
  template Result<Literal> trsm<T>(const EvaluateContext&);  \
  template Result<Literal> gtsv<T>(const EvaluateContext&);
TESSERA_LAPACK_TYPES(TESSERA_ROUTINES)
#undef TESSERA_ROUTINES

}  // namespace tessera
