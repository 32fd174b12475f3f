// iota: the index along one dimension as a value: 0, 1, 2 … repeated along all other dimensions. The shape is a fact
// of the instruction.
#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/evaluate_loops.h"

namespace tessera {

namespace {

Result<Shape> inferIota(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 0));
  TESSERA_ASSIGN_OR_RETURN(const Shape* written, requireWrittenArray(context));
  if (written->type == ElementType::Pred) {
    return context.violated("C1", "iota counts in numbers, not in truth values", "a numeric type", "pred");
  }
  const int64_t along = context.attributes->intOr(Attr::iota_dimension, -1);
  if (along < 0 || along >= written->rank()) {
    return context.violated("C2", "iota_dimension is not a dimension of the result",
                            fmt::format("0 to {}", written->rank() - 1), fmt::format("{}", along));
  }
  return arrayOf(written->type, written->dimensions, written->dynamic);
}

Result<Literal> evaluateIota(const EvaluateContext& context) {
  const auto along = static_cast<size_t>(context.instruction.attributes->intOr(Attr::iota_dimension, 0));
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(context.shape));
  const bool finished = forEachIndex(context.shape.dimensions, [&](std::span<const int64_t> index, int64_t linear) {
    storeElements(out, linear, std::span<const int64_t>(&index[along], 1));
    return (linear & 0xfffff) != 0xfffff || !isCancelled(context);
  });
  if (!finished) return failCancelled();
  return out;
}

Status iotaElement(ElementContext& context) {
  const auto along = static_cast<size_t>(context.attributes().intOr(Attr::iota_dimension, 0));
  context.results = {context.builder.convert(context.shape().type, context.indices[along])};
  return {};
}

constexpr AttributeRow kIotaAttributes[] = {
    {Attr::iota_dimension, true, "", "The dimension whose index is the value.", ""}};
constexpr Constraint kIotaConstraints[] = {
    {"C1", "The element type is numeric."},
    {"C2", "iota_dimension is a dimension of the result."},
};

}  // namespace

const OpDef kIota = {
    .opcode = Opcode::Iota,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::DataMovement, kMovesData | kWrittenShape, OpColor::Constant},
    .summary = "Count along a dimension",
    .doc = "$r_{i_0 \\dots i_n} = i_d$ with $d$ = iota_dimension.",
    .synonyms = "arange range",
    .title = "iota along {iota_dimension}",
    .operands = {},
    .attributes = kIotaAttributes,
    .constraints = kIotaConstraints,
    .inferShape = inferIota,
    .evaluate = evaluateIota,
    .element = iotaElement,
    .dimensions = noRelations,
};

}  // namespace tessera
