// scaled-dot: a dot of operands in blocks that share a scale (micro-scaling formats): each scale multiplies a block of
// consecutive elements along each dimension. Products and sums are taken in f32 or wider.
#include <fmt/format.h>

#include "core/base/result.h"
#include "core/ops/op.h"
#include "core/ops/shared/accumulation.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/dot_dimensions.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/scalar_callee.h"

namespace tessera {
namespace {

constexpr OperandDoc kScaledDotOperands[] = {
    {"lhs", "left array"},
    {"rhs", "right array"},
    {"lhs_scale", "scales of lhs: each dimension divides that of lhs; a scalar scales all"},
    {"rhs_scale", "scales of rhs, likewise"},
};

constexpr AttributeRow kScaledDotAttributes[] = {
    kLhsBatchRow, kLhsContractingRow, kRhsBatchRow, kRhsContractingRow, kOperandPrecisionRow, kAlgorithmRow,
};

constexpr Constraint kScaledDotConstraints[] = {
    {"C1", "All four operands are arrays of real numbers."},
    {"C2", "Batch and contracting dimensions of an operand exist and are named once."},
    kBatchesPairUp,
    kContractionsPairUp,
    {"C5", "A scale is a scalar, or has its operand's rank and sizes that divide the operand's."},
};

struct Side {
  IndexVector batch, contracting, free;
};

Side sideOf(const AttributeSet& attributes, int operand, int64_t rank) {
  Side out;
  out.batch = attributes.ints(operand == 0 ? Attr::lhs_batch_dims : Attr::rhs_batch_dims);
  out.contracting = attributes.ints(operand == 0 ? Attr::lhs_contracting_dims : Attr::rhs_contracting_dims);
  out.free = otherDims(rank, out.batch, out.contracting);
  return out;
}

Status checkScale(const InferContext& context, size_t operand) {
  const Shape &values = context.operand(operand), &scale = context.operand(operand + 2);
  if (scale.isScalar()) return {};
  bool fits = scale.rank() == values.rank();
  for (size_t d = 0; fits && d < scale.dimensions.size(); ++d)
    fits = scale.dimensions[d] > 0 ? values.dimensions[d] % scale.dimensions[d] == 0 : values.dimensions[d] == 0;
  if (fits) return {};
  return context.violated("C5", fmt::format("the scale of operand {} does not divide it into blocks", operand),
                          "sizes that divide " + toString(values, false), toString(scale, false));
}

Result<Shape> inferScaledDot(const InferContext& context) {
  for (size_t i = 0; i < context.operands.size(); ++i) {
    const ElementType type = context.operand(i).type;
    if (!isFloat(type) && !isInteger(type))
      return context.violated("C1", fmt::format("operand {} is no array of real numbers", i), "an array",
                              toString(context.operand(i), false));
  }
  const Shape &lhs = context.operand(0), &rhs = context.operand(1);
  const Side left = sideOf(*context.attributes, 0, lhs.rank()), right = sideOf(*context.attributes, 1, rhs.rank());
  TESSERA_TRY(checkNamedOnce(context, 0, {&left.batch, &left.contracting}));
  TESSERA_TRY(checkNamedOnce(context, 1, {&right.batch, &right.contracting}));
  TESSERA_TRY(checkDimensionPairs(context, "C3", "batch", left.batch, right.batch));
  TESSERA_TRY(checkDimensionPairs(context, "C4", "contracting", left.contracting, right.contracting));
  TESSERA_TRY(checkScale(context, 0));
  TESSERA_TRY(checkScale(context, 1));
  Shape out;
  const bool written = context.written && context.written->isArray();
  out.type = written ? context.written->type : widerType(lhs.type, rhs.type);
  appendDimensions(out, lhs, left.batch);
  appendDimensions(out, lhs, left.free);
  appendDimensions(out, rhs, right.free);
  if (!out.hasDynamicDimensions()) out.dynamic.clear();
  return out;
}

// Elements of an operand times their scales, in double.
std::vector<double> scaled(const Literal& values, const Literal& scale) {
  std::vector<double> out = elementsAs<double>(values);
  const std::vector<double> scales = elementsAs<double>(scale);
  const std::span<const int64_t> dims(values.shape().dimensions), blocks(scale.shape().dimensions);
  const IndexVector strides = rowMajorStrides(blocks);
  size_t at = 0;
  forEachIndex(dims, [&](const IndexVector& index) {
    size_t block = 0;
    for (size_t d = 0; d < blocks.size(); ++d)
      block += static_cast<size_t>(index[d] * blocks[d] / dims[d] * strides[d]);
    out[at++] *= scales[block];
  });
  return out;
}

void addProducts(IndexVector& index, const IndexVector& dims, std::span<const int64_t> values) {
  for (size_t i = 0; i < dims.size(); ++i) index[static_cast<size_t>(dims[i])] = values[i];
}

Result<Literal> evaluateScaledDot(const EvaluateContext& context) {
  const Shape &lhs = context.operands[0].shape(), &rhs = context.operands[1].shape();
  const Side left = sideOf(*context.instruction.attributes, 0, lhs.rank()),
             right = sideOf(*context.instruction.attributes, 1, rhs.rank());
  const std::vector<double> a = scaled(context.operands[0], context.operands[2]),
                            b = scaled(context.operands[1], context.operands[3]);
  const IndexVector leftStrides = rowMajorStrides(lhs.dimensions), rightStrides = rowMajorStrides(rhs.dimensions);
  const IndexVector depth = pickDims(lhs.dimensions, left.contracting);
  TESSERA_ASSIGN_OR_RETURN(Literal output, Literal::allocate(context.shape));
  std::byte* out = output.mutableBytes().data();
  IndexVector atLeft(lhs.dimensions.size(), 0), atRight(rhs.dimensions.size(), 0);
  bool stopped = false;
  forEachIndex(context.shape.dimensions, [&](const IndexVector& index) {
    if (stopped || isCancelled(context)) return void(stopped = true);
    const std::span<const int64_t> all(index);
    addProducts(atLeft, left.batch, all);
    addProducts(atRight, right.batch, all);
    addProducts(atLeft, left.free, all.subspan(left.batch.size()));
    addProducts(atRight, right.free, all.subspan(left.batch.size() + left.free.size()));
    double sum = 0;
    forEachIndex(depth, [&](const IndexVector& k) {
      addProducts(atLeft, left.contracting, k);
      addProducts(atRight, right.contracting, k);
      sum += a[static_cast<size_t>(linearIndexOf(atLeft, leftStrides))] *
             b[static_cast<size_t>(linearIndexOf(atRight, rightStrides))];
    });
    storeDouble(context.shape.type, out, sum);
    out += byteWidth(context.shape.type);
  });
  if (stopped) return failCancelled();
  return output;
}

// One operand's element at an index times its scale, in the type of the sum.
Result<NodeId> scaledNode(ElementContext& context, size_t operand, std::span<const NodeId> at, ElementType type) {
  ElementBuilder& builder = context.builder;
  const Shape &values = context.operandShape(operand), &scale = context.operandShape(operand + 2);
  std::vector<NodeId> block;
  for (size_t d = 0; d < scale.dimensions.size(); ++d)
    block.push_back(
        builder.divide(at[d], builder.index(values.dimensions[d] / std::max<int64_t>(scale.dimensions[d], 1))));
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(operand, at));
  TESSERA_ASSIGN_OR_RETURN(const NodeId factor, context.read(operand + 2, block));
  return builder.multiply(convertTo(builder, type, value), convertTo(builder, type, factor));
}

Status scaledDotElement(ElementContext& context) {
  const Shape &lhs = context.operandShape(0), &rhs = context.operandShape(1);
  const Side left = sideOf(context.attributes(), 0, lhs.rank()), right = sideOf(context.attributes(), 1, rhs.rank());
  const std::span<const NodeId> indices = context.indices;
  const ElementType type = context.shape().type == ElementType::F64 ? ElementType::F64 : ElementType::F32;
  ElementBuilder& builder = context.builder;
  const auto body = [&](std::span<const NodeId> k, std::span<const NodeId> sums) -> Result<std::vector<NodeId>> {
    std::vector<NodeId> atLeft(lhs.dimensions.size()), atRight(rhs.dimensions.size());
    setIndices(atLeft, left.batch, indices);
    setIndices(atRight, right.batch, indices);
    setIndices(atLeft, left.free, indices.subspan(left.batch.size()));
    setIndices(atRight, right.free, indices.subspan(left.batch.size() + left.free.size()));
    setIndices(atLeft, left.contracting, k);
    setIndices(atRight, right.contracting, k);
    TESSERA_ASSIGN_OR_RETURN(const NodeId a, scaledNode(context, 0, atLeft, type));
    TESSERA_ASSIGN_OR_RETURN(const NodeId b, scaledNode(context, 1, atRight, type));
    return std::vector<NodeId>{builder.add(sums[0], builder.multiply(a, b))};
  };
  TESSERA_ASSIGN_OR_RETURN(const auto sums,
                           builder.loop(pickDims(lhs.dimensions, left.contracting), {builder.zero(type)}, body));
  context.results = {convertTo(builder, context.shape().type, sums[0])};
  return {};
}

// Scales stand for blocks of what they scale, one for all, or one for each.
DimensionRelations scaledDotDimensions(const InferContext& context) {
  DimensionRelations out;
  relateProduct(out, context);
  for (size_t k = 0; k < 2; ++k)
    for (size_t d = 0; d < context.operand(k + 2).dimensions.size(); ++d) {
      const int64_t values = context.operand(k).dimensions[d], scales = context.operand(k + 2).dimensions[d];
      const DimensionRef to = DimensionRef::operand(k + 2, d), from = DimensionRef::operand(k, d);
      if (values == scales)
        out.same(to, from);
      else if (scales <= 1 || values < scales)
        out.fixed(to, "one scale for all of the dimension");
      else
        out.rows.push_back({to, DimensionRule::Quotient, from, false, {}, values / scales});
    }
  return out;
}

}  // namespace

const OpDef kScaledDot = {
    .opcode = Opcode::ScaledDot,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::LinearAlgebra},
    .summary = "A dot of operands with a scale for each block",
    .doc =
        "$out = dot(lhs · s, rhs · t)$, where $s$ and $t$ repeat each scale of lhs and rhs over the block of "
        "elements that it stands for: along a dimension of size $n$ with $m$ scales a block has $n/m$ elements. "
        "With f8 or f4 values and f8e8m0fnu scales these are the micro-scaling formats. Sums are kept in f32 (f64 "
        "for f64 results) and rounded once.",
    .operands = kScaledDotOperands,
    .attributes = kScaledDotAttributes,
    .constraints = kScaledDotConstraints,
    .inferShape = inferScaledDot,
    .evaluate = evaluateScaledDot,
    .element = scaledDotElement,
    .dimensions = scaledDotDimensions,
};

}  // namespace tessera
