// See prediction.h.
#include "core/scaling/prediction.h"

#include <algorithm>
#include <unordered_map>

#include "core/ops/inference/callgraph.h"
#include "core/ops/op.h"
#include "core/ops/shared/collective_groups.h"

namespace tessera {
namespace {

constexpr double kNano = 1e-9;

// The end of a manual region, where partitions exchange their blocks.
bool leavesRegion(const Instruction& instruction) {
  if (instruction.opcode != Opcode::CustomCall) return false;
  const std::string_view target = instruction.attributes->textOr(Attr::custom_call_target, "");
  return target == "xla.sdy.LocalToGlobalShape" || target == "SPMDShardToFullShape";
}

std::optional<Movement> movementOf(const Instruction& instruction) {
  if (leavesRegion(instruction)) return Movement::AllGather;
  switch (instruction.opcode) {
    case Opcode::AllReduce:
    case Opcode::AllReduceStart: return Movement::AllReduce;
    case Opcode::AllGather:
    case Opcode::AllGatherStart: return Movement::AllGather;
    case Opcode::ReduceScatter: return Movement::ReduceScatter;
    case Opcode::AllToAll:
    case Opcode::RaggedAllToAll: return Movement::AllToAll;
    case Opcode::CollectivePermute:
    case Opcode::CollectivePermuteStart:
    case Opcode::Send: return Movement::Permute;
    case Opcode::CollectiveBroadcast: return Movement::Broadcast;
    default: return std::nullopt;
  }
}

// Steps that only end a transfer, or hold a value for one.
bool isTransferEnd(Opcode opcode) { return opcode == Opcode::Recv || hasTrait(opcode, kEndsAsync); }

double bytesOf(const Shape& shape) {
  double bytes = 0;
  for (const ShapeLeaf& leaf : leavesOf(shape))
    if (leaf.shape->isArray()) bytes += static_cast<double>(leaf.shape->denseBytes().value_or(0));
  return bytes;
}

// Of what is gathered the whole, else what a device brings.
double movedBytes(const Module& module, const Instruction& instruction) {
  if (instruction.opcode == Opcode::AllGather || leavesRegion(instruction)) return bytesOf(*instruction.shape);
  if (instruction.opcode == Opcode::AllGatherStart) return bytesOf(instruction.shape->elements[1]);
  if (instruction.opcode == Opcode::RaggedAllToAll || instruction.opcode == Opcode::Send)
    return bytesOf(module.shapeOf(instruction.operands[0]));
  double bytes = 0;
  for (InstructionId operand : instruction.operands) bytes += bytesOf(module.shapeOf(operand));
  return bytes;
}

// The collective that an instruction is, or that the computation of an async-start ends with.
const Instruction& collectiveIn(const Module& module, const Instruction& instruction) {
  if (instruction.opcode != Opcode::AsyncStart) return instruction;
  const std::vector<ComputationId> callees = calledBy(module, instruction);
  return callees.empty() ? instruction : module.at(module.at(callees[0]).root);
}

void takeGroup(const Module& module, const Instruction& instruction, DeviceGrid grid, Communication& out) {
  EchoCommunicator device(grid);
  EvaluateContext context{instruction, *instruction.shape, {}, {}, {}, {}, &module};
  context.communicator = &device;
  out.groupSize = leavesRegion(instruction) ? grid.partitions : grid.count();
  if (leavesRegion(instruction)) return;
  if (out.movement == Movement::Permute) return;
  std::vector<int64_t> members = membersOf(context);
  std::ranges::sort(members);
  if (members.empty()) return;
  out.groupSize = static_cast<int64_t>(members.size());
  out.stride = members.size() > 1 ? members[1] - members[0] : 1;
}

// Times of instructions by execution.
class StepTimes {
 public:
  explicit StepTimes(const Profile& profile) {
    for (const StepProfile& step : profile.steps)
      if (step.count > 0)
        seconds_[step.instruction.value] += static_cast<double>(step.totalNs) * kNano / static_cast<double>(step.count);
  }
  double of(InstructionId id) const {
    const auto found = seconds_.find(id.value);
    return found == seconds_.end() ? 0 : found->second;
  }

