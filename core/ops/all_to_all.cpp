// all-to-all: block j of device i becomes block i of device j. With `dimensions` the blocks are along a dimension of
// one array; without, each operand is a block.
#include "core/ops/inference/infer_checks.h"
#include "core/ops/shared/collective_groups.h"
#include "core/ops/shared/dimension_relations.h"

namespace tessera {
namespace {

constexpr OperandDoc kAllToAllOperands[] = {
    {"operands", "one array that is cut, or one array for each device of a group"}};
constexpr AttributeRow kAllToAllAttributes[] = {
    kChannelRow,
    kGroupsRow,
    kConstrainRow,
    {Attr::dimensions, false, "", "the one dimension that is cut; absent: each operand is a block"},
};
constexpr Constraint kAllToAllConstraints[] = {
    {"C1", kGroupsText},
    {"C2", "dimensions names one dimension of the one operand, which the size of a group divides"},
    {"C3", "without dimensions the operands have one shape, and there is one for each device of a group"},
};

Result<Shape> inferCut(const InferContext& context, const std::vector<int64_t>& dims) {
  const Shape& operand = context.operand(0);
  const bool fits = context.operands.size() == 1 && dims.size() == 1 && dims[0] >= 0 && dims[0] < operand.rank();
  if (!fits)
    return context.violated("C2", "one operand is cut along one of its dimensions",
                            "one dimension of " + toString(operand, false), listOf(dims));
  const int64_t size = operand.dimensions[static_cast<size_t>(dims[0])],
                blocks = groupSizeOf(*context.attributes).value_or(1);
  if (size != Shape::kUnbounded && size % blocks != 0)
    return context.violated("C2", "dimension " + std::to_string(dims[0]) + " cannot be cut evenly",
                            "a multiple of " + std::to_string(blocks), std::to_string(size));
  return withoutLayout(operand);
}

Result<Shape> inferBlocks(const InferContext& context) {
  const auto size = groupSizeOf(*context.attributes);
  if (size && *size != static_cast<int64_t>(context.operands.size()))
    return context.violated("C3", "all-to-all takes one operand for each device of a group", std::to_string(*size),
                            std::to_string(context.operands.size()));
  std::vector<Shape> shapes;
  for (const Shape* operand : context.operands) {
    if (!compatible(*operand, context.operand(0)))
      return context.violated("C3", "the operands have different shapes", toString(context.operand(0), false),
                              toString(*operand, false));
    shapes.push_back(withoutLayout(*operand));
  }
  if (shapes.size() == 1 && context.written && context.written->isArray()) return shapes[0];
  return Shape::tuple(std::move(shapes));
}

Result<Shape> inferAllToAll(const InferContext& context) {
  TESSERA_TRY(checkCollectiveOperands(context));
  TESSERA_TRY(checkGroups(context, "C1"));
  const std::vector<int64_t>& dims = context.attributes->ints(Attr::dimensions);
  return dims.empty() ? inferBlocks(context) : inferCut(context, dims);
}

// Each operand is a block.
Result<Literal> exchangeBlocks(const EvaluateContext& context, const GroupRendezvous& group) {
  const size_t members = group.rendezvous.members.size();
  if (members != context.operands.size())
    return fail("all-to-all has " + std::to_string(context.operands.size()) + " operands for a group of " +
                std::to_string(members));
  const std::vector<Shape> received(members, context.operands[group.place].shape());
  TESSERA_ASSIGN_OR_RETURN(std::vector<Literal> out, group.communicator->swap(group.rendezvous, operandArrays(context),
                                                                              received, context.cancelled));
  return context.shape.isArray() ? out[0] : Literal::tuple(std::move(out));
}

Result<Literal> evaluateAllToAll(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const GroupRendezvous group, groupRendezvousOf(context, membersOf(context)));
  const std::vector<int64_t>& dims = context.instruction.attributes->ints(Attr::dimensions);
  if (dims.empty()) return exchangeBlocks(context, group);
  const int64_t size = context.shape.dimensions[static_cast<size_t>(dims[0])];
  const auto blocks = static_cast<int64_t>(group.rendezvous.members.size());
  if (size % blocks != 0)
    return fail("dimension " + std::to_string(dims[0]) + " of size " + std::to_string(size) + " cannot be cut for " +
                std::to_string(blocks) + " devices");
  TESSERA_ASSIGN_OR_RETURN(
      Literal out, group.communicator->allToAll(group.rendezvous, context.operands[0], dims[0], context.cancelled));
  out.setLayout(context.shape.layout);
  return out;
}

// Blocks change their places, not their number.
DimensionRelations allToAllDimensions(const InferContext& context) {
  DimensionRelations out = relationsOfElementwise(context);
  for (size_t k = 1; k < context.operands.size(); ++k)
    out.sameArray(DimensionRef::operand(k, 0), context.operand(k), DimensionRef::operand(0, 0), context.operand(0));
  for (DimensionRelation& row : out.rows) row.aligned = false;
  return out;
}

}  // namespace

const OpDef kAllToAll = {
    .opcode = Opcode::AllToAll,
    .kind = ExecutionKind::Effect,
    .category = {OpCategory::Communication, kSideEffect | kCollective},
    .summary = "Every device sends a block to every device.",
    .doc =
        "Each array is cut into as many blocks along `dimensions` as the group has devices; block $j$ of device $i$ "
        "becomes block $i$ of device $j$. Without `dimensions` operand $j$ is block $j$ and the result is a tuple.",
    .operands = kAllToAllOperands,
    .attributes = kAllToAllAttributes,
    .constraints = kAllToAllConstraints,
    .inferShape = inferAllToAll,
    .inferLayout = likeOperandLayouts,
    .evaluate = evaluateAllToAll,
    .dimensions = allToAllDimensions,
};

}  // namespace tessera
