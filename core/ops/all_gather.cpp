// all-gather, its -start and -done: the devices' arrays, concatenated along one dimension in the order of the group.
#include "core/base/checked_math.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/shared/collective_groups.h"
#include "core/ops/shared/scalar_callee.h"

namespace tessera {
namespace {

constexpr OperandDoc kAllGatherOperands[] = {{"operands", "arrays; each is gathered by itself"}};
constexpr OperandDoc kAllGatherDoneOperands[] = {{"start", "the all-gather-start"}};
constexpr AttributeRow kAllGatherAttributes[] = {
    kChannelRow,   kGroupsRow, kConstrainRow, {Attr::dimensions, true, "", "the one dimension that grows"},
    kGlobalIdsRow, kModeRow,
};
constexpr Constraint kAllGatherConstraints[] = {
    {"C1", kGroupsText},
    {"C2", "dimensions names one dimension of the operands"},
    {"C3", "that dimension of the result is the operand's times the size of a group"},
};
constexpr Constraint kAllGatherDoneConstraints[] = {{"C1", "the operand is a tuple of operands and results"}};

// The written result of the op itself: a start's is element 1 of a tuple.
const Shape* writtenResult(const InferContext& context) {
  if (context.opcode != Opcode::AllGatherStart || !context.written) return context.written;
  return context.written->isTuple() && context.written->elements.size() >= 2 ? &context.written->elements[1] : nullptr;
}

Result<Shape> gathered(const InferContext& context, size_t i, int64_t dim) {
  const Shape& operand = context.operand(i);
  if (dim < 0 || dim >= operand.rank())
    return context.violated("C2", "operand " + std::to_string(i) + " has no dimension " + std::to_string(dim), {},
                            toString(operand, false));
  const auto d = static_cast<size_t>(dim);
  const Shape* written = writtenResult(context);
  if (written && written->isTuple()) written = i < written->elements.size() ? &written->elements[i] : nullptr;
  const bool usable = written && written->isArray() && written->rank() == operand.rank();
  Shape out = withoutLayout(operand);
  if (operand.dimensions[d] == Shape::kUnbounded) return out;
  const int64_t shards = shardCountOf(context, usable ? written->dimensions[d] : 0, usable ? operand.dimensions[d] : 0);
  const auto size = checkedMul(operand.dimensions[d], shards);
  if (shards == 0 || !size)
    return context.violated("C3", "the result is no whole number of operands",
                            "a multiple of " + std::to_string(operand.dimensions[d]),
                            usable ? std::to_string(written->dimensions[d]) : "");
  if (usable && written->dimensions[d] != *size && written->dimensions[d] != Shape::kUnbounded)
    return context.violated("C3", "the result has another size along dimension " + std::to_string(dim),
                            std::to_string(*size), std::to_string(written->dimensions[d]));
  out.dimensions[d] = *size;
  return out;
}

Result<Shape> gatheredAll(const InferContext& context) {
  TESSERA_TRY(checkCollectiveOperands(context));
  TESSERA_TRY(checkGroups(context, "C1"));
  const std::vector<int64_t>& dims = context.attributes->ints(Attr::dimensions);
  if (dims.size() != 1)
    return context.violated("C2", "all-gather takes one dimension", "1", std::to_string(dims.size()));
  std::vector<Shape> shapes;
  for (size_t i = 0; i < context.operands.size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(Shape shape, gathered(context, i, dims[0]));
    shapes.push_back(std::move(shape));
  }
  return joinedShape(std::move(shapes));
}

Result<Shape> inferAllGather(const InferContext& context) {
  TESSERA_ASSIGN_OR_RETURN(Shape shape, gatheredAll(context));
  return shape;
}

Result<Shape> inferAllGatherStart(const InferContext& context) {
  TESSERA_ASSIGN_OR_RETURN(Shape result, gatheredAll(context));
  std::vector<Shape> operands;
  for (const Shape* operand : context.operands) operands.push_back(withoutLayout(*operand));
  return Shape::tuple({joinedShape(std::move(operands)), std::move(result)});
}

Result<Literal> gather(const EvaluateContext& context, const Shape& result, std::string ticket) {
  TESSERA_ASSIGN_OR_RETURN(GroupRendezvous group, groupRendezvousOf(context, membersOf(context)));
  group.rendezvous.ticket = std::move(ticket);
  const int64_t dim = context.instruction.attributes->ints(Attr::dimensions)[0];
  const std::vector<Shape> wholes = resultLeaves(result);
  const size_t members = group.rendezvous.members.size();
  for (size_t i = 0; i < context.operands.size(); ++i) {
    const int64_t part = context.operands[i].shape().dimensions[static_cast<size_t>(dim)];
    if (part * static_cast<int64_t>(members) != wholes[i].dimensions[static_cast<size_t>(dim)])
      return fail("a group of " + std::to_string(members) + " devices does not fill " + toString(wholes[i], false));
  }
  TESSERA_ASSIGN_OR_RETURN(
      std::vector<Literal> out,
      group.communicator->allGather(group.rendezvous, operandArrays(context), dim, wholes, context.cancelled));
  return literalOrTuple(std::move(out));
}

Result<Literal> evaluateAllGather(const EvaluateContext& context) { return gather(context, context.shape, {}); }

Result<Literal> evaluateAllGatherStart(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(Literal result, gather(context, context.shape.elements[1], ticketOf(context)));
  return Literal::tuple({joinedValue(context), std::move(result)});
}

Result<Shape> inferAllGatherDone(const InferContext& context) {
  const Shape& start = context.operand(0);
  if (!start.isTuple() || start.elements.size() < 2)
    return context.violated("C1", "the operand is no started all-gather", "(operand, result)", toString(start, false));
  const Shape& result = start.elements[1];
  return withoutLayout(result);
}
void allGatherDoneLayout(const InferContext& context, Shape& result) {
  if (context.operand(0).elements.size() >= 2) result = context.operand(0).elements[1];
}
Result<Literal> evaluateAllGatherDone(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(auto finished, finishStarted(context));
  return finished ? std::move(*finished) : context.operands[0].elements()[1];
}

}  // namespace

const OpDef kAllGather = {
    .opcode = Opcode::AllGather,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kSideEffect | kCollective},
    .summary = "Puts the arrays of several devices side by side.",
    .doc =
        "The result is the concatenation of the operands of all devices of the group along `dimensions`, in the order "
        "of the group; every device gets it.",
    .operands = kAllGatherOperands,
    .attributes = kAllGatherAttributes,
    .constraints = kAllGatherConstraints,
    .inferShape = inferAllGather,
    .evaluate = evaluateAllGather,
    .dimensions = relationsOfShards,
};
const OpDef kAllGatherStart = {
    .opcode = Opcode::AllGatherStart,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kSideEffect | kCollective | kStartsAsync},
    .summary = "Begins an all-gather.",
    .doc =
        "The result is the pair (operand, result), or with several operands a pair of tuples; only all-gather-done may "
        "read it.",
    .operands = kAllGatherOperands,
    .attributes = kAllGatherAttributes,
    .constraints = kAllGatherConstraints,
    .inferShape = inferAllGatherStart,
    .evaluate = evaluateAllGatherStart,
};
const OpDef kAllGatherDone = {
    .opcode = Opcode::AllGatherDone,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kSideEffect | kEndsAsync},
    .summary = "Ends an all-gather.",
    .doc = "The result of the all-gather that all-gather-start has begun.",
    .operands = kAllGatherDoneOperands,
    .attributes = {},
    .constraints = kAllGatherDoneConstraints,
    .inferShape = inferAllGatherDone,
    .inferLayout = allGatherDoneLayout,
    .evaluate = evaluateAllGatherDone,
};

}  // namespace tessera
