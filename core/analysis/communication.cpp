// See communication.h.
#include "core/analysis/communication.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "core/analysis/measure.h"
#include "core/base/units.h"
#include "core/devices/shardy.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

struct Interval {
  int64_t beginNs = 0, endNs = 0;
};

// --- what is a collective

// Of a start or of what is no half of a pair: the collective that it does; null: it is none.
const Instruction* collectiveOf(const Module& module, const Instruction& i) {
  if (i.opcode != Opcode::AsyncStart) return hasTrait(i.opcode, kCollective) ? &i : nullptr;
  const auto callees = module.callees(i);
  if (callees.size() != 1 || !module.contains(callees[0])) return nullptr;
  const InstructionId root = module.at(callees[0]).root;
  return module.contains(root) ? collectiveOf(module, module.at(root)) : nullptr;
}

bool isHalf(const Instruction& i) { return hasTrait(i.opcode, kStartsAsync | kEndsAsync); }

std::string kindOf(const Instruction& collective) {
  std::string out(collective.opcodeName());
  if (out.ends_with("-start")) out.resize(out.size() - 6);
  return out;
}

double bytesSentOf(const Shape& shape) {
  double out = 0;
  for (const ShapeLeaf& leaf : leavesOf(shape))
    if (leaf.shape->isArray()) out += static_cast<double>(leaf.shape->denseBytes().value_or(0));
  return out;
}

// Of the whole array: what is gathered is as large as all parts together.
double arrayBytes(const Module& module, const Instruction& collective, int64_t groupSize) {
  double sent = 0;
  for (InstructionId operand : collective.operands)
    if (module.contains(operand)) sent += bytesSentOf(module.shapeOf(operand));
  const bool gathers = kindOf(collective) == "all-gather";
  return gathers && groupSize > 0 ? sent * static_cast<double>(groupSize) : sent;
}

// --- groups

struct DeviceCounts {
  int64_t replicas = 1, partitions = 1;
  Meshes meshes;
};

DeviceCounts countsOf(const Module& module) {
  DeviceCounts out{module.config().replicaCount.value_or(1), module.config().numPartitions.value_or(1), {}};
  if (auto meshes = meshesOf(module)) out.meshes = *std::move(meshes);
  return out;
}

// From one member to the next, where it is the same everywhere.
std::optional<int64_t> strideOf(const std::vector<int64_t>& group) {
  if (group.size() < 2) return std::nullopt;
  const int64_t stride = group[1] - group[0];
  for (size_t i = 2; i < group.size(); ++i)
    if (group[i] - group[i - 1] != stride) return std::nullopt;
  return stride > 0 ? std::optional(stride) : std::nullopt;
}

// Neighbouring axes of a mesh whose devices lie so far apart and are so many.
std::string axisOf(const Meshes& meshes, int64_t size, int64_t stride) {
  for (const auto& [name, mesh] : meshes)
    for (size_t last = mesh.axes.size(); last-- > 0;) {
      int64_t apart = 1;
      for (size_t k = last + 1; k < mesh.axes.size(); ++k) apart *= mesh.axes[k].second;
      if (apart != stride) continue;
      std::string words;
      int64_t count = 1;
      for (size_t first = last + 1; first-- > 0;) {
        count *= mesh.axes[first].second;
        words = mesh.axes[first].first + (words.empty() ? "" : ", " + words);
        if (count == size) return words;
      }
    }
  return {};
}

void describeGroups(const DeviceCounts& devices, const Instruction& collective, CollectiveUse& use) {
  if (use.kind == "collective-permute") {
    use.groups = "pairs";
    use.groupSize = 2;
    return;
  }
  const auto* written = collective.attributes->get<ReplicaGroups>(Attr::replica_groups);
  const bool all = !written || written->groups.empty();
  if (all) {
    use.groupSize = devices.replicas * devices.partitions;
    use.groups = fmt::format("all {}", use.groupSize);
    use.axis = axisOf(devices.meshes, use.groupSize, 1);
    return;
  }
  const auto& groups = written->groups;
  use.groupSize = static_cast<int64_t>(groups[0].size());
  use.groups = groups.size() == 1 ? fmt::format("all {}", use.groupSize)
                                  : fmt::format("{} groups of {}", groups.size(), use.groupSize);
  const std::optional<int64_t> stride = strideOf(groups[0]);
  if (!stride) return;
  use.axis = axisOf(devices.meshes, use.groupSize, *stride);
  if (use.axis.empty() && groups.size() > 1) use.axis = *stride == 1 ? "neighbours" : fmt::format("stride {}", *stride);
}

// --- spans of devices

// What ran on one device, in order of time.
struct DeviceSpans {
  std::unordered_map<InstructionId, std::vector<Interval>> of;  // collectives and halves
  std::vector<Interval> busy;                                   // all other kernels, joined
};