 private:
  std::unordered_map<uint32_t, double> seconds_;
};

bool communicates(const Module& module, const Instruction& instruction) {
  return movementOf(collectiveIn(module, instruction)) || isTransferEnd(instruction.opcode);
}

// What the device does between a start and what reads it first.
double workBehind(const Module& module, const Instruction& start, const StepTimes& times) {
  if (!hasTrait(start.opcode, kStartsAsync)) return 0;
  const auto& order = module.at(start.computation).instructions;
  double seconds = 0;
  for (auto at = std::ranges::find(order, start.id); at != order.end() && ++at != order.end();) {
    const Instruction& next = module.at(*at);
    if (std::ranges::find(next.operands, start.id) != next.operands.end()) return seconds;
    if (!communicates(module, next)) seconds += times.of(next.id);
  }
  return 0;
}

bool joinsReplicas(const Communication& each, DeviceGrid grid) {
  return grid.replicas > 1 && each.groupSize > 1 && (each.groupSize - 1) * each.stride >= grid.partitions;
}

// The group of a grid that has grown: groups that reach over all devices, or over all partitions, grow with them.
GroupExtent extentOf(const Communication& each, DeviceGrid before, DeviceGrid now, int64_t nodeDevices) {
  if (each.movement == Movement::Permute) {
    const bool crosses = now.count() > nodeDevices;
    return {crosses ? 1 : std::min<int64_t>(2, now.count()), crosses ? 2 : 1};
  }
  int64_t size = each.groupSize, stride = each.stride;
  const int64_t reach = size * stride;
  const bool widened = stride >= before.partitions && before.partitions > 1;  // from replica to replica
  if (widened) stride = stride / before.partitions * now.partitions;
  if (reach == before.count())
    size = now.count() / stride;
  else if (reach == before.partitions)
    size = now.partitions / stride;
  const int64_t inner = std::clamp<int64_t>(nodeDevices / stride, 1, std::max<int64_t>(size, 1));
  return {inner, (size + inner - 1) / inner};
}

}  // namespace

DeviceWork workOf(const Module& optimized, const Profile& profile, DeviceGrid grid) {
  DeviceWork out{grid, 0, {}};
  const double runs = static_cast<double>(std::max<int64_t>(profile.runs, 1));
  const StepTimes times(profile);
  for (const StepProfile& step : profile.steps) {
    const Instruction& instruction = optimized.at(step.instruction);
    const Instruction& moved = collectiveIn(optimized, instruction);
    const auto movement = movementOf(moved);
    if (!movement) {
      if (!communicates(optimized, instruction)) out.computeSeconds += static_cast<double>(step.totalNs) * kNano / runs;
      continue;
    }
    Communication each{moved.reference() + " (" + std::string(moved.opcodeName()) + ")", *movement};
    each.bytes = movedBytes(optimized, moved);
    each.times = static_cast<double>(step.count) / runs;
    each.hiddenSeconds = workBehind(optimized, instruction, times);
    takeGroup(optimized, moved, grid, each);
    out.communications.push_back(std::move(each));
  }
  return out;
}

GridAxis likelyAxis(const DeviceWork& work) {
  const bool replicas = std::ranges::any_of(work.communications,
                                            [&](const Communication& each) { return joinsReplicas(each, work.grid); });
  const bool partitions = work.grid.partitions > 1 && !work.communications.empty();
  return replicas || !partitions ? GridAxis::Replicas : GridAxis::Partitions;
}

Result<DeviceGrid> grownGrid(const DeviceWork& work, GridAxis axis, int64_t devices) {
  const int64_t other = axis == GridAxis::Replicas ? work.grid.partitions : work.grid.replicas;
  if (devices < 1 || devices % other != 0)
    return fail(ErrorKind::Usage, std::to_string(devices) + " devices are no multiple of " + std::to_string(other) +
                                      (axis == GridAxis::Replicas ? " partitions" : " replicas"));
  return axis == GridAxis::Replicas ? DeviceGrid{devices / other, other} : DeviceGrid{other, devices / other};
}

StepPrediction predictStep(const DeviceWork& work, const Links& links, DeviceGrid grid) {
  StepPrediction out{grid, work.computeSeconds, 0, 0};
  for (const Communication& each : work.communications) {
    const double seconds =
        secondsOf(each.movement, each.bytes, extentOf(each, work.grid, grid, links.nodeDevices), links);
    out.communicationSeconds += each.times * seconds;
    out.exposedSeconds += each.times * std::max(0.0, seconds - each.hiddenSeconds);
  }
  return out;
}

}  // namespace tessera
