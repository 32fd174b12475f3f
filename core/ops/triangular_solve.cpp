// triangular-solve: op(a) x = b or x op(a) = b for triangular a, by substitution in double precision, matrix by matrix.
#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/accumulation.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/evaluate_loops.h"

namespace tessera {
namespace {

constexpr OperandDoc kTriangularSolveOperands[] = {{"a", "triangular matrices in the last two dimensions"},
                                                   {"b", "the right-hand sides"}};
constexpr AttributeRow kTriangularSolveAttributes[] = {
    {Attr::left_side, false, "false", "true: op(a) x = b, else x op(a) = b"},
    {Attr::lower, false, "false", "which triangle of a is read"},
    {Attr::unit_diagonal, false, "false", "the diagonal counts as 1 and is not read"},
    {Attr::transpose_a, false, "", "what op does to a", "NO_TRANSPOSE TRANSPOSE ADJOINT"},
};
constexpr Constraint kTriangularSolveConstraints[] = {
    {"C1", "Both operands have floats or complex numbers of one type."},
    {"C2", "Both operands have the same rank of at least 2, and equal batch dimensions."},
    {"C3", "The matrices of a are square."},
    {"C4", "b has as many rows (left_side) or columns as a."},
    {"C5", "transpose_a says NO_TRANSPOSE, TRANSPOSE or ADJOINT."},
};

Status checkDimensions(const InferContext& context) {
  const auto &a = context.operand(0).dimensions, &b = context.operand(1).dimensions;
  const size_t rank = a.size();
  if (rank < 2 || b.size() != rank || !std::equal(a.begin(), a.end() - 2, b.begin()))
    return context.violated("C2", "the operands differ in rank or batch dimensions",
                            toString(context.operand(0), false), toString(context.operand(1), false));
  if (a[rank - 1] != a[rank - 2])
    return context.violated("C3", "the matrix is not square", "equal last dimensions",
                            toString(context.operand(0), false));
  const size_t shared = context.attributes->boolOr(Attr::left_side, false) ? rank - 2 : rank - 1;
  if (b[shared] != a[rank - 1])
    return context.violated("C4", fmt::format("dimension {} of b does not fit a", shared),
                            fmt::format("{}", a[rank - 1]), fmt::format("{}", b[shared]));
  return {};
}

Result<Shape> inferTriangularSolve(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 2));
  const Shape &a = context.operand(0), &b = context.operand(1);
  if ((!isFloat(a.type) && !isComplex(a.type)) || !sameButPrecision(a.type, b.type))
    return context.violated("C1", "the operands do not have one type of floats or complex numbers",
                            std::string(nameOf(a.type)), std::string(nameOf(b.type)));
  TESSERA_TRY(checkDimensions(context));
  const std::string_view transpose = context.attributes->textOr(Attr::transpose_a, "");
  if (transpose != "NO_TRANSPOSE" && transpose != "TRANSPOSE" && transpose != "ADJOINT")
    return context.violated("C5", "transpose_a is needed", "NO_TRANSPOSE, TRANSPOSE or ADJOINT",
                            transpose.empty() ? "nothing" : std::string(transpose));
  return withoutLayout(b);
}

void layoutOfB(const InferContext& context, Shape& result) {
  const auto& layout = context.operand(1).layout;
  if (layout && layout->isPlain()) result.layout = layout;
  fillDefaultLayouts(result);
}

// One matrix m with a way to look at it: transposed, conjugated.
template <class T>
struct Triangle {
  const T* data;
  size_t n;
  bool transposed, conjugated, unit;
  T at(size_t i, size_t j) const {
    if (i == j && unit) return T(1);
    const T value = transposed ? data[j * n + i] : data[i * n + j];
    return conjugated ? conjugate(value) : value;
  }
};

