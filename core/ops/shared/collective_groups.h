// Which devices a collective joins: replica_groups (lists, iota or mesh, expanded by the reader), channel_id and
// use_global_device_ids together say it. Shared by the collective ops, for inference and for evaluation.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/devices/communicator.h"
#include "core/ops/op.h"

namespace tessera {

inline constexpr AttributeRow kChannelRow = {Attr::channel_id, false, "",
                                             "names the exchange between the partitions of a program"};
inline constexpr AttributeRow kGroupsRow = {Attr::replica_groups, false, "{}",
                                            "who exchanges with whom; empty: all with all"};
inline constexpr AttributeRow kConstrainRow = {Attr::constrain_layout, false, "false",
                                               "the layouts are the same on all devices"};
inline constexpr AttributeRow kGlobalIdsRow = {Attr::use_global_device_ids, false, "false",
                                               "groups number devices: replica · partitions + partition"};
inline constexpr AttributeRow kModeRow = {Attr::mode, false, "",
                                          "what the groups number: replicas, partitions or devices",
                                          "cross_replica cross_partition cross_replica_and_partition flattened_id"};
inline constexpr std::string_view kGroupsText = "the groups name each device 0 … n-1 once, and none is empty";

// The constraint `label` holds: kGroupsText.
Status checkGroups(const InferContext& context, std::string_view label);
// Members a group; nothing when the groups are empty (all devices) or differ in size.
std::optional<int64_t> groupSizeOf(const AttributeSet& attributes);
// How many numbers 0 … n-1 the groups or pairs of a collective may name in such a grid; 0: it has neither.
int64_t groupExtent(const Instruction& instruction, const DeviceGrid& grid);
// Factor by which the gathered or scattered dimension changes: the group size, or, where that is not written, what
// the stated result implies; 0 when neither fits.
int64_t shardCountOf(const InferContext& context, int64_t larger, int64_t smaller);

// OpDef::dimensions of all-gather and reduce-scatter: along one dimension the larger side is the smaller one times the
// size of a group; the others are the operand's.
DimensionRelations relationsOfShards(const InferContext& context);

// This device's group as flattened device numbers in the group's order; empty: the device is in no group.
std::vector<int64_t> membersOf(const EvaluateContext& context);
// Device of a number in a group or pair list (a replica, partition or flattened number, as the attributes say), in
// the row or column of this device.
int64_t deviceOf(const EvaluateContext& context, int64_t number);
// The number of this device in such a list.
int64_t ownNumber(const EvaluateContext& context);
// All devices that the numbers 0 … n-1 of such a list may mean, in order.
std::vector<int64_t> everyMember(const EvaluateContext& context);

// What a collective needs of the run: the communicator, the rendezvous of its members, and this device's position among
// them. A device without others needs no run.
struct GroupRendezvous {
  Communicator* communicator = nullptr;
  Rendezvous rendezvous;
  size_t place = 0;
};
Result<GroupRendezvous> groupRendezvousOf(const EvaluateContext& context, const std::vector<int64_t>& members);
// Every member's value in the order of the group.
Result<std::vector<Literal>> exchangeAmong(const EvaluateContext& context, const std::vector<int64_t>& members,
                                           Literal value);
// Rendezvous::ticket of a start whose result only its done reads; "": somebody else does, and it is wanted at once.
std::string ticketOf(const EvaluateContext& context);
// In a done: what its start has left to finish; absent: the start's result is whole.
Result<std::optional<Literal>> finishStarted(const EvaluateContext& context);

// Array operands, one or more, of any shape; label "operands" or "arrays".
Status checkCollectiveOperands(const InferContext& context);
// One shape, or a tuple of them when there are several operands.
Shape joinedShape(std::vector<Shape> shapes);
// One result for each operand, of its shape; their layouts, for OpDef::inferLayout.
Shape likeOperands(const InferContext& context);
void likeOperandLayouts(const InferContext& context, Shape& result);
// The operands as one value for an exchange, and one of them back.
Literal joinedValue(const EvaluateContext& context);
std::vector<Literal> operandArrays(const EvaluateContext& context);
const Literal& partOf(const Literal& joined, size_t operand, size_t operands);

}  // namespace tessera
