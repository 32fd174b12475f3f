// sort: orders the elements along one dimension by a comparator; further operands are moved along with the first.
// Always stable, which the unstable form allows.
#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "core/base/result.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/accumulation.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/op_cost.h"
#include "core/ops/shared/scalar_callee.h"
#include "core/ops/shared/scalar_function.h"

namespace tessera {
namespace {

constexpr OperandDoc kSortOperands[] = {{"operands", "N arrays of equal dimensions, moved together"}};

constexpr AttributeRow kSortAttributes[] = {
    {Attr::dimensions, true, "", "the one dimension that is sorted along"},
    {Attr::is_stable, false, "false", "equal elements keep their order"},
    {Attr::to_apply, true, "", "comparator (a0, b0, a1, b1, …) -> pred: a comes before b"},
};

constexpr Constraint kSortConstraints[] = {
    {"C1", "There is at least one operand, and all are arrays of equal dimensions."},
    {"C2", "`dimensions` names one dimension of the operands."},
    {"C3", "`to_apply` takes two scalars of each operand's type, in order of operands, and gives a pred."},
};

Result<Shape> inferSort(const InferContext& context) {
  TESSERA_TRY(checkEqualDimensions(context, "C1"));
  const Shape& first = context.operand(0);
  const auto& dims = context.attributes->ints(Attr::dimensions);
  if (dims.size() != 1 || badDimension(dims, first.rank()))
    return context.violated("C2", "sort runs along one dimension", fmt::format("one dimension below {}", first.rank()),
                            fmt::format("{{{}}}", fmt::join(dims, ",")));
  const size_t n = context.operands.size();
  bool fits = !context.computations.empty() && context.computations[0].parameters.size() == 2 * n &&
              context.computations[0].result.isScalar() && context.computations[0].result.type == ElementType::Pred;
  for (size_t i = 0; fits && i < 2 * n; ++i) {
    const Shape& parameter = context.computations[0].parameters[i];
    fits = parameter.isScalar() && parameter.type == context.operand(i / 2).type;
  }
  if (!fits) return context.violated("C3", "the comparator does not fit the operands");
  std::vector<Shape> shapes;
  for (const Shape* operand : context.operands) shapes.push_back(withoutLayout(*operand));
  return arrayOrTuple(std::move(shapes));
}

void sortLayout(const InferContext& context, Shape& result) {
  const auto& layout = context.operand(0).layout;
  if (!layout || !layout->isPlain()) return fillDefaultLayouts(result);
  if (!result.isTuple()) result.layout = layout;
  for (Shape& element : result.elements) element.layout = layout;
}

// One line of elements along the sorted dimension: orders 0 … size-1.
class LineSorter {
 public:
  LineSorter(const EvaluateContext& context, std::vector<ElementType> types)
      : context_(context),
        types_(std::move(types)),
        comparator_(context, 0, doubled(types_), {ElementType::Pred}),
        arguments_(2 * types_.size()) {}

  // Element i of the line is at base + i * step in each operand.
  Status sort(int64_t base, int64_t step, std::span<int64_t> order) {
    std::vector<ScalarValue> values(order.size() * types_.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t operand = i % types_.size();
      const int64_t offset = base + static_cast<int64_t>(i / types_.size()) * step;
      values[i] =
          loadScalar(types_[operand], context_.operands[operand].bytes().data() + offset * byteWidth(types_[operand]));
    }
    std::iota(order.begin(), order.end(), int64_t{0});
    Status status;
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      if (!status) return false;
      for (size_t i = 0; i < types_.size(); ++i) {
        arguments_[2 * i] = values[static_cast<size_t>(a) * types_.size() + i];
        arguments_[2 * i + 1] = values[static_cast<size_t>(b) * types_.size() + i];
      }
      ScalarValue before;
      status = comparator_.apply(arguments_, std::span(&before, 1));
      return before.bits != 0;
    });
    return status;
  }

 private:
  static std::vector<ElementType> doubled(const std::vector<ElementType>& types) {
    std::vector<ElementType> out;
    for (ElementType type : types) out.insert(out.end(), 2, type);
    return out;
  }

  const EvaluateContext& context_;
  std::vector<ElementType> types_;
  ScalarFunction comparator_;
  std::vector<ScalarValue> arguments_;
};

Result<Literal> evaluateSort(const EvaluateContext& context) {
  std::vector<Literal> outputs;
  std::vector<ElementType> types;
  for (const Shape& leaf : resultLeaves(context.shape)) {
    TESSERA_ASSIGN_OR_RETURN(Literal output, Literal::allocate(leaf));
    outputs.push_back(std::move(output));
    types.push_back(leaf.type);
  }
  const Shape& shape = context.operands[0].shape();
  const auto along = static_cast<size_t>(context.instruction.attributes->ints(Attr::dimensions).at(0));
  const IndexVector strides = rowMajorStrides(shape.dimensions);
  IndexVector lines = shape.dimensions;
  lines[along] = std::min<int64_t>(lines[along], 1);
  std::vector<int64_t> order(static_cast<size_t>(shape.dimensions[along]));
  LineSorter sorter(context, types);
  Status status;
  forEachIndex(lines, [&](const IndexVector& line) {
    if (!status) return;
    if (isCancelled(context)) status = failCancelled();
    const int64_t base = linearIndexOf(line, strides), step = strides[along];
    if (status) status = sorter.sort(base, step, order);
    for (size_t i = 0; i < order.size(); ++i)
      for (size_t k = 0; k < outputs.size(); ++k) {
        const auto width = static_cast<size_t>(byteWidth(types[k]));
        std::memcpy(
            outputs[k].mutableBytes().data() + static_cast<size_t>(base + static_cast<int64_t>(i) * step) * width,
            context.operands[k].bytes().data() + static_cast<size_t>(base + order[i] * step) * width, width);
      }
  });
  TESSERA_TRY(status);
  return literalOrTuple(std::move(outputs));
}

DimensionRelations sortDimensions(const InferContext& context) {
  DimensionRelations out = relationsOfElementwise(context);
  for (size_t k = 1; k < context.operands.size(); ++k)
    out.sameArray(DimensionRef::operand(k, 0), context.operand(k), DimensionRef::operand(0, 0), context.operand(0));
  for (DimensionRelation& row : out.rows)
    if (containsDim(context.attributes->ints(Attr::dimensions), row.to.dimension)) row.aligned = false;
  return out;
}

Cost sortCost(const CostContext& context) {
  constexpr double kMax = 9e18;  // fits 64 bits
  const double n = elementsOf(context.operand(0));
  const double rounds = n <= 1 ? 0 : std::bit_width(static_cast<uint64_t>(std::min(n, kMax)) - 1);
  return usualCost(context, n * rounds);
}

}  // namespace

const OpDef kSort = {
    .opcode = Opcode::Sort,
    .kind = ExecutionKind::Library,
    .category = {OpCategory::DataMovement, kMovesData},
    .summary = "Sorts along a dimension with a comparator",
    .doc =
        "Every line of elements along the dimension is ordered so that no later element comes before an earlier one by "
        "the comparator. With N operands the comparator sees all of them at both positions and all are moved together; "
        "the result is a tuple.",
    .synonyms = "order argsort",
    .title = "sort{over dimensions}",
    .operands = kSortOperands,
    .attributes = kSortAttributes,
    .constraints = kSortConstraints,
    .inferShape = inferSort,
    .inferLayout = sortLayout,
    .cost = sortCost,
    .evaluate = evaluateSort,
    .dimensions = sortDimensions,
};

}  // namespace tessera
