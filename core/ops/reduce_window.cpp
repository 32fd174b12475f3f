// reduce-window: reduces every position of a sliding window. Variadic like reduce. Elements outside the input take no
// part, so the result does not depend on whether the initial value is neutral for padding.
#include <fmt/format.h>

#include "core/base/result.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/accumulation.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/op_cost.h"
#include "core/ops/shared/scalar_callee.h"
#include "core/ops/shared/scalar_function.h"
#include "core/ops/shared/window_math.h"

namespace tessera {
namespace {

constexpr OperandDoc kReduceWindowOperands[] = {
    {"inputs", "N arrays of equal dimensions"},
    {"init_values", "N scalars that every window starts from"},
};

constexpr AttributeRow kReduceWindowAttributes[] = {
    {Attr::window, false, "", "size, stride, padding and dilations per dimension; scalars need none"},
    {Attr::to_apply, true, "", "computation (accumulators, values) -> accumulators; associative"},
};

constexpr Constraint kReduceWindowConstraints[] = {
    {"C1", "There are as many initial values as inputs, and at least one of each."},
    {"C2", "All inputs are arrays of equal dimensions."},
    {"C3", "Each initial value is a scalar of its input's type (floats may differ in width)."},
    {"C4", "`window` has one dimension per dimension of the inputs."},
    {"C5", "Sizes, strides and dilations of the window are positive."},
    {"C6", "`to_apply` takes 2N scalars and gives N: (accumulators, values) -> accumulators."},
};

Result<Shape> inferReduceWindow(const InferContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const size_t n, checkReductionOperands(context));
  const Shape& input = context.operand(0);
  const Window window = windowOr(*context.attributes, 0);
  if (window.dimensions.size() != input.dimensions.size())
    return context.violated("C4", "the window has another number of dimensions", std::to_string(input.rank()),
                            std::to_string(window.dimensions.size()));
  TESSERA_TRY(checkWindow(context, window, "C5"));
  std::vector<ElementType> types;
  for (size_t i = 0; i < n; ++i) types.push_back(context.operand(i).type);
  TESSERA_ASSIGN_OR_RETURN(const auto results, reducerTypes(context, "C6", types));
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < input.dimensions.size(); ++d) {
    const auto positions = windowPositions(window.dimensions[d], input.dimensions[d]);
    if (!positions) return context.violated("C5", fmt::format("the size of dimension {} overflows", d));
    sizes.push_back(*positions);
  }
  std::vector<Shape> shapes;
  for (ElementType type : results) shapes.push_back(Shape::array(type, sizes));
  return arrayOrTuple(std::move(shapes), givesTuple(context));
}

void reduceWindowLayout(const InferContext& context, Shape& result) {
  const auto& layout = context.operand(0).layout;
  if (!layout || !layout->isPlain()) return fillDefaultLayouts(result);
  if (!result.isTuple()) result.layout = layout;
  for (Shape& element : result.elements) element.layout = layout;
}

// The element of the input that a window position sees, as an offset; nullopt in padding and holes.
std::optional<int64_t> sourceOffset(const Window& window, const Shape& input, std::span<const int64_t> strides,
                                    std::span<const int64_t> position, std::span<const int64_t> inWindow) {
  int64_t offset = 0;
  for (size_t d = 0; d < position.size(); ++d) {
    const auto source = windowSource(window.dimensions[d], input.dimensions[d], position[d], inWindow[d]);
    if (!source) return std::nullopt;
    offset += *source * strides[d];
  }
  return offset;
}

void loadInitialValues(const EvaluateContext& context, std::vector<ScalarValue>& sums) {
  for (size_t i = 0; i < sums.size(); ++i) {
    const Literal& initial = context.operands[sums.size() + i];
    sums[i] = loadScalar(initial.shape().type, initial.bytes().data());
  }
}

