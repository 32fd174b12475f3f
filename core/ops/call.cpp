// call and fusion: run a computation on the operands. A fusion is one kernel by intent: its computation stays closed.
// The inlining pass removes calls; codegen composes a fusion's ops into one program.
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/fused_bytes.h"
#include "core/ops/shared/op_cost.h"

namespace tessera {
namespace {

constexpr OperandDoc kCallOperands[] = {{"arguments", "one for each parameter of the computation"}};
constexpr AttributeRow kCallAttributes[] = {
    {Attr::to_apply, true, "", "the computation that runs"},
    {Attr::is_composite, false, "false",
     "the call stands for one named operation (composite.name in frontend_attributes)"},
};
constexpr AttributeRow kFusionAttributes[] = {
    {Attr::kind, true, "", "how the fusion was made", "kLoop kInput kOutput kCustom"},
    {Attr::output_to_operand_aliasing, false, "", "results that share an operand's buffer"},
    {Attr::calls, true, "", "the fused computation"},
};
constexpr Constraint kCallConstraints[] = {
    {"C1", "there is one operand for each parameter of the computation"},
    {"C2", "each operand has the shape of its parameter"},
};

Result<Shape> inferCall(const InferContext& context) {
  if (context.computations.empty()) return context.violated("C1", "no computation to run");
  const ProgramShape& program = context.computations[0];
  if (program.parameters.size() != context.operands.size())
    return context.violated("C1", "the computation takes another number of operands",
                            std::to_string(program.parameters.size()), std::to_string(context.operands.size()));
  for (size_t i = 0; i < program.parameters.size(); ++i)
    if (!compatible(program.parameters[i], context.operand(i)))
      return context.violated("C2", "operand " + std::to_string(i) + " has another shape than its parameter",
                              toString(program.parameters[i], false), toString(context.operand(i), false));
  const Shape& result = program.result;
  return withoutLayout(result);
}

void callLayout(const InferContext& context, Shape& result) {
  if (!context.computations.empty()) result = context.computations[0].result;
}

Result<Literal> evaluateCall(const EvaluateContext& context) { return context.call(0, context.operands); }

DimensionRelations callDimensions(const InferContext& context) {
  DimensionRelations out;
  for (size_t k = 0; k < context.operands.size(); ++k) out.passedTo(context, 0, k, k);
  out.givenBy(context, 0);
  return out;
}

Cost costOfFusion(const CostContext& context) {
  Cost cost = costOfCallees(context);
  cost.bytesAccessed = fusionBytes(context);
  return cost;
}

}  // namespace

const OpDef kCall = {
    .opcode = Opcode::Call,
    .kind = ExecutionKind::Control,
    .category = {OpCategory::Control},
    .summary = "Runs a computation on the operands.",
    .doc =
        "The result is the root of to_apply with its parameters bound to the operands. A composite call stands for a "
        "named operation whose decomposition is the computation.",
    .title = "{callee}",
    .operands = kCallOperands,
    .attributes = kCallAttributes,
    .constraints = kCallConstraints,
    .inferShape = inferCall,
    .inferLayout = callLayout,
    .cost = costOfCallees,
    .evaluate = evaluateCall,
    .dimensions = callDimensions,
};
const OpDef kFusion = {
    .opcode = Opcode::Fusion,
    .kind = ExecutionKind::Control,
    .category = {OpCategory::Control},
    .summary = "Several instructions that run as one kernel.",
    .doc =
        "Means the same as a call of the fused computation; the values between its instructions are never written to "
        "memory.",
    .title = "fusion {callee}",
    .operands = kCallOperands,
    .attributes = kFusionAttributes,
    .constraints = kCallConstraints,
    .inferShape = inferCall,
    .inferLayout = callLayout,
    .cost = costOfFusion,
    .evaluate = evaluateCall,
    .dimensions = callDimensions,
};

}  // namespace tessera
