// Devices of a module: replica groups and pairs against replica_count and num_partitions, shardings against the number
// of devices, and what the instructions of one channel have in common. A count of 1 may mean that it was not set, so
// groups are held against counts above 1 only, as XLA does.
#include <algorithm>
#include <map>
#include <set>

#include "core/devices/sharding.h"
#include "core/ops/inference/instruction_checks.h"
#include "core/ops/shared/collective_groups.h"
#include "core/ops/verify/verify_groups.h"

namespace tessera {
namespace {

// Collectives whose groups share one result shape have to be equally large.
bool wantsEqualGroups(Opcode opcode) {
  switch (opcode) {
    case Opcode::AllGather:
    case Opcode::AllGatherStart:
    case Opcode::AllToAll:
    case Opcode::ReduceScatter: return true;
    default: return false;
  }
}

class DeviceChecks {
 public:
  DeviceChecks(const Module& module, Diagnostics& out)
      : module_(module),
        out_(out),
        replicas_(module.config().replicaCount.value_or(1)),
        partitions_(module.config().numPartitions.value_or(1)) {}

  void check(const Instruction& instruction) {
    checkGroups(instruction);
    checkOneGroup(instruction);
    checkConstrainedLayout(instruction);
    checkPairs(instruction);
    checkSharding(instruction);
    checkChannel(instruction);
  }

  void checkChannels() {
    for (const auto& [channel, instructions] : channels_) checkSendsAndReceives(channel, instructions);
  }

 private:
  void refuse(const Instruction& instruction, std::string message, std::string label, std::string expected = {},
              std::string found = {}) {
    out_.add(diagnosticAt(instruction, instruction.reference() + " " + std::move(message), std::move(label),
                          std::move(expected), std::move(found)));
  }

  void checkGroups(const Instruction& instruction) {
    const auto* groups = instruction.attributes->get<ReplicaGroups>(Attr::replica_groups);
    const bool global = instruction.attributes->boolOr(Attr::use_global_device_ids, false);
    if (global && !instruction.attributes->has(Attr::channel_id))
      refuse(instruction, "numbers global devices and has no channel_id", "replica-groups");
    if (global && groups && groups->groups.empty())
      refuse(instruction, "numbers global devices and has no replica groups", "replica-groups");
    if (!groups || groups->groups.empty()) return;
    int64_t members = 0;
    for (const auto& group : groups->groups) members += static_cast<int64_t>(group.size());
    const int64_t devices = groupExtent(instruction, {replicas_, partitions_});
    if (devices > 1 && members != devices)
      refuse(instruction, "has replica groups for another number of devices", "replica-groups", std::to_string(devices),
             std::to_string(members));
    const size_t size = groups->groups[0].size();
    if (wantsEqualGroups(instruction.opcode) &&
        !std::ranges::all_of(groups->groups, [&](const auto& group) { return group.size() == size; }))
      refuse(instruction, "has replica groups of different size", "replica-groups", "groups of " + std::to_string(size),
             groups->text);
  }

  // Without groups all devices are one: as many parts as there are of them.
  void checkOneGroup(const Instruction& instruction) {
    const auto* groups = instruction.attributes->get<ReplicaGroups>(Attr::replica_groups);
    const auto* dimensions = instruction.attributes->get<std::vector<int64_t>>(Attr::dimensions);
    const int64_t devices = groupExtent(instruction, {replicas_, partitions_});
    if ((!groups || groups->groups.empty()) && instruction.opcode == Opcode::AllToAll && !dimensions && devices > 1 &&
        std::ssize(instruction.operands) != devices)
      refuse(instruction, "has operands for another number of devices", "replica-groups", std::to_string(devices),
             std::to_string(instruction.operands.size()));
    const bool array = instruction.operands.size() == 1 && instruction.operands[0].valid() &&
                       module_.contains(instruction.operands[0]) && instruction.shape->isArray();
    if ((groups && !groups->groups.empty()) || !dimensions || dimensions->size() != 1 || devices <= 1 || !array) return;
    const bool gathers = instruction.opcode == Opcode::AllGather;
    if (!gathers && instruction.opcode != Opcode::ReduceScatter) return;
    const Shape &operand = module_.shapeOf(instruction.operands[0]), &whole = gathers ? *instruction.shape : operand,
                &part = gathers ? operand : *instruction.shape;
    const auto d = static_cast<size_t>(dimensions->front());
    if (d >= whole.dimensions.size() || d >= part.dimensions.size() || part.dimensions[d] <= 0 ||
        whole.dimensions[d] < 0)
      return;
    const int64_t parts = (whole.dimensions[d] - 1) / part.dimensions[d] + 1;
    const bool joins = instruction.attributes->has(Attr::channel_id) &&
                       !instruction.attributes->boolOr(Attr::use_global_device_ids, false);
    const int64_t members =
        joins ? devices * partitions_ : devices;  // a channel without global ids: replicas with all their partitions
    if (parts != members)
      refuse(instruction, "has parts for another number of devices", "replica-groups", std::to_string(members),
             std::to_string(parts));
  }

