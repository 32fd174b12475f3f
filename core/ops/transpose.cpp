// transpose: result dimension i is operand dimension dimensions[i]. The inferred layout keeps the operand's memory
// order, so that a transpose without a layout of its own moves nothing.
#include <algorithm>

#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/evaluate_loops.h"

namespace tessera {

namespace {

bool isPermutation(const std::vector<int64_t>& dims) {
  std::vector<int64_t> sorted = dims;
  std::ranges::sort(sorted);
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

Result<Shape> inferTranspose(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 1));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t>* dims, requireInts(context, Attr::dimensions));
  const Shape& operand = context.operand(0);
  if (static_cast<int64_t>(dims->size()) != operand.rank() || !isPermutation(*dims)) {
    return context.violated("C1", "dimensions of transpose must be a permutation of the operand's dimensions",
                            fmt::format("a permutation of 0 to {}", operand.rank() - 1), listOf(*dims));
  }
  std::vector<int64_t> sizes;
  std::vector<bool> dynamic;
  for (int64_t from : *dims) {
    sizes.push_back(operand.dimensions[static_cast<size_t>(from)]);
    dynamic.push_back(operand.isDynamicDimension(from));
  }
  return arrayOf(operand.type, sizes, dynamic);
}

void transposeLayout(const InferContext& context, Shape& result) {
  const auto& dims = context.attributes->ints(Attr::dimensions);
  const auto& layout = context.operand(0).layout;
  if (!layout || layout->minorToMajor.size() != dims.size()) return fillDefaultLayouts(result);
  Layout kept;
  for (int64_t from : layout->minorToMajor) kept.minorToMajor.push_back(std::ranges::find(dims, from) - dims.begin());
  result.layout = std::move(kept);
}

Result<Literal> evaluateTranspose(const EvaluateContext& context) {
  const auto& dims = context.instruction.attributes->ints(Attr::dimensions);
  const Literal& operand = context.operands[0];
  const std::vector<int64_t> operandStrides = rowMajorStrides(operand.shape().dimensions);
  std::vector<int64_t> strides;
  for (int64_t from : dims) strides.push_back(operandStrides[static_cast<size_t>(from)]);
  return moveElements(context, operand, [&](std::span<const int64_t> index) { return linearIndexOf(index, strides); });
}

Status transposeElement(ElementContext& context) {
  const auto& dims = context.attributes().ints(Attr::dimensions);
  std::vector<NodeId> at(dims.size());
  for (size_t d = 0; d < dims.size(); ++d) at[static_cast<size_t>(dims[d])] = context.indices[d];
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(0, at));
  context.results = {value};
  return {};
}

constexpr OperandDoc kTransposeOperands[] = {{"operand", "The array whose dimensions are permuted."}};
constexpr AttributeRow kTransposeAttributes[] = {
    {Attr::dimensions, true, "", "For each result dimension the operand dimension that it is.", ""}};
constexpr Constraint kTransposeConstraints[] = {{"C1", "dimensions is a permutation of the operand's dimensions."}};

DimensionRelations transposeDimensions(const InferContext& context) {
  DimensionRelations out;
  const auto& order = context.attributes->ints(Attr::dimensions);
  for (size_t d = 0; d < order.size(); ++d)
    out.same(DimensionRef::result(d), DimensionRef::operand(0, static_cast<size_t>(order[d])));
  return out;
}

}  // namespace

const OpDef kTranspose = {
    .opcode = Opcode::Transpose,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::DataMovement, kMovesData},
    .summary = "Permute dimensions",
    .doc =
        "$r_{i_0 i_1 \\dots} = x_{j_0 j_1 \\dots}$ with $j_{d_k} = i_k$ and $d$ = dimensions. {1,0} swaps rows and "
        "columns.",
    .synonyms = "permute swapaxes",
    .title = "transpose{to dimensions}",
    .operands = kTransposeOperands,
    .attributes = kTransposeAttributes,
    .constraints = kTransposeConstraints,
    .inferShape = inferTranspose,
    .inferLayout = transposeLayout,
    .evaluate = evaluateTranspose,
    .element = transposeElement,
    .dimensions = transposeDimensions,
};

}  // namespace tessera
