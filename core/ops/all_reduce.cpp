// all-reduce, its -start and -done: every device gets the reduction of all devices' values, element by element, folded
// in the order of the group. The Communicator of the run brings the values together.
#include "core/ops/inference/infer_checks.h"
#include "core/ops/shared/collective_groups.h"
#include "core/ops/shared/collective_reduction.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/op_cost.h"
#include "core/ops/shared/scalar_callee.h"

namespace tessera {
namespace {

constexpr OperandDoc kAllReduceOperands[] = {{"operands", "arrays; each is reduced by itself"}};
constexpr OperandDoc kAllReduceDoneOperands[] = {{"start", "the all-reduce-start"}};
constexpr AttributeRow kAllReduceAttributes[] = {
    kChannelRow,
    kGroupsRow,
    kConstrainRow,
    kGlobalIdsRow,
    kModeRow,
    {Attr::dimensions, false, "", "kept as written; without meaning"},
    {Attr::to_apply, true, "", "reduces two scalars to one"},
};
constexpr Constraint kAllReduceConstraints[] = {
    {"C1", kGroupsText},
    {"C2", kDeviceReducerText},
};

Result<Shape> inferAllReduce(const InferContext& context) {
  TESSERA_TRY(checkCollectiveOperands(context));
  TESSERA_TRY(checkGroups(context, "C1"));
  TESSERA_TRY(checkDeviceReducer(context, "C2"));
  std::vector<Shape> shapes;
  for (const Shape* operand : context.operands) shapes.push_back(withoutLayout(*operand));
  Shape shape = joinedShape(std::move(shapes));
  return shape;
}

Result<Literal> reduce(const EvaluateContext& context, std::string ticket) {
  TESSERA_ASSIGN_OR_RETURN(GroupRendezvous group, groupRendezvousOf(context, membersOf(context)));
  group.rendezvous.ticket = std::move(ticket);
  TESSERA_ASSIGN_OR_RETURN(
      std::vector<Literal> out,
      group.communicator->allReduce(group.rendezvous, operandArrays(context), reductionOf(context), context.cancelled));
  return literalOrTuple(std::move(out));
}

Result<Literal> evaluateAllReduce(const EvaluateContext& context) { return reduce(context, {}); }
Result<Literal> evaluateAllReduceStart(const EvaluateContext& context) { return reduce(context, ticketOf(context)); }

Result<Shape> inferAllReduceDone(const InferContext& context) {
  const Shape& start = context.operand(0);
  return withoutLayout(start);
}
void allReduceDoneLayout(const InferContext& context, Shape& result) { result = context.operand(0); }
Result<Literal> evaluateAllReduceDone(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(auto finished, finishStarted(context));
  return finished ? std::move(*finished) : context.operands[0];
}

Cost allReduceCost(const CostContext& context) {
  double flops = 0;
  for (size_t i = 0; i < context.instruction.operands.size(); ++i) flops += elementsOf(context.operand(i));
  return usualCost(context, flops);
}

}  // namespace

const OpDef kAllReduce = {
    .opcode = Opcode::AllReduce,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kSideEffect | kCollective},
    .summary = "Reduces a value over devices; all get the result.",
    .doc =
        "$r_i = f(… f(x^{(0)}_i, x^{(1)}_i) …)$ over the devices of the group, in its order. Several operands are "
        "reduced side by side. A device waits here until all of its group have come.",
    .title = "all-reduce {reducer}",
    .operands = kAllReduceOperands,
    .attributes = kAllReduceAttributes,
    .constraints = kAllReduceConstraints,
    .inferShape = inferAllReduce,
    .inferLayout = likeOperandLayouts,
    .cost = allReduceCost,
    .evaluate = evaluateAllReduce,
    .dimensions = relationsOfElementwise,
};
const OpDef kAllReduceStart = {
    .opcode = Opcode::AllReduceStart,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kSideEffect | kCollective | kStartsAsync},
    .summary = "Begins an all-reduce.",
    .doc = "The same as all-reduce; only all-reduce-done may read the result, so that other work can run in between.",
    .operands = kAllReduceOperands,
    .attributes = kAllReduceAttributes,
    .constraints = kAllReduceConstraints,
    .inferShape = inferAllReduce,
    .inferLayout = likeOperandLayouts,
    .cost = allReduceCost,
    .evaluate = evaluateAllReduceStart,
    .dimensions = relationsOfElementwise,
};
const OpDef kAllReduceDone = {
    .opcode = Opcode::AllReduceDone,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kSideEffect | kEndsAsync},
    .summary = "Ends an all-reduce.",
    .doc = "The result of the all-reduce that all-reduce-start has begun.",
    .operands = kAllReduceDoneOperands,
    .attributes = {},
    .constraints = {},
    .inferShape = inferAllReduceDone,
    .inferLayout = allReduceDoneLayout,
    .evaluate = evaluateAllReduceDone,
    .dimensions = relationsOfOperand<0>,
};

}  // namespace tessera
