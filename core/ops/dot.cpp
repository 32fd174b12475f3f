// dot: contraction of two arrays over any dimensions, with batch dimensions. The result's dimensions are the batch
// ones, then the other ones of the left, then of the right operand. The result type is the one written in the module
// (the preferred element type), else the wider of the operands' types.
#include "core/base/result.h"
#include "core/ops/op.h"
#include "core/ops/shared/accumulation.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/dot_dimensions.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/op_cost.h"
#include "core/ops/shared/scalar_callee.h"

namespace tessera {
namespace {

constexpr OperandDoc kDotOperands[] = {
    {"lhs", "left array"},
    {"rhs", "right array"},
};

constexpr AttributeRow kDotAttributes[] = {
    kLhsBatchRow, kLhsContractingRow, kRhsBatchRow, kRhsContractingRow, kOperandPrecisionRow, kAlgorithmRow,
};

constexpr Constraint kDotConstraints[] = {
    {"C1", "Both operands are arrays."},
    {"C2", "Batch and contracting dimensions of an operand exist and are named once."},
    kBatchesPairUp,
    kContractionsPairUp,
};

struct DotDims {
  IndexVector lhsBatch, rhsBatch, lhsContracting, rhsContracting, lhsFree, rhsFree;
};

// Without the free dimensions.
DotDims namedDims(const AttributeSet& attributes) {
  DotDims out;
  out.lhsBatch = attributes.ints(Attr::lhs_batch_dims);
  out.rhsBatch = attributes.ints(Attr::rhs_batch_dims);
  out.lhsContracting = attributes.ints(Attr::lhs_contracting_dims);
  out.rhsContracting = attributes.ints(Attr::rhs_contracting_dims);
  return out;
}

DotDims dimsOf(const AttributeSet& attributes, int64_t lhsRank, int64_t rhsRank) {
  DotDims out = namedDims(attributes);
  out.lhsFree = otherDims(lhsRank, out.lhsBatch, out.lhsContracting);
  out.rhsFree = otherDims(rhsRank, out.rhsBatch, out.rhsContracting);
  return out;
}

Result<Shape> inferDot(const InferContext& context) {
  if (context.operands.size() < 2 || !context.operand(0).isArray() || !context.operand(1).isArray())
    return context.violated("C1", "dot takes two arrays");
  const Shape &lhs = context.operand(0), &rhs = context.operand(1);
  const DotDims dims = namedDims(*context.attributes);
  TESSERA_TRY(checkNamedOnce(context, 0, {&dims.lhsBatch, &dims.lhsContracting}));
  TESSERA_TRY(checkNamedOnce(context, 1, {&dims.rhsBatch, &dims.rhsContracting}));
  TESSERA_TRY(checkDimensionPairs(context, "C3", "batch", dims.lhsBatch, dims.rhsBatch));
  TESSERA_TRY(checkDimensionPairs(context, "C4", "contracting", dims.lhsContracting, dims.rhsContracting));
  Shape out;
  const bool written = context.written && context.written->isArray();
  out.type = written ? context.written->type : widerType(lhs.type, rhs.type);
  const DotDims all = dimsOf(*context.attributes, lhs.rank(), rhs.rank());
  appendDimensions(out, lhs, all.lhsBatch);
  appendDimensions(out, lhs, all.lhsFree);
  appendDimensions(out, rhs, all.rhsFree);
  if (!out.hasDynamicDimensions()) out.dynamic.clear();
  return out;
}

// Elements of `literal` with its dimensions reordered to `order`, dense.
template <class Acc>
std::vector<Acc> reordered(const Literal& literal, const IndexVector& order) {
  const auto values = elementsAs<Acc>(literal);
  const IndexVector strides = pickDims(rowMajorStrides(literal.shape().dimensions), order);
  std::vector<Acc> out;
  out.reserve(values.size());
  forEachIndex(pickDims(literal.shape().dimensions, order), [&](const IndexVector& index) {
    out.push_back(values[static_cast<size_t>(linearIndexOf(index, strides))]);
  });
  return out;
}

IndexVector joined(const IndexVector& a, const IndexVector& b, const IndexVector& c) {
  IndexVector out = a;
  out.insert(out.end(), b.begin(), b.end());
  out.insert(out.end(), c.begin(), c.end());
  return out;
}

template <class Acc>
Status contract(const EvaluateContext& context, const DotDims& dims, Literal& output) {
  const Shape &lhs = context.operands[0].shape(), &rhs = context.operands[1].shape();
  const auto left = reordered<Acc>(context.operands[0], joined(dims.lhsBatch, dims.lhsFree, dims.lhsContracting));
  const auto right = reordered<Acc>(context.operands[1], joined(dims.rhsBatch, dims.rhsContracting, dims.rhsFree));
  const auto batches = static_cast<size_t>(productOf(pickDims(lhs.dimensions, dims.lhsBatch)));
  const auto rows = static_cast<size_t>(productOf(pickDims(lhs.dimensions, dims.lhsFree)));
  const auto columns = static_cast<size_t>(productOf(pickDims(rhs.dimensions, dims.rhsFree)));
  const auto depth = static_cast<size_t>(productOf(pickDims(lhs.dimensions, dims.lhsContracting)));
  const ElementType type = output.shape().type;
  std::byte* out = output.mutableBytes().data();
  std::vector<Acc> sums(columns);
  for (size_t row = 0; row < batches * rows; ++row) {
    if (isCancelled(context)) return failCancelled();
    std::fill(sums.begin(), sums.end(), Acc{});
    const Acc* matrix = right.data() + row / rows * depth * columns;
    for (size_t k = 0; k < depth; ++k) {
      const Acc factor = left[row * depth + k];
      const Acc* line = matrix + k * columns;
      for (size_t j = 0; j < columns; ++j) sums[j] += factor * line[j];
    }
    for (size_t j = 0; j < columns; ++j, out += byteWidth(type)) storeFrom<Acc>(type, out, sums[j]);
  }
  return {};
}

Result<Literal> evaluateDot(const EvaluateContext& context) {
  if (context.operands.size() != 2) return failUnsupported("a sparse dot is shown, but not evaluated");
  const Shape &lhs = context.operands[0].shape(), &rhs = context.operands[1].shape();
  TESSERA_ASSIGN_OR_RETURN(Literal output, Literal::allocate(context.shape));
  const DotDims dims = dimsOf(*context.instruction.attributes, lhs.rank(), rhs.rank());
  TESSERA_TRY(visitAccumulation(
      lhs.type, rhs.type, [&](auto tag) { return contract<typename decltype(tag)::Type>(context, dims, output); }));
  return output;
}

// Sums of small floats are kept in f32 and rounded once.
Status dotElement(ElementContext& context) {
  if (context.instruction.operands.size() != 2) return failUnsupported("a sparse dot is shown, but not compiled");
  const Shape &lhs = context.operandShape(0), &rhs = context.operandShape(1);
  const DotDims dims = dimsOf(context.attributes(), lhs.rank(), rhs.rank());
  const std::span<const NodeId> indices = context.indices;
  const auto batch = indices.first(dims.lhsBatch.size());
  const auto row = indices.subspan(batch.size(), dims.lhsFree.size());
  const auto column = indices.subspan(batch.size() + row.size());
  ElementBuilder& builder = context.builder;
  const ElementType type = accumulatorType(context.shape().type);
  const auto body = [&](std::span<const NodeId> k, std::span<const NodeId> sums) -> Result<std::vector<NodeId>> {
    std::vector<NodeId> atLeft(lhs.dimensions.size()), atRight(rhs.dimensions.size());
    setIndices(atLeft, dims.lhsBatch, batch);
    setIndices(atLeft, dims.lhsFree, row);
    setIndices(atLeft, dims.lhsContracting, k);
    setIndices(atRight, dims.rhsBatch, batch);
    setIndices(atRight, dims.rhsFree, column);
    setIndices(atRight, dims.rhsContracting, k);
    TESSERA_ASSIGN_OR_RETURN(const NodeId a, context.read(0, atLeft));
    TESSERA_ASSIGN_OR_RETURN(const NodeId b, context.read(1, atRight));
    const NodeId product = builder.multiply(convertTo(builder, type, a), convertTo(builder, type, b));
    return std::vector<NodeId>{builder.add(sums[0], product)};
  };
  TESSERA_ASSIGN_OR_RETURN(const auto sums,
                           builder.loop(pickDims(lhs.dimensions, dims.lhsContracting), {builder.zero(type)}, body));
  context.results = {convertTo(builder, context.shape().type, sums[0])};
  return {};
}

DimensionRelations dotDimensions(const InferContext& context) {
  DimensionRelations out;
  relateProduct(out, context);
  return out;
}

Cost dotCost(const CostContext& context) {
  const Shape& lhs = context.operand(0);
  double contracted = 1;
  for (int64_t d : context.instruction.attributes->ints(Attr::lhs_contracting_dims))
    if (d >= 0 && d < lhs.rank()) contracted *= static_cast<double>(lhs.dimensions[static_cast<size_t>(d)]);
  return usualCost(context, 2 * elementsOf(context.shape()) * contracted);
}

}  // namespace

const OpDef kDot = {
    .opcode = Opcode::Dot,
    .kind = ExecutionKind::Library,
    .category = {OpCategory::LinearAlgebra, kContraction},
    .summary = "Products summed over contracting dimensions",
    .doc =
        "$out[b…, i…, j…] = \\sum_{k…} lhs[b…, i…, k…] · rhs[b…, k…, j…]$, where the "
        "dimensions of each operand may stand in any order. Vector products, matrix products and batched products "
        "are all this op. Where the element types differ, the operands are converted to the result's type if that "
        "is the higher one; else the product is computed in the higher type of the operands, and converted.",
    .synonyms = "matmul mm gemm einsum @",
    .operands = kDotOperands,
    .attributes = kDotAttributes,
    .constraints = kDotConstraints,
    .inferShape = inferDot,
    .cost = dotCost,
    .evaluate = evaluateDot,
    .element = dotElement,
    .dimensions = dotDimensions,
};

}  // namespace tessera
