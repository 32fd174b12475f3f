// map: applies a scalar computation to the elements of N arrays of equal dimensions.
#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/accumulation.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/op_cost.h"
#include "core/ops/shared/scalar_function.h"

namespace tessera {
namespace {

constexpr OperandDoc kMapOperands[] = {{"operands", "N arrays of equal dimensions"}};

constexpr AttributeRow kMapAttributes[] = {
    {Attr::dimensions, false, "", "all dimensions in order: 0 … rank-1; the same when empty or left out"},
    {Attr::to_apply, true, "", "computation of N scalars that gives one scalar"},
};

constexpr Constraint kMapConstraints[] = {
    {"C1", "There is at least one operand, and all are arrays of equal dimensions."},
    {"C2", "`dimensions` names all dimensions in order, or none."},
    {"C3", "`to_apply` takes one scalar of each operand's type and gives a scalar."},
};

Result<Shape> inferMap(const InferContext& context) {
  TESSERA_TRY(checkEqualDimensions(context, "C1"));
  const Shape& first = context.operand(0);
  const auto& dims = context.attributes->ints(Attr::dimensions);
  bool inOrder = dims.empty() || static_cast<int64_t>(dims.size()) == first.rank();
  for (size_t d = 0; inOrder && d < dims.size(); ++d) inOrder = dims[d] == static_cast<int64_t>(d);
  if (!inOrder)
    return context.violated("C2", "map runs over all dimensions in order", fmt::format("0 … {}", first.rank() - 1),
                            fmt::format("{}", fmt::join(dims, ",")));
  const size_t n = context.operands.size();
  bool fits = !context.computations.empty() && context.computations[0].parameters.size() == n &&
              context.computations[0].result.isScalar();
  for (size_t i = 0; fits && i < n; ++i) {
    const Shape& parameter = context.computations[0].parameters[i];
    fits = parameter.isScalar() && parameter.type == context.operand(i).type;
  }
  if (!fits) return context.violated("C3", "the mapped computation does not fit the operands");
  Shape out = Shape::array(context.computations[0].result.type, first.dimensions);
  out.dynamic = first.dynamic;
  return out;
}

void mapLayout(const InferContext& context, Shape& result) {
  if (context.operand(0).layout && context.operand(0).layout->isPlain())
    result.layout = context.operand(0).layout;
  else
    fillDefaultLayouts(result);
}

Result<Literal> evaluateMap(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(context.shape));
  std::vector<ElementType> types;
  for (const Literal& operand : context.operands) types.push_back(operand.shape().type);
  const ElementType resultType = context.shape.type;
  ScalarFunction function(context, 0, types, {resultType});
  std::vector<ScalarValue> arguments(types.size());
  for (size_t at = 0; at < static_cast<size_t>(out.elementCount()); ++at) {
    for (size_t i = 0; i < types.size(); ++i)
      arguments[i] =
          loadScalar(types[i], context.operands[i].bytes().data() + at * static_cast<size_t>(byteWidth(types[i])));
    ScalarValue result;
    TESSERA_TRY(function.apply(arguments, std::span(&result, 1)));
    storeScalar(resultType, out.mutableBytes().data() + at * static_cast<size_t>(byteWidth(resultType)), result);
  }
  return out;
}

Status mapElement(ElementContext& context) {
  std::vector<NodeId> scalars;
  for (size_t i = 0; i < context.instruction.operands.size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(NodeId value, context.read(i, context.indices));
    scalars.push_back(value);
  }
  TESSERA_ASSIGN_OR_RETURN(context.results, context.call(0, scalars));
  return {};
}

Cost mapCost(const CostContext& context) { return appliedCost(context, 0, elementsOf(context.shape())); }

}  // namespace

const OpDef kMap = {
    .opcode = Opcode::Map,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::Elementwise, kElementwise, OpColor::Control},
    .summary = "Applies a scalar computation element by element",
    .doc = "Element $i$ of the result is `to_apply` of the elements $i$ of all operands.",
    .title = "map {reducer}",
    .operands = kMapOperands,
    .attributes = kMapAttributes,
    .constraints = kMapConstraints,
    .inferShape = inferMap,
    .inferLayout = mapLayout,
    .cost = mapCost,
    .evaluate = evaluateMap,
    .element = mapElement,
    .dimensions = relationsOfElementwise,
};

}  // namespace tessera
