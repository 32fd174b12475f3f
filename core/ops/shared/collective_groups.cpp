// See collective_groups.h. The rules of what the numbers in a group mean are XLA's (GetCollectiveOpGroupMode).
#include "core/ops/shared/collective_groups.h"

#include <algorithm>

#include "core/base/result.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/evaluate_loops.h"

namespace tessera {
namespace {

enum class Numbering { Replicas, Partitions, ReplicasOfAllPartitions, Devices };

// Ops without use_global_device_ids: a channel joins partitions, none joins replicas.
bool hasGlobalIds(Opcode opcode) {
  switch (opcode) {
    case Opcode::AllReduce:
    case Opcode::AllReduceStart:
    case Opcode::AllGather:
    case Opcode::AllGatherStart:
    case Opcode::ReduceScatter: return true;
    default: return false;
  }
}

Numbering numberingOf(const Instruction& instruction) {
  const AttributeSet& attributes = *instruction.attributes;
  const std::string_view mode = attributes.textOr(Attr::mode, "");
  if (mode == "cross_replica") return Numbering::Replicas;
  if (mode == "cross_partition") return Numbering::Partitions;
  if (mode == "cross_replica_and_partition") return Numbering::ReplicasOfAllPartitions;
  if (mode == "flattened_id") return Numbering::Devices;
  const bool channel = attributes.has(Attr::channel_id);
  if (!hasGlobalIds(instruction.opcode)) return channel ? Numbering::Partitions : Numbering::Replicas;
  if (attributes.boolOr(Attr::use_global_device_ids, false)) return Numbering::Devices;
  return channel ? Numbering::ReplicasOfAllPartitions : Numbering::Replicas;
}

struct Place {
  DeviceGrid grid;
  int64_t replica = 0, partition = 0;
};

Place placeOf(const EvaluateContext& context) {
  if (!context.communicator) return {};
  return {context.communicator->grid(), context.communicator->replica(), context.communicator->partition()};
}

int64_t numberOf(Numbering numbering, const Place& place) {
  switch (numbering) {
    case Numbering::Partitions: return place.partition;
    case Numbering::Devices: return place.replica * place.grid.partitions + place.partition;
    default: return place.replica;
  }
}

// How many numbers there are.
int64_t extentOf(Numbering numbering, const DeviceGrid& grid) {
  switch (numbering) {
    case Numbering::Partitions: return grid.partitions;
    case Numbering::Devices: return grid.count();
    default: return grid.replicas;
  }
}

// Devices that a number means, seen from a place. Outside the grid the number of the device is too.
void appendDevices(Numbering numbering, const Place& place, int64_t number, std::vector<int64_t>& out) {
  const int64_t partitions = place.grid.partitions;
  const bool inside = number >= 0 && number < extentOf(numbering, place.grid);
  if (!inside) {
    out.push_back(place.grid.count() + number);
    return;
  }
  switch (numbering) {
    case Numbering::Replicas: out.push_back(number * partitions + place.partition); break;
    case Numbering::Partitions: out.push_back(place.replica * partitions + number); break;
    case Numbering::Devices: out.push_back(number); break;
    case Numbering::ReplicasOfAllPartitions:
      for (int64_t p = 0; p < partitions; ++p) out.push_back(number * partitions + p);
  }
}

const std::vector<std::vector<int64_t>>& groupsOf(const AttributeSet& attributes) {
  static const std::vector<std::vector<int64_t>> kNone;
  const auto* groups = attributes.get<ReplicaGroups>(Attr::replica_groups);
  return groups ? groups->groups : kNone;
}

}  // namespace

Status checkGroups(const InferContext& context, std::string_view label) {
  std::vector<int64_t> named;
  for (const auto& group : groupsOf(*context.attributes)) {
    if (group.empty()) return context.violated(label, "a replica group is empty");
    named.insert(named.end(), group.begin(), group.end());
  }
  std::ranges::sort(named);
  for (size_t i = 0; i < named.size(); ++i) {
    if (named[i] == static_cast<int64_t>(i)) continue;
    const bool twice = i > 0 && named[i] == named[i - 1];
    return context.violated(label,
                            twice ? "a device is in the replica groups twice" : "the replica groups leave a device out",
                            std::to_string(i), std::to_string(named[i]));
  }
  return {};
}

std::optional<int64_t> groupSizeOf(const AttributeSet& attributes) {
  const auto& groups = groupsOf(attributes);
  if (groups.empty()) return std::nullopt;
  const size_t size = groups[0].size();
  if (!std::ranges::all_of(groups, [&](const auto& group) { return group.size() == size; })) return std::nullopt;
  return static_cast<int64_t>(size);
}

int64_t groupExtent(const Instruction& instruction, const DeviceGrid& grid) {
  const AttributeSet& attributes = *instruction.attributes;
  if (!attributes.has(Attr::replica_groups) && !attributes.has(Attr::source_target_pairs)) return 0;
  return extentOf(numberingOf(instruction), grid);
}

int64_t shardCountOf(const InferContext& context, int64_t larger, int64_t smaller) {
  const auto size = groupSizeOf(*context.attributes);
  // Groups that number replicas join the partitions of each as well, so a group may be larger than it says.
  const bool exact =
      context.attributes->boolOr(Attr::use_global_device_ids, false) || !context.attributes->has(Attr::channel_id);
  if (size && exact && *size > 1) return *size;
  if (smaller == 0 || larger % smaller != 0) return smaller == larger ? 1 : 0;
  return larger / smaller;
}

std::vector<int64_t> everyMember(const EvaluateContext& context) {
  const Place place = placeOf(context);
  const Numbering numbering = numberingOf(context.instruction);
  std::vector<int64_t> out;
  for (int64_t n = 0; n < extentOf(numbering, place.grid); ++n) appendDevices(numbering, place, n, out);
  return out;
}

int64_t ownNumber(const EvaluateContext& context) {
  return numberOf(numberingOf(context.instruction), placeOf(context));
}

int64_t deviceOf(const EvaluateContext& context, int64_t number) {
  std::vector<int64_t> out;
  appendDevices(numberingOf(context.instruction), placeOf(context), number, out);
  return out.front();
}

DimensionRelations relationsOfShards(const InferContext& context) {
  DimensionRelations out = relationsOfElementwise(context);
  const auto leaves = leavesOf(*context.written);
  for (DimensionRelation& row : out.rows) {
    const int64_t operand = context.operand(row.from.value).dimensions[row.from.dimension],
                  result = leaves[row.to.leaf].shape->dimensions[row.to.dimension];
    if (operand == result) continue;
    row.aligned = false;
    row.rule = DimensionRule::Multiple;
    row.how = std::max(operand, result) / std::max<int64_t>(std::min(operand, result), 1);
    if (operand > result) std::swap(row.to, row.from);
  }
  return out;
}

std::vector<int64_t> membersOf(const EvaluateContext& context) {
  const auto& groups = groupsOf(*context.instruction.attributes);
  if (groups.empty()) return everyMember(context);
  const Place place = placeOf(context);
  const Numbering numbering = numberingOf(context.instruction);
  const int64_t own = numberOf(numbering, place);
  std::vector<int64_t> out;
  for (const auto& group : groups) {
    if (std::ranges::find(group, own) == group.end()) continue;
    for (int64_t number : group) appendDevices(numbering, place, number, out);
    break;
  }
  return out;
}

Result<GroupRendezvous> groupRendezvousOf(const EvaluateContext& context, const std::vector<int64_t>& members) {
  static EchoCommunicator alone;  // exchanges with nobody and keeps nothing
  const Instruction& instruction = context.instruction;
  const std::string what = instruction.reference() + " (" + std::string(instruction.opcodeName()) + ")";
  if (members.empty()) return fail(ErrorKind::Runtime, what + ": this device is in no group");
  const bool hasOthers = members.size() > 1 || members[0] != 0;
  if (!context.communicator && hasOthers) {
    const int64_t most = *std::ranges::max_element(members);
    return failUnsupported(what + " joins " + std::to_string(members.size()) + " devices, and there is one (device " +
                           std::to_string(most) + " is missing)");
  }
  const AttributeSet& attributes = *instruction.attributes;
  const std::string key = attributes.has(Attr::channel_id)
                              ? "channel " + std::to_string(attributes.intOr(Attr::channel_id, 0))
                              : "%" + std::to_string(instruction.id.value);
  GroupRendezvous out{context.communicator ? context.communicator : &alone, {}, {}};
  out.rendezvous = {std::string(instruction.opcodeName()) + " " + key, members, what};
  const int64_t self = out.communicator->device();
  out.place = static_cast<size_t>(std::ranges::find(members, self) - members.begin());
  return out;
}

Result<std::vector<Literal>> exchangeAmong(const EvaluateContext& context, const std::vector<int64_t>& members,
                                           Literal value) {
  TESSERA_ASSIGN_OR_RETURN(GroupRendezvous group, groupRendezvousOf(context, members));
  return group.communicator->exchangeAlike(group.rendezvous, std::move(value), context.cancelled);
}

std::string ticketOf(const EvaluateContext& context) {
  if (!context.communicator || !context.module || !context.module->contains(context.instruction.id)) return {};
  const Module& module = *context.module;
  size_t dones = 0;
  for (InstructionId id : module.at(module.at(context.instruction.id).computation).instructions) {
    const Instruction& user = module.at(id);
    if (std::ranges::find(user.operands, context.instruction.id) == user.operands.end()) continue;
    if (!hasTrait(user.opcode, kEndsAsync)) return {};
    ++dones;
  }
  return dones == 1 ? "%" + std::to_string(context.instruction.id.value) : std::string();
}

Result<std::optional<Literal>> finishStarted(const EvaluateContext& context) {
  if (!context.communicator || context.instruction.operands.empty()) return std::nullopt;
  TESSERA_ASSIGN_OR_RETURN(
      auto arrays,
      context.communicator->finish("%" + std::to_string(context.instruction.operands[0].value), context.cancelled));
  if (!arrays) return std::nullopt;
  return arrays->size() == 1 && !context.shape.isTuple() ? std::move((*arrays)[0]) : Literal::tuple(std::move(*arrays));
}

Status checkCollectiveOperands(const InferContext& context) { return checkArrayOperands(context, -1); }

Shape joinedShape(std::vector<Shape> shapes) {
  return shapes.size() == 1 ? std::move(shapes[0]) : Shape::tuple(std::move(shapes));
}

Shape likeOperands(const InferContext& context) {
  std::vector<Shape> shapes;
  for (const Shape* operand : context.operands) shapes.push_back(withoutLayout(*operand));
  return joinedShape(std::move(shapes));
}

void likeOperandLayouts(const InferContext& context, Shape& result) {
  if (result.isArray())
    result = context.operand(0);
  else
    for (size_t i = 0; i < result.elements.size(); ++i) result.elements[i] = context.operand(i);
}

Literal joinedValue(const EvaluateContext& context) {
  if (context.operands.size() == 1) return context.operands[0];
  return Literal::tuple(std::vector<Literal>(context.operands.begin(), context.operands.end()));
}

std::vector<Literal> operandArrays(const EvaluateContext& context) {
  return {context.operands.begin(), context.operands.end()};
}

const Literal& partOf(const Literal& joined, size_t operand, size_t operands) {
  return operands == 1 ? joined : joined.elements()[operand];
}

}  // namespace tessera
