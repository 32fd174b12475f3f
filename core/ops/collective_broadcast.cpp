// collective-broadcast: the value of the first device of a group goes to all of the group.
#include "core/base/result.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/shared/collective_groups.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/zero_values.h"

namespace tessera {
namespace {

constexpr OperandDoc kCollectiveBroadcastOperands[] = {{"operands", "arrays that move together"}};
constexpr AttributeRow kCollectiveBroadcastAttributes[] = {
    kChannelRow, kGroupsRow, {Attr::has_dynamic_root, false, "false", "the last operand says who sends"}};
constexpr Constraint kCollectiveBroadcastConstraints[] = {{"C1", kGroupsText},
                                                          {"C2", "with has_dynamic_root there is a value and a root"}};

// With a dynamic root the last operand says who sends, and is no value.
Result<Shape> inferCollectiveBroadcast(const InferContext& context) {
  TESSERA_TRY(checkCollectiveOperands(context));
  TESSERA_TRY(checkGroups(context, "C1"));
  if (!context.attributes->boolOr(Attr::has_dynamic_root, false)) return likeOperands(context);
  if (context.operands.size() < 2)
    return context.violated("C2", "a dynamic root needs an operand of its own", "values and a root", "1 operand");
  InferContext values = context;
  values.operands.pop_back();
  return likeOperands(values);
}

// The first device of the group sends; a device in no group gets zeros.
Result<Literal> evaluateCollectiveBroadcast(const EvaluateContext& context) {
  if (context.instruction.attributes->boolOr(Attr::has_dynamic_root, false))
    return failUnsupported("a collective-broadcast with a dynamic root cannot be run");
  const std::vector<int64_t> members = membersOf(context);
  if (members.empty()) return zerosOf(context.shape);
  TESSERA_ASSIGN_OR_RETURN(const GroupRendezvous group, groupRendezvousOf(context, members));
  TESSERA_ASSIGN_OR_RETURN(DeviceValues out,
                           group.communicator->broadcast(group.rendezvous, operandArrays(context), context.cancelled));
  return out.size() == 1 ? std::move(out[0]) : Literal::tuple(std::move(out));
}

}  // namespace

const OpDef kCollectiveBroadcast = {
    .opcode = Opcode::CollectiveBroadcast,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kSideEffect | kCollective},
    .summary = "Gives the value of one device to all of its group.",
    .doc = "The result is the operand of the first device of the group; devices in no group get zeros.",
    .operands = kCollectiveBroadcastOperands,
    .attributes = kCollectiveBroadcastAttributes,
    .constraints = kCollectiveBroadcastConstraints,
    .inferShape = inferCollectiveBroadcast,
    .inferLayout = likeOperandLayouts,
    .evaluate = evaluateCollectiveBroadcast,
    .dimensions = relationsOfOperand<0>,
};

}  // namespace tessera
