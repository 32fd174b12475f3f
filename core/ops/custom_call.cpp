// custom-call: a call of something outside HLO by its name. Every target is kept and shown; those that only annotate a
// value (shardings) hand it on; others fail when they are run.
#include <algorithm>

#include "core/ops/op.h"

namespace tessera {
namespace {

constexpr OperandDoc kOperands[] = {{"arguments", "whatever the target takes"}};
constexpr AttributeRow kAttributes[] = {
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
     "API_VERSION_UNSPECIFIED API_VERSION_ORIGINAL API_VERSION_STATUS_RETURNING API_VERSION_STATUS_RETURNING_UNIFIED API_VERSION_TYPED_FFI"},
};
constexpr Constraint kConstraints[] = {
    {"C1", "the result's shape is written"},
    {"C2", "operand_layout_constraints has one shape for each operand"},
};

// Targets that mark a value for a partitioner or a scheduler and leave it as it is on one device.
constexpr std::string_view kAnnotations[] = {
    "Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "xla.sdy.Sharding", "xla.sdy.FuncResultSharding",
    "xla.sdy.GlobalToLocalShape", "xla.sdy.LocalToGlobalShape", "LayoutConstraint", "annotate_device_placement",
    "MoveToHost", "MoveToDevice",
};

Result<Inferred> inferShape(const InferContext& context) {
  if (!context.written) return context.violated("C1", "the result of a custom-call has to be written");
  const auto* layouts = context.attributes->get<std::vector<Shape>>(Attr::operand_layout_constraints);
  if (layouts && layouts->size() != context.operands.size())
    return context.violated("C2", "operand_layout_constraints does not fit the operands", std::to_string(context.operands.size()), std::to_string(layouts->size()));
  const Shape& shape = *context.written;
  return Inferred{withoutLayout(shape), std::vector<std::string>(static_cast<size_t>(shape.rank()), "as the target says")};
}

// Annotations may have several operands and give them as a tuple.
Result<Literal> handOn(const EvaluateContext& context) {
  if (context.operands.size() == 1) return context.operands[0];
  return Literal::tuple(std::vector<Literal>(context.operands.begin(), context.operands.end()));
}

Result<Literal> evaluate(const EvaluateContext& context) {
  std::string target(context.instruction.attributes->textOr(Attr::custom_call_target, ""));
  Diagnostic d;
  d.fault = Fault::Unsupported;
  if (std::ranges::find(kAnnotations, target) == std::end(kAnnotations)) {
    d.message = "nobody knows the custom-call target \"" + target + "\"";
    return std::unexpected(std::move(d));
  }
  TESSERA_ASSIGN_OR_RETURN(Literal value, handOn(context));
  if (compatible(value.shape(), context.shape)) return value;
  d.message = "\"" + target + "\" cuts a value for several devices; this runs on one";
  d.expected = toString(context.shape, false);
  d.found = toString(value.shape(), false);
  return std::unexpected(std::move(d));
}

}  // namespace

extern const OpDef kCustomCall;
const OpDef kCustomCall = {
    .opcode = Opcode::CustomCall,
    .kind = ExecutionKind::Effect,
    .category = "Communication",
    .summary = "Calls something outside HLO by its name.",
    .doc = "The target, its operands and its result are kept as written. Targets that only annotate a value hand it on; "
           "an unknown target is an error when the program runs, not before.",
    .operands = kOperands,
    .attributes = kAttributes,
    .constraints = kConstraints,
    .inferShape = inferShape,
    .evaluate = evaluate,
};

}  // namespace tessera