  // Layouts of all-reduces are constrained in all of a module or in none.
  void checkConstrainedLayout(const Instruction& instruction) {
    if (instruction.opcode != Opcode::AllReduce && instruction.opcode != Opcode::AllReduceStart) return;
    const auto constrained = [](const Instruction& i) { return i.attributes->boolOr(Attr::constrain_layout, false); };
    if (!firstAllReduce_) firstAllReduce_ = &instruction;
    if (constrained(*firstAllReduce_) != constrained(instruction))
      refuse(instruction, "and " + firstAllReduce_->reference() + " differ in constrain_layout", "constrain-layout",
             constrained(*firstAllReduce_) ? "true" : "false", constrained(instruction) ? "true" : "false");
  }

  void checkPairs(const Instruction& instruction) {
    const auto* pairs = instruction.attributes->get<std::vector<std::vector<int64_t>>>(Attr::source_target_pairs);
    const int64_t devices = groupExtent(instruction, {replicas_, partitions_});
    if (!pairs || devices <= 1) return;
    for (const auto& pair : *pairs)
      for (int64_t device : pair)
        if (device >= devices)
          refuse(instruction, "names a device that is not there", "source-target",
                 "0 to " + std::to_string(devices - 1), std::to_string(device));
  }

  // What sharding.h cannot read is none of its business.
  void checkSharding(const Instruction& instruction) {
    const auto* text = instruction.attributes->get<RawText>(Attr::sharding);
    if (text && instruction.shape->isTuple() && text->text.starts_with("{{")) {
      const size_t leaves = std::max<size_t>(leavesOf(*instruction.shape).size(), 1),
                   given = shardingsOf(text->text).size();
      if (given != leaves)
        refuse(instruction, "has a sharding for another number of arrays", "sharding", std::to_string(leaves),
               std::to_string(given));
    }
    if (!text || !instruction.shape->isArray()) return;
    if (const auto device = maximalDeviceOf(text->text); device && partitions_ > 1 && *device >= partitions_)
      refuse(instruction, "has a sharding on a device that is not there", "sharding",
             "0 to " + std::to_string(partitions_ - 1), std::to_string(*device));
    const auto tiling = tilingOf(text->text);
    if (!tiling || tiling->tiles.empty()) return;
    const auto count = static_cast<int64_t>(tiling->devices.size());
    if (static_cast<int64_t>(tiling->tiles.size()) != instruction.shape->rank())
      refuse(instruction, "has a sharding of another rank", "sharding", std::to_string(instruction.shape->rank()),
             text->text);
    if (partitions_ > 1 && count != partitions_)
      refuse(instruction, "has a sharding over another number of devices", "sharding", std::to_string(partitions_),
             std::to_string(count));
    std::vector<int64_t> devices = tiling->devices;
    std::ranges::sort(devices);
    if (std::ranges::adjacent_find(devices) != devices.end())
      refuse(instruction, "has a sharding that names a device twice", "sharding", {}, text->text);
  }

  void checkChannel(const Instruction& instruction) {
    if (!instruction.attributes->has(Attr::channel_id)) return;
    const int64_t channel = instruction.attributes->intOr(Attr::channel_id, 0);
    const bool reduces = instruction.opcode == Opcode::AllReduce || instruction.opcode == Opcode::AllReduceStart;
    if ((reduces || instruction.attributes->boolOr(Attr::use_global_device_ids, false)) && channel <= 0)
      refuse(instruction, "has a channel_id that is not positive", "channel", "1 or more", std::to_string(channel));
    channels_[channel].push_back(&instruction);
  }

  static bool isSendOrReceive(const Instruction& instruction) {
    switch (instruction.opcode) {
      case Opcode::Send:
      case Opcode::SendDone:
      case Opcode::Recv:
      case Opcode::RecvDone: return true;
      default: return false;
    }
  }

  // A channel of send or recv has nothing else; one to the host has one send and one recv at most.
  void checkSendsAndReceives(int64_t channel, const std::vector<const Instruction*>& instructions) {
    const auto first = std::ranges::find_if(instructions, [](const Instruction* i) { return isSendOrReceive(*i); });
    if (first == instructions.end()) return;
    const std::string name = "channel " + std::to_string(channel);
    std::set<Opcode> hostStarts;
    for (const Instruction* instruction : instructions) {
      if (!isSendOrReceive(*instruction))
        refuse(*instruction, "uses " + name + " of " + (*first)->reference(), "channel", "send or recv",
               std::string(instruction->opcodeName()));
      const bool start = instruction->opcode == Opcode::Send || instruction->opcode == Opcode::Recv;
      if (start && instruction->attributes->boolOr(Attr::is_host_transfer, false) &&
          !hostStarts.insert(instruction->opcode).second)
        refuse(*instruction, "uses " + name + " to the host, which is in use", "channel");
    }
  }

  const Module& module_;
  Diagnostics& out_;
  int64_t replicas_, partitions_;
  const Instruction* firstAllReduce_ = nullptr;
  std::map<int64_t, std::vector<const Instruction*>> channels_;
};

}  // namespace

void verifyDevices(const Module& module, Diagnostics& out) {
  DeviceChecks checks(module, out);
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) checks.check(module.at(id));
  checks.checkChannels();
}

}  // namespace tessera
