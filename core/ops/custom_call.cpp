// custom-call: a call of something outside HLO by its name. Every target is kept and shown; the evaluator and the
// backends bring the function that runs them (core/custom_calls).
#include "core/base/result.h"
#include "core/ops/op.h"
#include "core/ops/shared/op_cost.h"

namespace tessera {
namespace {

constexpr OperandDoc kCustomCallOperands[] = {{"arguments", "whatever the target takes"}};
constexpr AttributeRow kCustomCallAttributes[] = {
    {Attr::window, false, "", "window of a convolution target"},
    {Attr::dim_labels, false, "", "dimension labels of a convolution target"},
    {Attr::feature_group_count, false, "1", "of a convolution target"},
    {Attr::batch_group_count, false, "1", "of a convolution target"},
    {Attr::to_apply, false, "", "one called computation"},
    {Attr::called_computations, false, "", "several called computations"},
    {Attr::custom_call_target, true, "", "name of the target"},
    {Attr::operand_layout_constraints, false, "", "the shapes with layouts that the target wants"},
    {Attr::custom_call_has_side_effect, false, "false", "never dropped, merged or reordered"},
    {Attr::literal, false, "", "a value for the target"},
    {Attr::output_to_operand_aliasing, false, "", "results that share an operand's buffer"},
    {Attr::padding_type, false, "", "of a convolution target", "PADDING_INVALID PADDING_VALID PADDING_SAME"},
    {Attr::operand_precision, false, "", "of a convolution target", "default high highest packed_nibble"},
    {Attr::schedule, false, "SCHEDULE_NONE", "when it wants to run", "SCHEDULE_NONE SCHEDULE_LATEST SCHEDULE_EARLIEST"},
    {Attr::api_version, false, "API_VERSION_ORIGINAL", "how the target is called",
     "API_VERSION_ORIGINAL API_VERSION_STATUS_RETURNING API_VERSION_STATUS_RETURNING_UNIFIED API_VERSION_TYPED_FFI"},
};
constexpr Constraint kCustomCallConstraints[] = {
    {"C1", "the result's shape is written"},
    {"C2", "operand_layout_constraints has one shape for each operand"},
    {"C3", "each of operand_layout_constraints is its operand's shape, with a layout of its own"},
};

Result<Shape> inferCustomCall(const InferContext& context) {
  if (!context.written) return context.violated("C1", "the result of a custom-call has to be written");
  const auto* layouts = context.attributes->get<std::vector<Shape>>(Attr::operand_layout_constraints);
  if (layouts && layouts->size() != context.operands.size())
    return context.violated("C2", "operand_layout_constraints does not fit the operands",
                            std::to_string(context.operands.size()), std::to_string(layouts->size()));
  for (size_t i = 0; layouts && i < layouts->size(); ++i)
    if (!compatible((*layouts)[i], context.operand(i)))
      return context.violated("C3", "operand_layout_constraints has another shape for operand " + std::to_string(i),
                              toString(context.operand(i), false), toString((*layouts)[i], false));
  const Shape& shape = *context.written;
  return withoutLayout(shape);
}

Result<Literal> evaluateCustomCall(const EvaluateContext& context) {
  if (context.customCall) return context.customCall(context);
  return failUnsupported("custom calls do not run here");
}

}  // namespace

const OpDef kCustomCall = {
    .opcode = Opcode::CustomCall,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kWrittenShape, OpColor::Other},
    .summary = "Calls something outside HLO by its name.",
    .doc =
        "The target, its operands and its result are kept as written. Known are annotations of partitioners, the "
        "borders of manual regions, TopK, XLA's matrix decompositions, the LAPACK targets of jaxlib, and what a "
        "library of the user offers (tessera run --custom-call-library). An unknown target is an error when the "
        "program runs, not before.",
    .title = "custom-call {custom_call_target}",
    .operands = kCustomCallOperands,
    .attributes = kCustomCallAttributes,
    .constraints = kCustomCallConstraints,
    .inferShape = inferCustomCall,
    .cost = noCost,
    .evaluate = evaluateCustomCall,
};

}  // namespace tessera