std::vector<Interval> joined(std::vector<Interval> all) {
  std::ranges::sort(all, {}, &Interval::beginNs);
  std::vector<Interval> out;
  for (const Interval& each : all) {
    if (!out.empty() && each.beginNs <= out.back().endNs)
      out.back().endNs = std::max(out.back().endNs, each.endNs);
    else
      out.push_back(each);
  }
  return out;
}

int64_t overlapOf(const Interval& span, const std::vector<Interval>& busy) {
  int64_t out = 0;
  auto at = std::ranges::upper_bound(busy, span.beginNs, {}, &Interval::endNs);
  for (; at != busy.end() && at->beginNs < span.endNs; ++at)
    out += std::min(at->endNs, span.endNs) - std::max(at->beginNs, span.beginNs);
  return out;
}

// Calls hold what they run, and halves of pairs only wait.
bool hides(const Module& module, InstructionId id) {
  const Instruction& i = module.at(id);
  return !executesCallees(i.opcode) && !isHalf(i) && !collectiveOf(module, i);
}

bool exchanges(const Module& module, const Timeline& timeline, const TimelineTrack& track) {
  for (const TimelineLane& lane : track.lanes)
    for (const TimelineSpan& span : lane.spans()) {
      const auto& of = timeline.names[span.name].instructions;
      if (!of.empty() && module.contains(of[0]) && collectiveOf(module, module.at(of[0]))) return true;
    }
  return false;
}

// Devices of our own runs are the threads of one process.
bool tracksAreDevices(const Module& module, const Timeline& timeline) {
  const auto& tracks = timeline.tracks;
  if (std::ranges::any_of(tracks, [&](const TimelineTrack& track) { return track.process != tracks[0].process; }))
    return false;
  return std::ranges::count_if(tracks, [&](const TimelineTrack& track) { return exchanges(module, timeline, track); }) >
         1;
}

std::vector<DeviceSpans> spansByDevice(const Module& module, const Timeline& timeline) {
  std::map<std::pair<std::string, int32_t>, size_t> places;
  std::vector<DeviceSpans> out;
  std::vector<std::vector<Interval>> busy;
  const bool byTrack = tracksAreDevices(module, timeline);
  for (const TimelineTrack& track : timeline.tracks)
    for (const TimelineLane& lane : track.lanes)
      for (const TimelineSpan& span : lane.spans()) {
        const auto& of = timeline.names[span.name].instructions;
        if (of.empty() || !module.contains(of[0])) continue;
        const bool isTrack = byTrack && span.device < 0;
        const auto [at, isNew] = places.try_emplace({isTrack ? track.name : track.process, span.device}, out.size());
        if (isNew) out.emplace_back(), busy.emplace_back();
        const Instruction& i = module.at(of[0]);
        if (isHalf(i) || collectiveOf(module, i))
          out[at->second].of[of[0]].push_back({span.beginNs, span.endNs});
        else if (hides(module, of[0]))
          busy[at->second].push_back({span.beginNs, span.endNs});
      }
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].busy = joined(std::move(busy[i]));
    for (auto& [id, spans] : out[i].of) std::ranges::sort(spans, {}, &Interval::beginNs);
  }
  std::erase_if(out, [](const DeviceSpans& device) { return device.of.empty() && device.busy.empty(); });
  return out;
}

// Starts and dones of one device that belong together: the k-th of each.
std::vector<Interval> executionsOf(const DeviceSpans& device, const CollectiveUse& use) {
  const auto starts = device.of.find(use.instruction);
  if (starts == device.of.end()) return {};
  std::vector<Interval> out = starts->second;
  const auto dones = use.done.valid() ? device.of.find(use.done) : device.of.end();
  if (dones == device.of.end()) return out;
  for (size_t k = 0; k < std::min(out.size(), dones->second.size()); ++k)
    out[k].endNs = std::max(out[k].endNs, dones->second[k].endNs);
  return out;
}

void measure(const std::vector<DeviceSpans>& devices, double runs, CollectiveUse& use) {
  std::vector<std::vector<Interval>> all;
  for (const DeviceSpans& device : devices) {
    std::vector<Interval> spans = executionsOf(device, use);
    if (spans.empty()) continue;
    for (const Interval& span : spans) {
      use.ns += static_cast<double>(span.endNs - span.beginNs);
      use.exposedNs += static_cast<double>(span.endNs - span.beginNs - overlapOf(span, device.busy));
    }
    use.count += static_cast<double>(spans.size());
    all.push_back(std::move(spans));
  }
  if (all.empty()) return;
  const double by = runs * static_cast<double>(all.size());
  use.ns /= by, use.exposedNs /= by, use.count /= by;
  use.exposedKnown = true;
  const size_t rounds = std::ranges::min(all, {}, &std::vector<Interval>::size).size();
  for (size_t k = 0; k < rounds && all.size() > 1; ++k) {
    const auto [first, last] = std::ranges::minmax(all, {}, [&](const auto& spans) { return spans[k].beginNs; });
    use.skewNs = std::max(use.skewNs, static_cast<double>(last[k].beginNs - first[k].beginNs));
  }
}

