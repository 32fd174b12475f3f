// reduce-scatter: an all-reduce whose result is cut along one dimension; each device gets its own piece.
#include "core/ops/inference/infer_checks.h"
#include "core/ops/shared/collective_groups.h"
#include "core/ops/shared/collective_reduction.h"
#include "core/ops/shared/scalar_callee.h"

namespace tessera {
namespace {

constexpr OperandDoc kReduceScatterOperands[] = {{"operands", "arrays; each is reduced and cut by itself"}};
constexpr AttributeRow kReduceScatterAttributes[] = {
    kChannelRow,
    kGroupsRow,
    kConstrainRow,
    kGlobalIdsRow,
    kModeRow,
    {Attr::dimensions, true, "", "the one dimension that is cut"},
    {Attr::to_apply, true, "", "reduces two scalars to one"},
};
constexpr Constraint kReduceScatterConstraints[] = {
    {"C1", kGroupsText},
    {"C2", kDeviceReducerText},
    {"C3", "dimensions names one dimension of the operands"},
    {"C4", "that dimension of the operand is the result's times the size of a group"},
};

Result<Shape> scattered(const InferContext& context, size_t i, int64_t dim) {
  const Shape& operand = context.operand(i);
  if (dim < 0 || dim >= operand.rank())
    return context.violated("C3", "operand " + std::to_string(i) + " has no dimension " + std::to_string(dim), {},
                            toString(operand, false));
  const auto d = static_cast<size_t>(dim);
  const Shape* written = context.written;
  if (written && written->isTuple()) written = i < written->elements.size() ? &written->elements[i] : nullptr;
  const bool usable = written && written->isArray() && written->rank() == operand.rank();
  Shape out = withoutLayout(operand);
  const int64_t size = operand.dimensions[d];
  if (size == Shape::kUnbounded) return out;
  const int64_t shards = shardCountOf(context, usable ? size : 0, usable ? written->dimensions[d] : 0);
  if (shards == 0 || size % shards != 0)
    return context.violated(
        "C4", "dimension " + std::to_string(dim) + " of size " + std::to_string(size) + " cannot be cut evenly", {},
        usable ? std::to_string(written->dimensions[d]) : std::to_string(shards));
  out.dimensions[d] = size / shards;
  if (usable && written->dimensions[d] != out.dimensions[d] && written->dimensions[d] != Shape::kUnbounded)
    return context.violated("C4", "the result has another size along dimension " + std::to_string(dim),
                            std::to_string(out.dimensions[d]), std::to_string(written->dimensions[d]));
  return out;
}

Result<Shape> inferReduceScatter(const InferContext& context) {
  TESSERA_TRY(checkCollectiveOperands(context));
  TESSERA_TRY(checkGroups(context, "C1"));
  TESSERA_TRY(checkDeviceReducer(context, "C2"));
  const std::vector<int64_t>& dims = context.attributes->ints(Attr::dimensions);
  if (dims.size() != 1)
    return context.violated("C3", "reduce-scatter takes one dimension", "1", std::to_string(dims.size()));
  std::vector<Shape> shapes;
  for (size_t i = 0; i < context.operands.size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(Shape shape, scattered(context, i, dims[0]));
    shapes.push_back(std::move(shape));
  }
  Shape shape = joinedShape(std::move(shapes));
  return shape;
}

Result<Literal> evaluateReduceScatter(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const GroupRendezvous group, groupRendezvousOf(context, membersOf(context)));
  const int64_t dim = context.instruction.attributes->ints(Attr::dimensions)[0];
  const auto members = static_cast<int64_t>(group.rendezvous.members.size());
  const std::vector<Shape> leaves = resultLeaves(context.shape);
  for (size_t i = 0; i < leaves.size(); ++i) {
    const Shape& whole = context.operands[i].shape();
    if (leaves[i].dimensions[static_cast<size_t>(dim)] * members != whole.dimensions[static_cast<size_t>(dim)])
      return fail("a group of " + std::to_string(members) + " devices cannot cut " + toString(whole, false) + " into " +
                  toString(leaves[i], false));
  }
  TESSERA_ASSIGN_OR_RETURN(std::vector<Literal> out,
                           group.communicator->reduceScatter(group.rendezvous, operandArrays(context),
                                                             reductionOf(context), dim, leaves, context.cancelled));
  return literalOrTuple(std::move(out));
}

}  // namespace

const OpDef kReduceScatter = {
    .opcode = Opcode::ReduceScatter,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kSideEffect | kCollective},
    .summary = "Reduces a value over devices; each gets one piece.",
    .doc =
        "The same as an all-reduce over the group, of which device number $k$ of the group keeps block $k$ along "
        "`dimensions`.",
    .operands = kReduceScatterOperands,
    .attributes = kReduceScatterAttributes,
    .constraints = kReduceScatterConstraints,
    .inferShape = inferReduceScatter,
    .evaluate = evaluateReduceScatter,
    .dimensions = relationsOfShards,
};

}  // namespace tessera
