// slice: the part of an array between start (inclusive) and limit (exclusive) of every dimension, each stride-th
// element. start = limit gives an empty dimension.
#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/evaluate_loops.h"
#include "core/ops/shared/op_cost.h"

namespace tessera {

namespace {

using Slices = std::vector<SliceDimension>;

Status checkSlice(const InferContext& context, size_t d, const SliceDimension& slice) {
  const int64_t size = context.operand(0).dimensions[d];
  const std::string found = fmt::format("[{}:{}:{}]", slice.start, slice.limit, slice.stride);
  if (slice.start < 0 || slice.start > slice.limit) {
    return context.violated(
        "C2", fmt::format("slice of dimension {} must start at 0 or later and not after its limit", d), {}, found);
  }
  if (size != Shape::kUnbounded && slice.limit > size) {
    return context.violated("C3", fmt::format("slice of dimension {} ends after the operand", d),
                            fmt::format("a limit of at most {}", size), found);
  }
  if (slice.stride < 1) {
    return context.violated("C4", fmt::format("the stride of dimension {} must be positive", d), "1 or more", found);
  }
  return {};
}

Result<Shape> inferSlice(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 1));
  const Shape& operand = context.operand(0);
  const auto* slices = context.attributes->get<Slices>(Attr::slice);
  if (!slices || static_cast<int64_t>(slices->size()) != operand.rank()) {
    return context.violated("C1", "slice needs one range for each dimension of the operand",
                            fmt::format("{} ranges", operand.rank()), fmt::format("{}", slices ? slices->size() : 0));
  }
  Shape out = Shape::array(operand.type, {});
  for (size_t d = 0; d < slices->size(); ++d) {
    const SliceDimension& slice = (*slices)[d];
    TESSERA_TRY(checkSlice(context, d, slice));
    const int64_t length = slice.limit - slice.start;
    const int64_t size = length / slice.stride + (length % slice.stride != 0);
    out.dimensions.push_back(size);
  }
  return out;
}

Result<Literal> evaluateSlice(const EvaluateContext& context) {
  const Slices& slices = *context.instruction.attributes->get<Slices>(Attr::slice);
  const Literal& operand = context.operands[0];
  const std::vector<int64_t> strides = rowMajorStrides(operand.shape().dimensions);
  return moveElements(context, operand, [&](std::span<const int64_t> index) {
    int64_t linear = 0;
    for (size_t d = 0; d < index.size(); ++d) linear += (slices[d].start + index[d] * slices[d].stride) * strides[d];
    return linear;
  });
}

Status sliceElement(ElementContext& context) {
  const Slices& slices = *context.attributes().get<Slices>(Attr::slice);
  ElementBuilder& b = context.builder;
  std::vector<NodeId> at;
  for (size_t d = 0; d < slices.size(); ++d) {
    at.push_back(b.add(b.multiply(context.indices[d], b.index(slices[d].stride)), b.index(slices[d].start)));
  }
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(0, at));
  context.results = {value};
  return {};
}

constexpr OperandDoc kSliceOperands[] = {{"operand", "The array to take a part of."}};
constexpr AttributeRow kSliceAttributes[] = {{Attr::slice, true, "", "[start:limit:stride] for each dimension.", ""}};
constexpr Constraint kSliceConstraints[] = {
    {"C1", "slice has one range for each dimension of the operand."},
    {"C2", "0 <= start <= limit."},
    {"C3", "limit is at most the size of the operand's dimension."},
    {"C4", "stride is at least 1."},
};

DimensionRelations sliceDimensions(const InferContext& context) {
  DimensionRelations out;
  const auto* slices = context.attributes->get<std::vector<SliceDimension>>(Attr::slice);
  for (size_t d = 0; slices && d < slices->size(); ++d) {
    const SliceDimension& slice = (*slices)[d];
    const bool isWhole = slice.start == 0 && slice.stride == 1 && slice.limit == context.operand(0).dimensions[d];
    out.rows.push_back(
        {DimensionRef::result(d), DimensionRule::Sliced, DimensionRef::operand(0, d), isWhole, {}, slice});
  }
  return out;
}

Cost costOfSlice(const CostContext& context) { return {0, 0, 2 * bytesOf(context.shape())}; }

}  // namespace

const OpDef kSlice = {
    .opcode = Opcode::Slice,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::DataMovement, kMovesData},
    .summary = "A part of an array",
    .doc =
        "$r_i = x_{s + i \\cdot t}$ in each dimension, with start $s$ and stride $t$; the size is $\\lceil (limit - s) "
        "/ t \\rceil$.",
    .title = "slice{ slice}",
    .operands = kSliceOperands,
    .attributes = kSliceAttributes,
    .constraints = kSliceConstraints,
    .inferShape = inferSlice,
    .inferLayout = followOperandLayout,
    .cost = costOfSlice,
    .evaluate = evaluateSlice,
    .element = sliceElement,
    .dimensions = sliceDimensions,
};

}  // namespace tessera