// Of a profile without events: sums of the halves.
void measureBySums(const std::unordered_map<InstructionId, const OpUnit*>& units, CollectiveUse& use) {
  for (InstructionId id : {use.instruction, use.done})
    if (const auto unit = units.find(id); id.valid() && unit != units.end()) {
      use.ns += unit->second->selfNs;
      use.count = std::max(use.count, unit->second->count);
    }
}

InstructionId doneOf(const Module& module, const UserTable& users, InstructionId start) {
  for (InstructionId user : users.users(start))
    if (const Opcode opcode = module.at(user).opcode; hasTrait(opcode, kEndsAsync) && !hasTrait(opcode, kStartsAsync))
      return user;
  return {};
}

}  // namespace

double CollectiveUse::busRate() const {
  const auto n = static_cast<double>(groupSize);
  if (n < 2) return rate();
  if (kind == "all-reduce") return rate() * 2 * (n - 1) / n;
  if (kind == "all-gather" || kind == "reduce-scatter" || kind == "all-to-all") return rate() * (n - 1) / n;
  return rate();
}

CommunicationTimes communicationOf(const Module& module, const OpTimes& times, const Timeline* timeline) {
  CommunicationTimes out;
  const DeviceCounts counts = countsOf(module);
  const UserTable users(module);
  std::unordered_map<InstructionId, const OpUnit*> units;
  for (const OpUnit& unit : times.units)
    if (unit.facts.instruction.valid()) units[unit.facts.instruction] = &unit;
  const std::vector<DeviceSpans> devices =
      timeline && !timeline->tracks.empty() ? spansByDevice(module, *timeline) : std::vector<DeviceSpans>();
  out.devices = devices.size();
  const double runs = static_cast<double>(std::max<int64_t>(times.runs, 1));
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      const Instruction& i = module.at(id);
      const Instruction* collective = collectiveOf(module, i);
      if (!collective) continue;
      CollectiveUse use{.instruction = id, .kind = kindOf(*collective)};
      if (isHalf(i)) use.done = doneOf(module, users, id);
      describeGroups(counts, *collective, use);
      use.bytes = arrayBytes(module, collective == &i ? i : *collective, use.groupSize);
      devices.empty() ? measureBySums(units, use) : measure(devices, runs, use);
      if (use.count <= 0) continue;
      out.ns += use.ns, out.exposedNs += use.exposedNs, out.bytes += use.bytes * use.count;
      out.uses.push_back(std::move(use));
    }
  if (devices.empty() && !out.uses.empty())
    out.notes.emplace_back("the profile has no events: what computations hide is not known");
  std::ranges::stable_sort(out.uses, [](const CollectiveUse& a, const CollectiveUse& b) {
    return a.exposedNs != b.exposedNs ? a.exposedNs > b.exposedNs : a.ns > b.ns;
  });
  return out;
}

std::vector<CollectiveUse> groupedByKind(const CommunicationTimes& communication) {
  std::vector<CollectiveUse> out;
  for (const CollectiveUse& use : communication.uses) {
    const auto found = std::ranges::find_if(out, [&](const CollectiveUse& group) {
      return group.kind == use.kind && group.groups == use.groups && group.axis == use.axis;
    });
    CollectiveUse& group = found == out.end() ? out.emplace_back() : *found;
    const double before = group.bytes * group.count;
    group.kind = use.kind, group.groups = use.groups, group.axis = use.axis, group.groupSize = use.groupSize;
    group.count += use.count;
    group.bytes = group.count > 0 ? (before + use.bytes * use.count) / group.count : 0;
    group.ns += use.ns;
    group.exposedNs += use.exposedNs;
    group.skewNs = std::max(group.skewNs, use.skewNs);
    group.exposedKnown |= use.exposedKnown;
  }
  return out;
}

Overlay exposedOverlay(const CommunicationTimes& communication) {
  const MeasureInfo& info = infoOf(Measure::Exposed);
  Overlay out{.kind = info.kind, .unit = info.unit};
  for (const CollectiveUse& use : communication.uses)
    if (use.exposedKnown) out.entries.push_back({use.instruction, {.value = use.exposedNs, .measured = true}});
  sortEntries(out);
  out.title =
      fmt::format("{} · {} of {}", info.name, durationText(communication.exposedNs), durationText(communication.ns));
  return out;
}

}  // namespace tessera
