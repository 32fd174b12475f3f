// dynamic-slice: a part of fixed size at a place known only when running. Starts are clamped so that the whole part
// is inside the operand. Indices come as one scalar per dimension, or as one vector (the old form).
#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/evaluate_loops.h"
#include "core/ops/shared/op_cost.h"
#include "core/ops/shared/start_indices.h"

namespace tessera {

namespace {

Result<Shape> inferDynamicSlice(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, -1));
  const Shape& operand = context.operand(0);
  TESSERA_TRY(checkStartOperands(context, {1, operand.rank()}));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t>* sizes, requireInts(context, Attr::dynamic_slice_sizes));
  if (static_cast<int64_t>(sizes->size()) != operand.rank()) {
    return context.violated("C1", "dynamic_slice_sizes needs one size for each dimension of the operand",
                            fmt::format("{} sizes", operand.rank()), listOf(*sizes));
  }
  Shape out = Shape::array(operand.type, *sizes);
  for (size_t d = 0; d < sizes->size(); ++d) {
    const int64_t size = (*sizes)[d], limit = operand.dimensions[d];
    if (size < 0 || (limit != Shape::kUnbounded && size > limit)) {
      return context.violated("C2", fmt::format("the slice size of dimension {} does not fit the operand", d),
                              fmt::format("0 to {}", limit), fmt::format("{}", size));
    }
  }
  return out;
}

void dynamicSliceLayout(const InferContext& context, Shape& result) {
  InferContext source = context;
  source.operands.resize(1);
  followOperandLayout(source, result);
}

Result<Literal> evaluateDynamicSlice(const EvaluateContext& context) {
  const Literal& operand = context.operands[0];
  const auto& sizes = operand.shape().dimensions;
  const std::vector<int64_t> starts =
      clampedStarts(context, {1, operand.shape().rank()}, sizes, context.shape.dimensions);
  const std::vector<int64_t> strides = rowMajorStrides(sizes);
  const int64_t origin = linearIndexOf(starts, strides);
  return moveElements(context, operand,
                      [&](std::span<const int64_t> index) { return origin + linearIndexOf(index, strides); });
}

Status dynamicSliceElement(ElementContext& context) {
  ElementBuilder& b = context.builder;
  const Shape& operand = context.operandShape(0);
  const ReadOperand read = [&](size_t i, std::span<const NodeId> at) { return context.read(i, at); };
  std::vector<NodeId> at;
  if (operand.rank() > 0) {
    TESSERA_ASSIGN_OR_RETURN(at, clampedStartNodes(b, read, context.operandShape(1), {1, operand.rank()},
                                                   operand.dimensions, context.shape().dimensions));
  }
  for (size_t d = 0; d < at.size(); ++d) at[d] = b.add(at[d], context.indices[d]);
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(0, at));
  context.results = {value};
  return {};
}

constexpr OperandDoc kDynamicSliceOperands[] = {
    {"operand", "The array to take a part of."},
    {"start_indices", "One integer scalar per dimension, or one vector of them."}};
constexpr AttributeRow kDynamicSliceAttributes[] = {
    {Attr::dynamic_slice_sizes, true, "", "The size of the part in each dimension.", ""}};
constexpr Constraint kDynamicSliceConstraints[] = {
    kStartConstraints[0],
    kStartConstraints[1],
    kStartConstraints[2],
    {"C1", "dynamic_slice_sizes has one size for each dimension of the operand."},
    {"C2", "Each size is between 0 and the size of the operand's dimension."},
};

DimensionRelations dynamicSliceDimensions(const InferContext& context) {
  DimensionRelations out;
  for (size_t d = 0; d < context.operand(0).dimensions.size(); ++d)
    out.rows.push_back({DimensionRef::result(d), DimensionRule::Part, DimensionRef::operand(0, d),
                        context.operand(0).dimensions[d] == context.written->dimensions[d]});
  if (context.operands.size() > 1 && context.operand(1).rank() == 1)
    out.fixed(DimensionRef::operand(1, 0), "it holds one start for each dimension");
  return out;
}

}  // namespace

const OpDef kDynamicSlice = {
    .opcode = Opcode::DynamicSlice,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::DataMovement, kMovesData},
    .summary = "A part at a computed place",
    .doc =
        "$r_i = x_{s + i}$ in each dimension with $s = \\min(\\max(start, 0), size - part)$: starts outside are moved "
        "in.",
    .operands = kDynamicSliceOperands,
    .attributes = kDynamicSliceAttributes,
    .constraints = kDynamicSliceConstraints,
    .inferShape = inferDynamicSlice,
    .inferLayout = dynamicSliceLayout,
    .cost = costOfPart,
    .evaluate = evaluateDynamicSlice,
    .element = dynamicSliceElement,
    .dimensions = dynamicSliceDimensions,
};

}  // namespace tessera
