// Targets that jaxlib's CPU programs call beside LAPACK: the best k of each line by a comparator of the program
// (`ApproxTopK`, exact here as on XLA:CPU), a sparse matrix by a dense one (`cpu_csr_sparse_dense_ffi`), and
// tridiagonal systems whose zero pivots are perturbed (`tridiagonal_solve_perturbed_ffi`).
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "core/base/result.h"
#include "core/custom_calls/custom_calls.h"
#include "core/custom_calls/matrix_factors.h"
#include "core/ops/shared/accumulation.h"
#include "core/ops/shared/evaluate_loops.h"
#include "core/ops/shared/scalar_callee.h"

namespace tessera {
namespace {

std::vector<Shape> leavesAsShapes(const Shape& shape) {
  std::vector<Shape> out;
  for (const ShapeLeaf& leaf : leavesOf(shape)) out.push_back(withoutLayout(*leaf.shape));
  return out;
}

// --- ApproxTopK(values…, initial values…): each line of one dimension sorted by the comparator, its first k
// elements

struct Lines {
  int64_t outer = 1, length = 1, inner = 1;
  Lines(const Shape& shape, size_t along) {
    for (size_t d = 0; d < shape.dimensions.size(); ++d)
      (d < along ? outer : d == along ? length : inner) *= shape.dimensions[d];
  }
};

Result<std::vector<int64_t>> sortedPlaces(const EvaluateContext& context, size_t arrays, const Lines& lines,
                                          int64_t line) {
  std::vector<int64_t> order(static_cast<size_t>(lines.length));
  std::iota(order.begin(), order.end(), int64_t{0});
  const int64_t base = line / lines.inner * lines.length * lines.inner + line % lines.inner;
  const auto scalar = [&](size_t array, int64_t at) -> Result<Literal> {
    const Literal& from = context.operands[array];
    const auto width = static_cast<size_t>(byteWidth(from.shape().type));
    return Literal::fromBytes(Shape::arrayRowMajor(from.shape().type, {}),
                              from.bytes().subspan(static_cast<size_t>(base + at * lines.inner) * width, width));
  };
  Status status;
  const auto before = [&](int64_t a, int64_t b) {
    std::vector<Literal> arguments;
    for (size_t i = 0; i < arrays && status; ++i)
      for (int64_t at : {a, b}) {
        auto value = scalar(i, at);
        if (!value)
          status = std::unexpected(value.error());
        else
          arguments.push_back(std::move(*value));
      }
    if (!status) return false;
    auto less = context.call(0, arguments);
    if (!less) status = std::unexpected(less.error());
    return status && less->bytes()[0] != std::byte{0};
  };
  // Inserted one by one by halves: a comparator that is no order cannot break this.
  std::vector<int64_t> out;
  for (int64_t each : order) {
    size_t low = 0, high = out.size();
    while (low < high && status) {
      const size_t middle = (low + high) / 2;
      if (before(each, out[middle]))
        high = middle;
      else
        low = middle + 1;
    }
    TESSERA_TRY(status);
    out.insert(out.begin() + static_cast<int64_t>(low), each);
  }
  return out;
}

Result<Literal> bestOfLines(const EvaluateContext& context) {
  const size_t arrays = context.operands.size() / 2;
  const std::vector<Shape> results = leavesAsShapes(context.shape);
  const auto along = static_cast<size_t>(configNumber(context.instruction, "reduction_dim").value_or(-1));
  const bool fits = arrays > 0 && results.size() == arrays && context.call && context.operands[0].shape().isArray() &&
                    along < context.operands[0].shape().dimensions.size();
  if (!fits)
    return failUnsupported("\"ApproxTopK\" takes arrays, as many initial values, a comparator and reduction_dim");
  const Lines from(context.operands[0].shape(), along), to(results[0], along);
  if (from.outer != to.outer || from.inner != to.inner || to.length > from.length)
    return failUnsupported("\"ApproxTopK\" cannot give " + toString(context.shape, false));
  std::vector<Literal> out;
  for (size_t i = 0; i < arrays; ++i) {
    if (context.operands[i].shape().dimensions != context.operands[0].shape().dimensions ||
        results[i].type != context.operands[i].shape().type || results[i].dimensions != results[0].dimensions)
      return failUnsupported("\"ApproxTopK\" takes and gives arrays of one size each");
    TESSERA_ASSIGN_OR_RETURN(Literal result, Literal::allocate(results[i]));
    out.push_back(std::move(result));
  }
  for (int64_t line = 0; line < from.outer * from.inner; ++line) {
    TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t> places, sortedPlaces(context, arrays, from, line));
    for (size_t i = 0; i < arrays; ++i)
      for (int64_t k = 0; k < to.length; ++k)
        copyElement(out[i].mutableBytes().data(), (line / to.inner * to.length + k) * to.inner + line % to.inner,
                    context.operands[i].bytes().data(),
                    (line / from.inner * from.length + places[static_cast<size_t>(k)]) * from.inner + line % from.inner,
                    static_cast<size_t>(byteWidth(results[i].type)));
  }
  return context.shape.isTuple() ? Literal::tuple(std::move(out)) : std::move(out[0]);
}

// --- a sparse matrix in compressed rows by a dense matrix or vector: (data, row starts, columns, dense)

std::vector<int64_t> integersOf(const Literal& literal) {
  std::vector<int64_t> out;
  const ElementType type = literal.shape().type;
  for (int64_t i = 0; i < literal.elementCount(); ++i)
    out.push_back(loadInt(type, literal.bytes().data() + i * byteWidth(type)));
  return out;
}

template <class Acc>
Status multiplyRows(const EvaluateContext& context, Literal& out) {
  const auto data = elementsAs<Acc>(context.operands[0]), dense = elementsAs<Acc>(context.operands[3]);
  const std::vector<int64_t> starts = integersOf(context.operands[1]), columns = integersOf(context.operands[2]);
  const Shape& right = context.operands[3].shape();
  const int64_t wide = right.rank() == 2 ? right.dimensions[1] : 1, rows = out.shape().dimensions[0];
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t j = 0; j < wide; ++j) {
      Acc sum{};
      for (int64_t at = starts[static_cast<size_t>(row)]; at < starts[static_cast<size_t>(row) + 1]; ++at) {
        if (at < 0 || at >= static_cast<int64_t>(data.size()))
          return fail(ErrorKind::Runtime, fmt::format("row {} of the sparse matrix lies outside its data", row));
        const int64_t column = columns[static_cast<size_t>(at)];
        if (column < 0 || column >= right.dimensions[0])
          return fail(ErrorKind::Runtime, fmt::format("the sparse matrix has no column {}", column));
        sum += data[static_cast<size_t>(at)] * dense[static_cast<size_t>(column * wide + j)];
      }
      const ElementType type = out.shape().type;
      storeFrom<Acc>(type, out.mutableBytes().data() + (row * wide + j) * byteWidth(type), sum);
    }
  return {};
}