// m x = b in place, x being a column of n elements, `step` apart; forward for a lower triangle.
template <class T>
void substitute(const Triangle<T>& m, bool lower, T* x, size_t step) {
  for (size_t k = 0; k < m.n; ++k) {
    const size_t i = lower ? k : m.n - 1 - k;
    T sum = x[i * step];
    const size_t first = lower ? 0 : i + 1, last = lower ? i : m.n;
    for (size_t j = first; j < last; ++j) sum -= m.at(i, j) * x[j * step];
    x[i * step] = m.unit ? sum : sum / m.at(i, i);
  }
}

template <class T>
Result<Literal> solveAs(const EvaluateContext& context) {
  const AttributeSet& attributes = *context.instruction.attributes;
  const std::vector<T> a = elementsAs<T>(context.operands[0]);
  std::vector<T> x = elementsAs<T>(context.operands[1]);
  const auto &aDims = context.operands[0].shape().dimensions, &bDims = context.shape.dimensions;
  const auto n = static_cast<size_t>(aDims.back()), rows = static_cast<size_t>(bDims[bDims.size() - 2]),
             columns = static_cast<size_t>(bDims.back());
  const bool left = attributes.boolOr(Attr::left_side, false);
  const std::string_view op = attributes.textOr(Attr::transpose_a, "NO_TRANSPOSE");
  // x op(a) = b is op(a)ᵀ xᵀ = bᵀ.
  const bool transposed = (op != "NO_TRANSPOSE") == left;
  const bool lower = attributes.boolOr(Attr::lower, false) != transposed;
  for (size_t batch = 0; n != 0 && batch * rows * columns < x.size(); ++batch) {
    if (isCancelled(context)) return failCancelled();
    const Triangle<T> m{a.data() + batch * n * n, n, transposed, op == "ADJOINT",
                        attributes.boolOr(Attr::unit_diagonal, false)};
    T* matrix = x.data() + batch * rows * columns;
    for (size_t c = 0; left && c < columns; ++c) substitute(m, lower, matrix + c, columns);
    for (size_t r = 0; !left && r < rows; ++r) substitute(m, lower, matrix + r * columns, 1);
  }
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(context.shape));
  storeElements(out, 0, std::span<const T>(x));
  return out;
}

Result<Literal> evaluateTriangularSolve(const EvaluateContext& context) {
  return isComplex(context.shape.type) ? solveAs<std::complex<double>>(context) : solveAs<double>(context);
}

DimensionRelations triangularSolveDimensions(const InferContext& context) {
  DimensionRelations out = relationsOfOperand<1>(context);
  const size_t rank = context.operand(0).dimensions.size();
  for (size_t d = rank - 2; d < rank; ++d) out.rows[d].aligned = false;
  for (size_t d = 0; d + 2 < rank; ++d) out.same(DimensionRef::result(d), DimensionRef::operand(0, d));
  const size_t solved = context.attributes->boolOr(Attr::left_side, false) ? rank - 2 : rank - 1;
  out.same(DimensionRef::operand(0, rank - 2), DimensionRef::operand(0, rank - 1), false);
  out.same(DimensionRef::operand(0, rank - 1), DimensionRef::operand(1, solved), false);
  return out;
}

}  // namespace

const OpDef kTriangularSolve = {
    .opcode = Opcode::TriangularSolve,
    .kind = ExecutionKind::Library,
    .category = {OpCategory::LinearAlgebra},
    .summary = "Solves linear systems with a triangular matrix",
    .doc =
        "$op(a) x = b$ when left_side, else $x\\, op(a) = b$, for each matrix of the batch. The other triangle of $a$ "
        "is not read, nor its diagonal when it is the unit. $op$ is the identity, the transpose or the conjugate "
        "transpose. A zero on the diagonal divides by zero as floats do. Computed in double precision.",
    .operands = kTriangularSolveOperands,
    .attributes = kTriangularSolveAttributes,
    .constraints = kTriangularSolveConstraints,
    .inferShape = inferTriangularSolve,
    .inferLayout = layoutOfB,
    .evaluate = evaluateTriangularSolve,
    .dimensions = triangularSolveDimensions,
};

}  // namespace tessera
