// reduce: combines the elements along some dimensions with a called computation. Variadic: N arrays of equal
// dimensions with N initial values give N results (arg-max carries value and position).
#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/accumulation.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/op_cost.h"
#include "core/ops/shared/scalar_callee.h"
#include "core/ops/shared/scalar_function.h"

namespace tessera {
namespace {

constexpr OperandDoc kReduceOperands[] = {
    {"inputs", "N arrays of equal dimensions"},
    {"init_values", "N scalars that every reduction starts from"},
};

constexpr AttributeRow kReduceAttributes[] = {
    {Attr::dimensions, true, "", "the dimensions that are reduced away, in any order"},
    {Attr::to_apply, true, "", "computation (accumulators, values) -> accumulators; associative"},
};

constexpr Constraint kReduceConstraints[] = {
    {"C1", "There are as many initial values as inputs, and at least one of each."},
    {"C2", "All inputs are arrays of equal dimensions."},
    {"C3", "Each initial value is a scalar of its input's type (floats may differ in width)."},
    {"C4", "Each of `dimensions` is a dimension of the inputs, named once."},
    {"C5", "`to_apply` takes 2N scalars and gives N: (accumulators, values) -> accumulators."},
};

Shape keptShape(const Shape& input, ElementType type, std::span<const int64_t> kept) {
  Shape out = Shape::array(type, pickDims(input.dimensions, kept));
  if (input.hasDynamicDimensions())
    for (int64_t d : kept) out.dynamic.push_back(input.isDynamicDimension(d));
  return out;
}

Result<Shape> inferReduce(const InferContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const size_t n, checkReductionOperands(context));
  const Shape& input = context.operand(0);
  const auto& dims = context.attributes->ints(Attr::dimensions);
  if (const auto bad = badDimension(dims, input.rank()))
    return context.violated("C4", fmt::format("dimension {} cannot be reduced", *bad),
                            fmt::format("distinct dimensions below {}", input.rank()), std::to_string(*bad));
  std::vector<ElementType> types;
  for (size_t i = 0; i < n; ++i) types.push_back(context.operand(i).type);
  TESSERA_ASSIGN_OR_RETURN(const auto results, reducerTypes(context, "C5", types));
  const IndexVector kept = otherDims(input.rank(), dims);
  std::vector<Shape> shapes;
  for (ElementType type : results) shapes.push_back(keptShape(input, type, kept));
  return arrayOrTuple(std::move(shapes), givesTuple(context));
}

// The kept dimensions stay in the order in which they are in the first input.
void reduceLayout(const InferContext& context, Shape& result) {
  const Shape& input = context.operand(0);
  if (!input.layout || !input.layout->isPlain()) return fillDefaultLayouts(result);
  const auto& dims = context.attributes->ints(Attr::dimensions);
  const IndexVector kept = otherDims(input.rank(), dims);
  Layout layout;
  for (int64_t d : input.layout->minorToMajor)
    for (size_t i = 0; i < kept.size(); ++i)
      if (kept[i] == d) layout.minorToMajor.push_back(static_cast<int64_t>(i));
  if (!result.isTuple()) result.layout = layout;
  for (Shape& element : result.elements) element.layout = layout;
}

// One plain binary op on one array: the loop over native numbers. Floats accumulate in double and round once.
template <class Acc, class Combine>
void reduceInto(const Literal& input, Acc init, std::span<const int64_t> outputStrides, Literal& output,
                Combine combine) {
  const auto values = elementsAs<Acc>(input);
  std::vector<Acc> sums(static_cast<size_t>(output.elementCount()), init);
  size_t at = 0;
  forEachIndex(input.shape().dimensions, [&](const IndexVector& index) {
    Acc& sum = sums[static_cast<size_t>(linearIndexOf(index, outputStrides))];
    sum = combine(sum, values[at++]);
  });
  const ElementType type = output.shape().type;
  std::byte* out = output.mutableBytes().data();
  for (size_t i = 0; i < sums.size(); ++i)
    storeFrom<Acc>(type, out + i * static_cast<size_t>(byteWidth(type)), sums[i]);
}

bool reducePlain(const EvaluateContext& context, std::span<const int64_t> outputStrides, Literal& output) {
  if (!context.module || context.operands.size() != 2) return false;
  const auto opcode = reducerOf(*context.module, context.instruction, 0);
  if (opcode != Opcode::Add && opcode != Opcode::Multiply) return false;
  if (context.operands[0].shape().type == ElementType::Pred) return false;
  const ElementType type = context.operands[1].shape().type;
  const bool add = *opcode == Opcode::Add;
  visitAccumulation(context.operands[0].shape().type, type, [&](auto tag) {
    using Acc = typename decltype(tag)::Type;
    const Acc init = loadAs<Acc>(type, context.operands[1].bytes().data());
    if (add)
      reduceInto<Acc>(context.operands[0], init, outputStrides, output, [](Acc a, Acc b) { return a + b; });
    else
      reduceInto<Acc>(context.operands[0], init, outputStrides, output, [](Acc a, Acc b) { return a * b; });
  });
  return true;
}

// Stride of each input dimension in the output; 0 for reduced ones.
IndexVector stridesInOutput(const Shape& input, std::span<const int64_t> dims) {
  const IndexVector kept = otherDims(input.rank(), dims);
  const IndexVector strides = rowMajorStrides(pickDims(input.dimensions, kept));
  IndexVector out(input.dimensions.size(), 0);
  for (size_t i = 0; i < kept.size(); ++i) out[static_cast<size_t>(kept[i])] = strides[i];
  return out;
}

Result<Literal> evaluateByFunction(const EvaluateContext& context, std::span<const int64_t> outputStrides,
                                   std::vector<Literal> outputs) {
  const size_t n = outputs.size();
  std::vector<ElementType> parameters, results;
  for (const Literal& output : outputs) results.push_back(output.shape().type);
  parameters = results;
  for (size_t i = 0; i < n; ++i) parameters.push_back(context.operands[i].shape().type);
  ScalarFunction reducer(context, 0, parameters, results);
  reducer.keepPrecision();
  const size_t cells = static_cast<size_t>(productOf(outputs[0].shape().dimensions));
  std::vector<ScalarValue> sums(cells * n), arguments(2 * n);
  for (size_t i = 0; i < sums.size(); ++i) {
    const Literal& init = context.operands[n + i % n];
    sums[i] = loadScalar(init.shape().type, init.bytes().data());
  }
  Status status;
  size_t at = 0;
  forEachIndex(context.operands[0].shape().dimensions, [&](const IndexVector& index) {
    const auto sum = std::span(sums).subspan(static_cast<size_t>(linearIndexOf(index, outputStrides)) * n, n);
    for (size_t i = 0; i < n; ++i) {
      const ElementType type = parameters[n + i];
      arguments[i] = sum[i];
      arguments[n + i] =
          loadScalar(type, context.operands[i].bytes().data() + at * static_cast<size_t>(byteWidth(type)));
    }
    ++at;
    status = reducer.apply(arguments, sum);
    return status.has_value();
  });
  TESSERA_TRY(status);
  for (size_t i = 0; i < sums.size(); ++i) {
    const ElementType type = results[i % n];
    storeScalar(type, outputs[i % n].mutableBytes().data() + i / n * static_cast<size_t>(byteWidth(type)), sums[i]);
  }
  return literalOrTuple(std::move(outputs), context.shape.isTuple());
}

// As many results as elements: nothing is combined, and the initial value, an identity, changes nothing.
bool combinesNothing(const Shape& input, const IndexVector& reduced) {
  return productOf(pickDims(input.dimensions, reduced)) == 1;
}

void copyAs(const Literal& from, Literal& to) {
  const ElementType source = from.shape().type, target = to.shape().type;
  const auto width = static_cast<size_t>(byteWidth(source)), outWidth = static_cast<size_t>(byteWidth(target));
  for (size_t i = 0; i * width < from.bytes().size(); ++i)
    storeScalar(target, to.mutableBytes().data() + i * outWidth, loadScalar(source, from.bytes().data() + i * width));
}

Result<Literal> evaluateReduce(const EvaluateContext& context) {
  std::vector<Literal> outputs;
  for (const Shape& leaf : resultLeaves(context.shape)) {
    TESSERA_ASSIGN_OR_RETURN(Literal output, Literal::allocate(leaf));
    outputs.push_back(std::move(output));
  }
  const Shape& input = context.operands[0].shape();
  const auto& dims = context.instruction.attributes->ints(Attr::dimensions);
  if (combinesNothing(input, dims)) {
    for (size_t i = 0; i < outputs.size(); ++i) copyAs(context.operands[i], outputs[i]);
    return literalOrTuple(std::move(outputs), context.shape.isTuple());
  }
  const IndexVector strides = stridesInOutput(input, dims);
  if (reducePlain(context, strides, outputs[0])) return std::move(outputs[0]);
  return evaluateByFunction(context, strides, std::move(outputs));
}

// The element of each input at the result's index, where nothing is combined.
Status elementAlone(ElementContext& context, const IndexVector& kept) {
  std::vector<NodeId> at(context.operandShape(0).dimensions.size(), context.builder.index(0));
  for (size_t i = 0; i < kept.size(); ++i) at[static_cast<size_t>(kept[i])] = context.indices[i];
  const std::vector<Shape> leaves = resultLeaves(context.shape());
  for (size_t i = 0; i < leaves.size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(i, at));
    context.results.push_back(convertTo(context.builder, leaves[i].type, value));
  }
  return {};
}

