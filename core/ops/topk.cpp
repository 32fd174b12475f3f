// topk: the k largest or smallest elements of each line along the last dimension, in order, with their indices. Floats
// are ordered totally, so NaN with a positive sign is the largest; equal elements come in order of their indices.
#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/evaluate_loops.h"
#include "core/ops/shared/topk_lines.h"

namespace tessera {
namespace {

constexpr OperandDoc kTopkOperands[] = {{"operand", "the array whose last dimension is searched"}};
constexpr AttributeRow kTopkAttributes[] = {
    {Attr::k, true, "", "how many elements of each line are given"},
    {Attr::largest, false, "true", "the largest ones; false: the smallest"},
    {Attr::is_stable, false, "false", "equal elements keep their order, as they always do here"},
};
constexpr Constraint kTopkConstraints[] = {
    {"C1", "The operand has at least one dimension."},
    {"C2", "k is not negative and not larger than the last dimension."},
    {"C3", "The elements are pred, integers or floats."},
};

Result<Shape> inferTopk(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 1));
  const Shape& operand = context.operand(0);
  if (operand.rank() == 0)
    return context.violated("C1", "topk needs a dimension to search", "rank 1 or more", "a scalar");
  const int64_t k = context.attributes->intOr(Attr::k, -1);
  if (k < 0 || k > operand.dimensions.back())
    return context.violated("C2", "a line does not have that many elements",
                            fmt::format("0 to {}", operand.dimensions.back()), fmt::format("{}", k));
  if (!isFloat(operand.type) && !isInteger(operand.type) && operand.type != ElementType::Pred)
    return context.violated("C3", "these elements have no order", "pred, integers or floats",
                            std::string(nameOf(operand.type)));
  std::vector<int64_t> dims = operand.dimensions;
  dims.back() = k;
  return Shape::tuple({arrayOf(operand.type, dims), arrayOf(ElementType::S32, dims)});
}

Result<Literal> evaluateTopk(const EvaluateContext& context) {
  const AttributeSet& attributes = *context.instruction.attributes;
  return largestOfLines(context, context.operands[0], attributes.intOr(Attr::k, 0),
                        attributes.boolOr(Attr::largest, true));
}

DimensionRelations topkDimensions(const InferContext& context) {
  DimensionRelations out;
  const size_t rank = context.operand(0).dimensions.size(), leaves = leavesOf(*context.written).size();
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    for (size_t d = 0; d + 1 < rank; ++d) out.same(DimensionRef::result(d, leaf), DimensionRef::operand(0, d));
    if (rank > 0) out.fixed(DimensionRef::result(rank - 1, leaf), "k says how many are given");
  }
  return out;
}

}  // namespace

const OpDef kTopk = {
    .opcode = Opcode::Topk,
    .kind = ExecutionKind::Library,
    .category = {OpCategory::DataMovement, kMovesData},
    .summary = "The k largest or smallest elements of each line",
    .doc =
        "Along the last dimension the $k$ largest (or smallest) elements in descending (ascending) order, and their "
        "indices as s32. True is larger than false. Of equal elements the one with the lower index comes first. Floats "
        "are in total order: $-0 < 0$, and NaN stands beyond infinity on the side of its sign.",
    .operands = kTopkOperands,
    .attributes = kTopkAttributes,
    .constraints = kTopkConstraints,
    .inferShape = inferTopk,
    .evaluate = evaluateTopk,
    .dimensions = topkDimensions,
};

}  // namespace tessera