Result<Literal> sparseByDense(const EvaluateContext& context) {
  TESSERA_TRY(expectOperandCount(context, 4));
  const auto rank = [&](size_t i) {
    return context.operands[i].shape().isArray() ? context.operands[i].shape().rank() : -1;
  };
  const bool fits = rank(0) == 1 && rank(1) == 1 && rank(2) == 1 && (rank(3) == 1 || rank(3) == 2) &&
                    context.shape.isArray() &&
                    context.operands[2].shape().dimensions == context.operands[0].shape().dimensions &&
                    isInteger(context.operands[1].shape().type) && isInteger(context.operands[2].shape().type);
  if (!fits) return failUnsupported("a sparse product takes data, row starts, columns and a dense array");
  std::vector<int64_t> dims = context.operands[3].shape().dimensions;
  dims[0] = context.operands[1].shape().dimensions[0] - 1;
  if (dims != context.shape.dimensions)
    return failUnsupported("this sparse product cannot give " + toString(context.shape, false));
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(withoutLayout(context.shape)));
  TESSERA_TRY(visitAccumulation(context.operands[0].shape().type, context.operands[3].shape().type,
                                [&](auto tag) { return multiplyRows<typename decltype(tag)::Type>(context, out); }));
  return out;
}

// --- tridiagonal systems: elimination with row exchanges; a pivot that is next to nothing is moved away from 0

template <class T>
struct Band {
  std::vector<T> below, diagonal, above;  // below[i] and above[i] are in row i
};

