// Words of collectives. C++ takes HLO's groups and channels as they are. In Python a program of several devices runs
// along one axis, whose members are the flattened devices (replica · partitions + partition): groups and pairs are
// rewritten so.
#include <algorithm>

#include "core/formats/code/word_context.h"

namespace tessera::code {
namespace {

Result<std::string> groups(const Context& c) {
  const auto* groups = c.attributes().get<ReplicaGroups>(Attr::replica_groups);
  std::vector<std::string> items;
  if (groups)
    for (const auto& group : groups->groups) items.push_back(c.ints(group));
  return "Groups(" + listOf(c.language, items) + ")";
}

std::string channel(const Context& c) {
  const int64_t id = c.attributes().intOr(Attr::channel_id, 0);
  return id ? "Channel(" + std::to_string(id) + ")" : "std::nullopt";
}

Result<std::string> shardCount(const Context& c) {
  const auto dims = c.attributes().ints(Attr::dimensions);
  if (dims.empty() || !c.in.shape->isArray()) return noForm(c.in, c.language, "it has several results");
  const auto d = static_cast<size_t>(dims[0]);
  const int64_t out = c.in.shape->dimensions[d], operand = c.operandShape(0).dimensions[d];
  return std::to_string(operand == 0 || out == 0 ? 1 : std::max(out / operand, operand / out));
}

// --- Python: along the axis of all devices

struct Grid {
  int64_t replicas, partitions;
  int64_t device(int64_t replica, int64_t partition) const { return replica * partitions + partition; }
  int64_t count() const { return replicas * partitions; }
};

Grid gridOf(const Context& c) {
  return {c.module.config().replicaCount.value_or(1), c.module.config().numPartitions.value_or(1)};
}

// What numbers in groups and pairs mean.
enum class Mode : uint8_t { Replicas, Partitions, ReplicasOfAllPartitions, Devices };

Mode modeOf(const Context& c) {
  constexpr std::pair<std::string_view, Mode> kModes[] = {
      {"cross_replica", Mode::Replicas},
      {"cross_partition", Mode::Partitions},
      {"cross_replica_and_partition", Mode::ReplicasOfAllPartitions},
      {"flattened_id", Mode::Devices}};
  const std::string_view written = c.attributes().textOr(Attr::mode, "");
  for (const auto& [name, mode] : kModes)
    if (name == written) return mode;
  if (!c.attributes().has(Attr::channel_id)) return Mode::Replicas;
  if (c.attributes().boolOr(Attr::use_global_device_ids, false)) return Mode::Devices;
  switch (c.in.opcode) {
    case Opcode::AllToAll:
    case Opcode::CollectivePermute:
    case Opcode::CollectivePermuteStart:
    case Opcode::CollectiveBroadcast: return Mode::Partitions;
    default: return Mode::ReplicasOfAllPartitions;
  }
}

// One list of numbers as the lists of devices that it stands for.
std::vector<Ints> devicesOf(const Ints& numbers, Mode mode, const Grid& grid) {
  if (mode == Mode::Devices) return {numbers};
  std::vector<Ints> out;
  if (mode == Mode::ReplicasOfAllPartitions) {
    Ints& all = out.emplace_back();
    for (int64_t replica : numbers)
      for (int64_t p = 0; p < grid.partitions; ++p) all.push_back(grid.device(replica, p));
    return out;
  }
  const bool replicas = mode == Mode::Replicas;
  for (int64_t other = 0; other < (replicas ? grid.partitions : grid.replicas); ++other) {
    Ints& one = out.emplace_back();
    for (int64_t number : numbers) one.push_back(replicas ? grid.device(number, other) : grid.device(other, number));
  }
  return out;
}

Result<std::string> axisGroups(const Context& c) {
  const auto* given = c.attributes().get<ReplicaGroups>(Attr::replica_groups);
  const Grid grid = gridOf(c);
  const Mode mode = modeOf(c);
  std::vector<Ints> groups = given ? given->groups : std::vector<Ints>();
  if (groups.empty() && mode != Mode::Devices) {
    Ints& all = groups.emplace_back();
    for (int64_t i = 0; i < (mode == Mode::Partitions ? grid.partitions : grid.replicas); ++i) all.push_back(i);
  }
  std::vector<std::string> items;
  bool plain = true;
  for (const Ints& group : groups)
    for (const Ints& devices : devicesOf(group, mode, grid)) {
      plain = plain && std::ranges::is_sorted(devices);
      items.push_back(c.ints(devices));
    }
  if (items.empty() || (items.size() == 1 && plain)) return std::string("None");
  return listOf(c.language, items);
}

Result<std::string> axisPairs(const Context& c) {
  const auto* given = c.attributes().get<std::vector<Ints>>(Attr::source_target_pairs);
  std::vector<std::string> items;
  if (given)
    for (const Ints& pair : *given)
      for (const Ints& devices : devicesOf(pair, modeOf(c), gridOf(c))) items.push_back(c.ints(devices));
  return listOf(c.language, items);
}

const NamedWord kCollectiveWords[] = {
    {"groups", groups},
    {"channel", [](const Context& c) -> Result<std::string> { return channel(c); }},
    {"shard.count", shardCount},
    {"axis.groups", axisGroups},
    {"axis.pairs", axisPairs},
    {"partitions", [](const Context& c) -> Result<std::string> { return std::to_string(gridOf(c).partitions); }},
    {"devices", [](const Context& c) -> Result<std::string> { return std::to_string(gridOf(c).count()); }},
};

}  // namespace

std::span<const NamedWord> collectiveWords() { return kCollectiveWords; }

}  // namespace tessera::code