Status reduceElement(ElementContext& context) {
  const size_t n = context.instruction.operands.size() / 2;
  const Shape& input = context.operandShape(0);
  const auto& dims = context.attributes().ints(Attr::dimensions);
  const IndexVector kept = otherDims(input.rank(), dims);
  if (combinesNothing(input, otherDims(input.rank(), kept))) return elementAlone(context, kept);
  std::vector<ElementType> types;
  for (const Shape& leaf : resultLeaves(context.shape())) types.push_back(leaf.type);
  ReducerNodes reducer(context.module, context.instruction, 0, context.builder, context.callFn, types);
  std::vector<NodeId> inits;
  for (size_t i = 0; i < n; ++i) {
    TESSERA_ASSIGN_OR_RETURN(NodeId init, context.read(n + i, {}));
    inits.push_back(init);
  }
  // Reduced dimensions run in ascending order, as they are in a row-major input.
  const IndexVector reduced = otherDims(input.rank(), kept);
  const auto body = [&](std::span<const NodeId> loop, std::span<const NodeId> sums) -> Result<std::vector<NodeId>> {
    std::vector<NodeId> at(input.dimensions.size());
    for (size_t i = 0; i < kept.size(); ++i) at[static_cast<size_t>(kept[i])] = context.indices[i];
    for (size_t i = 0; i < reduced.size(); ++i) at[static_cast<size_t>(reduced[i])] = loop[i];
    std::vector<NodeId> values;
    for (size_t i = 0; i < n; ++i) {
      TESSERA_ASSIGN_OR_RETURN(NodeId value, context.read(i, at));
      values.push_back(value);
    }
    return reducer.apply(sums, values);
  };
  const auto start = reducer.start(inits);
  TESSERA_ASSIGN_OR_RETURN(const auto sums, context.builder.loop(pickDims(input.dimensions, reduced), start, body));
  context.results = reducer.finish(sums);
  return {};
}