// x becomes the solution; n × sides, column by column.
template <class T>
void solvePerturbed(Band<T> a, std::vector<T>& x, int64_t n, int64_t sides) {
  using Real = RealOf<T>;
  const auto at = [](std::vector<T>& v, int64_t i) -> T& { return v[static_cast<size_t>(i)]; };
  std::vector<T> second(static_cast<size_t>(n));  // what an exchange leaves two beside the diagonal
  for (int64_t i = 0; i + 1 < n; ++i) {
    T &pivot = at(a.diagonal, i), &next = at(a.below, i + 1);
    if (std::abs(next) > std::abs(pivot)) {
      std::swap(pivot, next);
      std::swap(at(a.above, i), at(a.diagonal, i + 1));
      at(second, i) = i + 2 < n ? at(a.above, i + 1) : T();
      at(a.above, i + 1) = T();
      for (int64_t s = 0; s < sides; ++s) std::swap(at(x, s * n + i), at(x, s * n + i + 1));
    }
    if (pivot == T()) continue;  // then the element below is 0, too
    const T factor = next / pivot;
    at(a.diagonal, i + 1) -= factor * at(a.above, i);
    at(a.above, i + 1) -= factor * at(second, i);
    for (int64_t s = 0; s < sides; ++s) at(x, s * n + i + 1) -= factor * at(x, s * n + i);
  }
  Real largest = 0;
  for (int64_t i = 0; i < n; ++i)
    largest = std::max({largest, std::abs(at(a.diagonal, i)), i + 1 < n ? std::abs(at(a.above, i)) : Real(0),
                        std::abs(at(second, i))});
  const Real least = std::numeric_limits<Real>::epsilon() * (largest == 0 ? Real(1) : largest);
  for (int64_t i = n; i-- > 0;) {
    T& pivot = at(a.diagonal, i);
    if (std::abs(pivot) < least) pivot = std::real(pivot) < 0 ? T(-least) : T(least);
    for (int64_t s = 0; s < sides; ++s) {
      T& value = at(x, s * n + i);
      if (i + 1 < n) value -= at(a.above, i) * at(x, s * n + i + 1);
      if (i + 2 < n) value -= at(second, i) * at(x, s * n + i + 2);
      value /= pivot;
    }
  }
}

template <class T>
Result<Literal> solveBands(const EvaluateContext& context) {
  const Shape& right = context.operands[3].shape();
  const size_t rank = right.dimensions.size();
  const int64_t n = right.dimensions[rank - 2], sides = right.dimensions[rank - 1];
  std::vector<int64_t> lines(right.dimensions.begin(), right.dimensions.end() - 1);
  for (size_t i = 0; i < 3; ++i) TESSERA_TRY(expectOperand(context, i, Shape::arrayRowMajor(right.type, lines)));
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(withoutLayout(right)));
  const int64_t count = n * sides > 0 ? right.elementCount().value_or(0) / (n * sides) : 0;
  for (int64_t item = 0; item < count; ++item) {
    std::vector<T> x = columnsOf<T>(context.operands[3], item, static_cast<int>(n), static_cast<int>(sides));
    const int length = static_cast<int>(n);
    solvePerturbed<T>({rowOf<T>(context.operands[0], item, length), rowOf<T>(context.operands[1], item, length),
                       rowOf<T>(context.operands[2], item, length)},
                      x, n, sides);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t s = 0; s < sides; ++s)
        out.mutableData<T>()[static_cast<size_t>((item * n + i) * sides + s)] = x[static_cast<size_t>(s * n + i)];
  }
  return out;
}

Result<Literal> perturbedTridiagonal(const EvaluateContext& context) {
  TESSERA_TRY(expectOperandCount(context, 4));
  const Shape& right = context.operands[3].shape();
  const bool fits =
      right.isArray() && right.rank() >= 2 && compatible(right, context.shape) &&
      std::ranges::all_of(right.dimensions, [](int64_t d) { return d < std::numeric_limits<int>::max(); });
  if (!fits) return failUnsupported("tridiagonal systems take right sides as matrices, and give their shape");
  switch (right.type) {
    case ElementType::F32: return solveBands<float>(context);
    case ElementType::F64: return solveBands<double>(context);
    case ElementType::C64: return solveBands<std::complex<float>>(context);
    case ElementType::C128: return solveBands<std::complex<double>>(context);
    default: return failUnsupported("tridiagonal systems of " + std::string(nameOf(right.type)) + " are not solved");
  }
}

constexpr CustomCallTarget kArrayTargets[] = {{"ApproxTopK", bestOfLines},
                                              {"cpu_csr_sparse_dense_ffi", sparseByDense},
                                              {"tridiagonal_solve_perturbed_ffi", perturbedTridiagonal}};

}  // namespace

std::span<const CustomCallTarget> arrayTargets() { return kArrayTargets; }

}  // namespace tessera