Result<Literal> evaluateReduceWindow(const EvaluateContext& context) {
  std::vector<Literal> outputs;
  std::vector<ElementType> results, parameters;
  for (const Shape& leaf : resultLeaves(context.shape)) {
    TESSERA_ASSIGN_OR_RETURN(Literal output, Literal::allocate(leaf));
    outputs.push_back(std::move(output));
    results.push_back(leaf.type);
  }
  const size_t n = outputs.size();
  parameters = results;
  for (size_t i = 0; i < n; ++i) parameters.push_back(context.operands[i].shape().type);
  ScalarFunction reducer(context, 0, parameters, results);
  reducer.keepPrecision();
  const Shape& input = context.operands[0].shape();
  const Window window = windowOr(*context.instruction.attributes, input.dimensions.size());
  const IndexVector strides = rowMajorStrides(input.dimensions), sizes = windowSizes(window);
  std::vector<ScalarValue> scalars(2 * n), sums(n);
  Status status;
  size_t cell = 0;
  uint32_t steps = 0;  // of positions and window elements, most of which may see nothing
  const auto goesOn = [&] {
    if (++steps % 65536 == 0 && context.cancelled && context.cancelled()) status = failCancelled();
    return status.has_value();
  };
  forEachIndex(outputs[0].shape().dimensions, [&](const IndexVector& position) {
    loadInitialValues(context, sums);
    forEachIndex(sizes, [&](const IndexVector& inWindow) {
      const auto offset = sourceOffset(window, input, strides, position, inWindow);
      if (!offset) return goesOn();
      for (size_t i = 0; i < n; ++i) {
        const ElementType type = parameters[n + i];
        scalars[i] = sums[i];
        scalars[n + i] = loadScalar(type, context.operands[i].bytes().data() + *offset * byteWidth(type));
      }
      status = reducer.apply(scalars, sums);
      return goesOn();
    });
    for (size_t i = 0; i < n; ++i)
      storeScalar(results[i], outputs[i].mutableBytes().data() + cell * static_cast<size_t>(byteWidth(results[i])),
                  sums[i]);
    ++cell;
    return goesOn();
  });
  TESSERA_TRY(status);
  return literalOrTuple(std::move(outputs), context.shape.isTuple());
}

Status reduceWindowElement(ElementContext& context) {
  const size_t n = context.instruction.operands.size() / 2;
  const Shape& input = context.operandShape(0);
  const Window window = windowOr(context.attributes(), input.dimensions.size());
  std::vector<ElementType> types;
  for (const Shape& leaf : resultLeaves(context.shape())) types.push_back(leaf.type);
  ElementBuilder& builder = context.builder;
  ReducerNodes reducer(context.module, context.instruction, 0, builder, context.callFn, types);
  std::vector<NodeId> inits;
  for (size_t i = 0; i < n; ++i) {
    TESSERA_ASSIGN_OR_RETURN(const NodeId init, context.read(n + i, {}));
    inits.push_back(init);
  }
  const auto body = [&](std::span<const NodeId> loop, std::span<const NodeId> sums) -> Result<std::vector<NodeId>> {
    const auto at = windowRead(builder, window, input.dimensions, context.indices, loop);
    std::vector<NodeId> values;
    for (size_t i = 0; i < n; ++i) {
      const NodeId otherwise = builder.zero(context.operandShape(i).type);
      TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.readIf(at.present, i, at.indices, otherwise));
      values.push_back(value);
    }
    TESSERA_ASSIGN_OR_RETURN(std::vector<NodeId> next, reducer.apply(sums, values));
    for (size_t i = 0; i < n; ++i) next[i] = builder.select(at.present, next[i], sums[i]);
    return next;
  };
  const auto start = reducer.start(inits);
  TESSERA_ASSIGN_OR_RETURN(const auto sums, builder.loop(windowSizes(window), start, body));
  context.results = reducer.finish(sums);
  return {};
}

DimensionRelations reduceWindowDimensions(const InferContext& context) {
  DimensionRelations out;
  const size_t n = context.operands.size() / 2;
  const Shape& input = context.operand(0);
  const Window window = windowOr(*context.attributes, input.dimensions.size());
  for (size_t k = 1; k < n; ++k)
    out.sameArray(DimensionRef::operand(k, 0), context.operand(k), DimensionRef::operand(0, 0), input);
  for (size_t leaf = 0; leaf < n; ++leaf)
    for (size_t d = 0; d < input.dimensions.size(); ++d) {
      const WindowDimension& w = window.dimensions[d];
      const bool isWhole = w.size > 1 && w.size == input.dimensions[d];
      for (size_t k = 0; k < n; ++k)
        out.windowed(DimensionRef::result(d, leaf), DimensionRef::operand(k, d), w,
                     isWhole ? "the window is as long as the dimension" : "");
    }
  return out;
}

Cost reduceWindowCost(const CostContext& context) {
  return appliedCost(context, 0, (windowElements(context) - 1) * elementsOf(context.shape()));
}

}  // namespace

const OpDef kReduceWindow = {
    .opcode = Opcode::ReduceWindow,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::Reduction},
    .summary = "Reduces each position of a sliding window",
    .doc =
        "Pooling and cumulative sums. Each result element reduces the input elements under one position of the window, "
        "starting from the initial value; padding and dilation holes take no part. Along a dimension of $n$ elements "
        "there are $\\lfloor (n' + low + high - w') / stride \\rfloor + 1$ positions, with dilated $n'$, $w'$.",
    .synonyms = "pool",
    .title = "{windowed reduction}",
    .operands = kReduceWindowOperands,
    .attributes = kReduceWindowAttributes,
    .constraints = kReduceWindowConstraints,
    .inferShape = inferReduceWindow,
    .inferLayout = reduceWindowLayout,
    .cost = reduceWindowCost,
    .evaluate = evaluateReduceWindow,
    .element = reduceWindowElement,
    .dimensions = reduceWindowDimensions,
};

}  // namespace tessera
