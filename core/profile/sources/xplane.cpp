// See xplane.h. A plane is walked twice: its tables of names follow its lines. Which events are instructions: on
// a host those with the stat hlo_op (but not launches, which have a correlation id: their kernel is on the device's
// plane); on a device all of its streams, or, where only TPU's lines are there, the line "XLA Ops".
#include "core/profile/sources/xplane.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/hash.h"
#include "core/formats/proto/wire.h"
#include "core/profile/sources/device_lines.h"
#include "core/profile/sources/time_stats.h"
#include "core/profile/sources/xplane.pb.h"

namespace tessera {
namespace {

template <class Message>
bool parseMessage(std::string_view bytes, Message& out) {
  return bytes.size() <= INT32_MAX && out.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

// The stats of one event that say what it is. Filled from the metadata first, then from the event itself.
struct EventFacts {
  uint32_t op = 0, module = 0;
  std::optional<uint64_t> program = {};
  std::optional<int64_t> run = {}, step = {};
  int32_t device = -1;
  bool launch = false;  // a call that starts work on a device
  uint64_t flow = 0;    // from the call to that work
  double flops = 0, bytes = 0;
  int64_t minPs = -1;
};

struct EventKind {
  uint32_t name = 0, displayName = 0;
  EventFacts facts;
};

struct LineParts {
  std::string name;
  int64_t timestampNs = 0;
  std::vector<std::string_view> events;
};

enum class StatMeaning : uint8_t { Other, Op, Module, Program, Run, Step, Device, Correlation, Flops, Bytes, HloProto };

StatMeaning meaningOf(std::string_view name) {
  constexpr std::pair<std::string_view, StatMeaning> kNames[] = {
      {"hlo_op", StatMeaning::Op},
      {"hlo_module", StatMeaning::Module},
      {"program_id", StatMeaning::Program},
      {"run_id", StatMeaning::Run},
      {"step_num", StatMeaning::Step},
      {"device_ordinal", StatMeaning::Device},
      {"correlation_id", StatMeaning::Correlation},
      {"flops", StatMeaning::Flops},
      {"bytes_accessed", StatMeaning::Bytes},
      {"Hlo Proto", StatMeaning::HloProto},
      {"hlo_proto", StatMeaning::HloProto},
  };
  for (const auto& [known, meaning] : kNames)
    if (known == name) return meaning;
  return StatMeaning::Other;
}

int64_t integerOf(const pb::XStat& stat) {
  switch (stat.value_case()) {
    case pb::XStat::kUint64Value: return static_cast<int64_t>(stat.uint64_value());
    case pb::XStat::kInt64Value: return stat.int64_value();
    case pb::XStat::kRefValue: return static_cast<int64_t>(stat.ref_value());
    case pb::XStat::kStrValue: {
      int64_t out = 0;
      std::from_chars(stat.str_value().data(), stat.str_value().data() + stat.str_value().size(), out);
      return out;
    }
    default: return 0;
  }
}

double realOf(const pb::XStat& stat) {
  return stat.value_case() == pb::XStat::kDoubleValue ? stat.double_value() : static_cast<double>(integerOf(stat));
}

class PlaneReader {
 public:
  PlaneReader(std::string_view message, Recorder& recorder) : recorder_(recorder) { readParts(message); }

  const std::string& name() const { return name_; }
  bool damaged() const { return damaged_; }

  // The modules of a plane of metadata.
  void readModules();
  // When the profile began, of the plane about its process.
  void readStart();
  // What the device of this plane is.
  void readDevice();
  void readLines();

 private:
  void readParts(std::string_view message);
  void readStatName(std::string_view entry);
  void readEventEntry(std::string_view entry);

  uint32_t textOf(const pb::XStat& stat);
  void takeStat(const pb::XStat& stat, EventFacts& facts);
  const EventKind& kindOf(int64_t metadataId);
  LineParts lineParts(std::string_view line);
  std::vector<SeenEvent> eventsOf(const LineParts& line, bool device);
  int64_t sinceBasePs(const LineParts& line) const;
  SeenEvent seenEvent(const pb::XEvent& event, const LineParts& line, bool device);
  void readDeviceLines();

  Recorder& recorder_;
  std::string name_;
  bool damaged_ = false;
  std::vector<std::string_view> lines_, planeStats_;
  std::unordered_map<int64_t, std::string_view> eventEntries_;
  std::unordered_map<int64_t, std::string> statNames_;
  std::unordered_map<int64_t, StatMeaning> statMeanings_;
  std::unordered_map<int64_t, EventKind> kinds_;
  std::unordered_map<uint64_t, uint32_t> referred_;  // texts of stat names that values refer to
  std::optional<int64_t> baseNs_;                    // of a device's plane
};

void PlaneReader::readParts(std::string_view message) {
  WireReader reader(message);
  while (const auto field = reader.nextCut()) {
    if (field->type != WireType::Bytes) continue;
    if (field->number == pb::XPlane::kNameFieldNumber) name_ = field->bytes;
    if (field->number == pb::XPlane::kLinesFieldNumber) lines_.push_back(field->bytes);
    if (field->number == pb::XPlane::kEventMetadataFieldNumber) readEventEntry(field->bytes);
    if (field->number == pb::XPlane::kStatMetadataFieldNumber) readStatName(field->bytes);
    if (field->number == pb::XPlane::kStatsFieldNumber) planeStats_.push_back(field->bytes);
  }
  damaged_ = reader.damaged();
}

void PlaneReader::readStatName(std::string_view entry) {
  pb::XStatMetadataEntry read;
  if (!parseMessage(entry, read)) return void(damaged_ = true);
  statMeanings_[read.key()] = meaningOf(read.value().name());
  statNames_[read.key()] = read.value().name();
}

// Only its key: most are large, or never asked for.
void PlaneReader::readEventEntry(std::string_view entry) {
  WireReader reader(entry);
  int64_t key = 0;
  while (const auto field = reader.next())
    if (field->number == 1 && field->type == WireType::Varint) key = field->integer();
  eventEntries_[key] = entry;
}

uint32_t PlaneReader::textOf(const pb::XStat& stat) {
  if (stat.value_case() == pb::XStat::kStrValue) return recorder_.text(stat.str_value());
  if (stat.value_case() == pb::XStat::kBytesValue) return recorder_.text(stat.bytes_value());
  if (stat.value_case() != pb::XStat::kRefValue) return 0;
  const auto [at, isNew] = referred_.try_emplace(stat.ref_value());
  if (!isNew) return at->second;
  const auto found = statNames_.find(static_cast<int64_t>(stat.ref_value()));
  if (found != statNames_.end()) at->second = recorder_.text(found->second);
  return at->second;
}

void PlaneReader::takeStat(const pb::XStat& stat, EventFacts& facts) {
  const auto found = statMeanings_.find(stat.metadata_id());
  if (found == statMeanings_.end()) return;
  switch (found->second) {
    case StatMeaning::Op: facts.op = textOf(stat); break;
    case StatMeaning::Module: facts.module = textOf(stat); break;
    case StatMeaning::Program: facts.program = static_cast<uint64_t>(integerOf(stat)); break;
    case StatMeaning::Run: facts.run = integerOf(stat); break;
    case StatMeaning::Step: facts.step = integerOf(stat); break;
    case StatMeaning::Device:
      facts.device = static_cast<int32_t>(std::clamp<int64_t>(integerOf(stat), -1, INT32_MAX));
      break;
    case StatMeaning::Correlation:
      facts.launch = true;
      facts.flow = mixedHash(0, static_cast<uint64_t>(integerOf(stat))) | 1;
      break;
    case StatMeaning::Flops: facts.flops = std::max(0.0, realOf(stat)); break;
    case StatMeaning::Bytes: facts.bytes = std::max(0.0, realOf(stat)); break;
    default: break;
  }
}

const EventKind& PlaneReader::kindOf(int64_t metadataId) {
  const auto [at, isNew] = kinds_.try_emplace(metadataId);
  const auto entry = eventEntries_.find(metadataId);
  if (!isNew) return at->second;
  pb::XEventMetadataEntry read;
  if (entry == eventEntries_.end() || !parseMessage(entry->second, read)) {
    damaged_ |= entry != eventEntries_.end();
    at->second.name = recorder_.text(fmt::format("event {} without a name", metadataId));
    return at->second;
  }
  at->second.name = recorder_.text(read.value().name());
  at->second.displayName = recorder_.text(read.value().display_name());
  for (const pb::XStat& stat : read.value().stats()) takeStat(stat, at->second.facts);
  return at->second;
}

// "jit_step(8)" is the module jit_step of the program 8.
void PlaneReader::readModules() {
  for (const auto& [id, entry] : eventEntries_) {
    pb::XEventMetadataEntry read;
    if (!parseMessage(entry, read)) {
      damaged_ = true;
      continue;
    }
    const auto [name, program] = moduleAndProgram(onOneLine(read.value().name()));
    RecordedModule module{name, program, {}};
    EventFacts facts;
    for (pb::XStat& stat : *read.mutable_value()->mutable_stats()) {
      takeStat(stat, facts);
      const auto meaning = statMeanings_.find(stat.metadata_id());
      if (meaning != statMeanings_.end() && meaning->second == StatMeaning::HloProto)
        module.proto = std::move(*stat.mutable_bytes_value());
    }
    if (module.proto.empty()) module.proto = read.value().metadata();
    if (facts.program) module.program = facts.program;
    if (!module.program) module.program = static_cast<uint64_t>(id);
    if (!module.proto.empty()) recorder_.out().modules.push_back(std::move(module));
  }
}

void PlaneReader::readStart() {
  for (const std::string_view bytes : planeStats_) {
    pb::XStat stat;
    if (!parseMessage(bytes, stat)) continue;
    const auto name = statNames_.find(stat.metadata_id());
    if (name != statNames_.end() && name->second == "profile_start_time") recorder_.takeStart(integerOf(stat));
  }
}

void PlaneReader::readDevice() {
  RecordedDevice read;
  for (const std::string_view bytes : planeStats_) {
    pb::XStat stat;
    const auto name = parseMessage(bytes, stat) ? statNames_.find(stat.metadata_id()) : statNames_.end();
    if (name == statNames_.end()) continue;
    if (name->second == "device_type_string") read.name = recorder_.text(textOf(stat));
    if (name->second == "peak_teraflops_per_second") read.flopsPerSecond = realOf(stat) * 1e12;
    if (name->second == "peak_hbm_bw_gigabytes_per_second") read.bytesPerSecond = realOf(stat) * 1e9;
  }
  if (recorder_.out().device.name.empty()) recorder_.out().device = std::move(read);
}

LineParts PlaneReader::lineParts(std::string_view line) {
  LineParts out;
  WireReader reader(line);
  while (const auto field = reader.nextCut()) {
    const bool text = field->type == WireType::Bytes;
    if (field->number == pb::XLine::kNameFieldNumber && text && out.name.empty()) out.name = field->bytes;
    if (field->number == pb::XLine::kDisplayNameFieldNumber && text && !field->bytes.empty()) out.name = field->bytes;
    if (field->number == pb::XLine::kTimestampNsFieldNumber && !text) out.timestampNs = field->integer();
    if (field->number == pb::XLine::kEventsFieldNumber && text) out.events.push_back(field->bytes);
  }
  damaged_ |= reader.damaged();
  return out;
}

int64_t PlaneReader::sinceBasePs(const LineParts& line) const {
  int64_t ns = 0, ps = 0;
  if (!baseNs_) return 0;
  if (!__builtin_sub_overflow(line.timestampNs, *baseNs_, &ns) && !__builtin_mul_overflow(ns, int64_t{1000}, &ps))
    return ps;
  return line.timestampNs < *baseNs_ ? INT64_MIN : INT64_MAX;
}

SeenEvent PlaneReader::seenEvent(const pb::XEvent& event, const LineParts& line, bool device) {
  const EventKind& kind = kindOf(event.metadata_id());
  EventFacts facts = kind.facts;
  for (const pb::XStat& stat : event.stats()) takeStat(stat, facts);
  SeenEvent out{.name = kind.name,
                .op = facts.op,
                .module = facts.module,
                .program = facts.program,
                .run = facts.run,
                .device = facts.device};
  if (device && out.op == 0 && isOpsLine(line.name))
    out.op = recorder_.text(instructionNamed(recorder_.text(kind.displayName), recorder_.text(kind.name)));
  if (out.op != 0 && (device || !facts.launch)) out.kind = TimeKind::Instruction;
  if (out.op == 0 && device) out.kind = TimeKind::Device;
  out.beginPs = saturatingAdd(sinceBasePs(line), event.offset_ps());
  out.durationPs = event.duration_ps();
  if (event.data_case() == pb::XEvent::kNumOccurrences) out.occurrences = event.num_occurrences();
  out.flops = facts.flops;
  out.bytes = facts.bytes;
  out.flow = facts.flow;
  if (facts.step && !device) recorder_.addStep(*facts.step, event.duration_ps(), false);
  return out;
}

std::vector<SeenEvent> PlaneReader::eventsOf(const LineParts& line, bool device) {
  std::vector<SeenEvent> out;
  out.reserve(line.events.size());
  pb::XEvent event;
  for (std::string_view bytes : line.events) {
    if (!parseMessage(bytes, event)) damaged_ = true;  // what was read of it counts
    out.push_back(seenEvent(event, line, device));
  }
  return out;
}

// A line astray moves the middle little.
int64_t middleStart(const std::vector<LineParts>& lines) {
  std::vector<int64_t> starts;
  for (const LineParts& line : lines) starts.push_back(line.timestampNs);
  return starts.empty() ? 0 : quantile(starts, 0.5);
}

// Their times are compared, so they count from one line's start.
void PlaneReader::readDeviceLines() {
  readDevice();
  std::vector<LineParts> lines;
  for (std::string_view line : lines_) lines.push_back(lineParts(line));
  baseNs_ = middleStart(lines);
  std::vector<DeviceLine> read;
  for (const LineParts& line : lines) read.push_back({line.name, eventsOf(line, true)});
  addDeviceLines(name_, std::move(read), recorder_, *baseNs_);
}

void PlaneReader::readLines() {
  if (damaged_ && statNames_.empty() && !lines_.empty())
    recorder_.warn(fmt::format("the names of the events of {} stood behind the place where the file is cut", name_));
  if (isDevicePlane(name_)) return readDeviceLines();
  for (std::string_view bytes : lines_) {
    const LineParts line = lineParts(bytes);
    recorder_.addLine(name_, line.name, eventsOf(line, false), line.timestampNs);
  }
}

struct SpaceParts {
  std::vector<std::string_view> planes;
  bool damaged = false;
  size_t damagedAt = 0;
};

SpaceParts partsOf(std::string_view content, Recorder& recorder) {
  SpaceParts out;
  WireReader reader(content);
  size_t before = 0;
  while (const auto field = reader.nextCut()) {
    out.damagedAt = before;
    before = reader.position();
    if (field->type != WireType::Bytes) continue;
    if (field->number == pb::XSpace::kPlanesFieldNumber) out.planes.push_back(field->bytes);
    if (field->number == pb::XSpace::kHostnamesFieldNumber) recorder.out().host = onOneLine(field->bytes);
    if (field->number == pb::XSpace::kErrorsFieldNumber)
      recorder.warn("the profiler says: " + std::string(field->bytes));
    if (field->number == pb::XSpace::kWarningsFieldNumber)
      recorder.warn("the profiler warns: " + std::string(field->bytes));
  }
  out.damaged = reader.damaged();
  return out;
}

}  // namespace

Result<Recorded> readXplane(std::string_view content, const std::string& fileName, bool keepsLines) {
  Recorder recorder(keepsLines);
  recorder.out().format = "XLA profile (xplane.pb)";
  const SpaceParts space = partsOf(content, recorder);
  if (space.planes.empty())
    return fail({.kind = ErrorKind::Invalid,
                 .message = "the profile has no plane",
                 .expected = "an XSpace message (xplane.pb)",
                 .found = content.empty() ? "an empty file" : fmt::format("{} bytes of something else", content.size()),
                 .file = fileName});
  bool inner = false;
  for (std::string_view message : space.planes) {
    PlaneReader plane(message, recorder);
    if (isMetadataPlane(plane.name()))
      plane.readModules();
    else if (isTaskPlane(plane.name()))
      plane.readStart();
    else
      plane.readLines();
    inner |= plane.damaged();
  }
  recorder.out().isCut = space.damaged || inner;
  if (recorder.out().isCut)
    recorder.warn(space.damaged ? fmt::format("the file is cut or damaged: the message at byte {} of {} does not end; "
                                              "what stands before is shown",
                                              space.damagedAt, content.size())
                                : "parts of the file are damaged and left out");
  return recorder.finish();
}

}  // namespace tessera