DimensionRelations reduceDimensions(const InferContext& context) {
  DimensionRelations out;
  const size_t n = context.operands.size() / 2;
  const auto& input = context.operand(0);
  const IndexVector kept = otherDims(input.rank(), context.attributes->ints(Attr::dimensions));
  for (size_t k = 1; k < n; ++k)
    out.sameArray(DimensionRef::operand(k, 0), context.operand(k), DimensionRef::operand(0, 0), input);
  for (size_t leaf = 0; leaf < n; ++leaf)
    for (size_t k = 0; k < n; ++k)
      for (size_t d = 0; d < kept.size(); ++d)
        out.same(DimensionRef::result(d, leaf), DimensionRef::operand(k, static_cast<size_t>(kept[d])));
  return out;
}

Cost reduceCost(const CostContext& context) {
  return appliedCost(context, 0, elementsOf(context.operand(0)) - elementsOf(context.shape()));
}

}  // namespace

const OpDef kReduce = {
    .opcode = Opcode::Reduce,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::Reduction},
    .summary = "Combines the elements along dimensions",
    .doc =
        "Every result element starts from the initial value and takes in, with `to_apply`, all elements of the input "
        "that differ from it only in the reduced dimensions. The computation must be associative and the initial value "
        "its identity; the order of combination is not specified. Sums and products of floats narrower than f32 are "
        "carried in f32 or wider and rounded once; XLA:CPU rounds after every step. Where nothing is combined, because "
        "the reduced dimensions have size 1, the initial value is not looked at. With N inputs, N values are carried "
        "together and the result is a tuple; so it is with one input when `to_apply` gives a tuple of one.",
    .title = "reduce {reducer}{over dimensions}",
    .operands = kReduceOperands,
    .attributes = kReduceAttributes,
    .constraints = kReduceConstraints,
    .inferShape = inferReduce,
    .inferLayout = reduceLayout,
    .cost = reduceCost,
    .evaluate = evaluateReduce,
    .element = reduceElement,
    .dimensions = reduceDimensions,
};

}  // namespace tessera
