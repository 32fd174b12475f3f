// See recorded_timeline.h.
#include "core/profile/sources/recorded_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "core/base/hash.h"
#include "core/base/sorting.h"
#include "core/profile/op_profile.h"
#include "core/profile/sources/time_stats.h"

namespace tessera {
namespace {

constexpr size_t kMostSpans = 20'000'000;

// Processes number their programs on their own: a program is known by its module, its number is that of the first file.
class ProgramNumbers {
 public:
  explicit ProgramNumbers(const std::vector<Recorded>& files) {
    for (const Recorded& file : files)
      for (const RecordedModule& module : file.modules)
        if (module.program) first_.try_emplace(module.proto, *module.program);
  }
  std::optional<uint64_t> of(const Recorded& file, std::string_view name, std::optional<uint64_t> program) const {
    for (const RecordedModule& module : file.modules)
      if (program && module.program == program && module.name == name) return first_.at(module.proto);
    return program;
  }

 private:
  std::map<std::string_view, uint64_t> first_;
};

class TimelineMaker {
 public:
  explicit TimelineMaker(const std::vector<Recorded>& files) : files_(files), programs_(files) {}
  std::shared_ptr<Timeline> make();

 private:
  struct FlowEnd {
    uint64_t flow;
    uint32_t track;
    int64_t beginNs, endNs;
  };
  struct TrackSpans {
    std::string process, name;
    std::vector<TimelineSpan> spans;
  };
  void findOrigin();
  int64_t startOf(const Recorded& file) const { return haveStarts_ ? *file.startNs : 0; }
  int64_t shiftOf(const Recorded& file, const RecordedLine& line);
  uint32_t trackOf(const Recorded& file, const RecordedLine& line);
  void addLine(const Recorded& file, const RecordedLine& line);
  uint32_t nameOf(const Recorded& file, const SeenEvent& event);
  void nameOwners();
  void addFlows();
  bool find(const FlowEnd& end, SpanPlace& out) const;

  const std::vector<Recorded>& files_;
  const ProgramNumbers programs_;
  std::shared_ptr<Timeline> out_ = std::make_shared<Timeline>();
  using NameKey = std::tuple<uint32_t, uint32_t, uint32_t, std::optional<uint64_t>>;  // numbers of texts, program
  struct HashKey {
    size_t operator()(const NameKey& of) const {
      const auto& [name, op, module, program] = of;
      return mixedHash(mixedHash(mixedHash(name, op), module), program.value_or(0));
    }
  };
  std::unordered_map<NameKey, uint32_t, HashKey> names_;  // of a file; again for each file
  std::unordered_map<std::string, uint32_t> known_;
  std::vector<FlowEnd> ends_;
  std::vector<TrackSpans> tracks_;
  std::map<std::tuple<std::string, std::string, size_t>, uint32_t> trackNumbers_;  // by process, name and number there
  std::map<std::pair<std::string, std::string>, size_t> linesSeen_;                // of a file
  bool haveStarts_ = false;                                                        // all files say when they began
  bool haveRuns_ = false;                                                          // of several names
  int64_t originNs_ = 0;
  size_t spans_ = 0, leftOut_ = 0, astray_ = 0;
};

void TimelineMaker::findOrigin() {
  haveStarts_ = std::ranges::all_of(files_, [](const Recorded& file) { return file.startNs.has_value(); });
  haveRuns_ = std::ranges::any_of(files_, [this](const Recorded& file) { return file.run != files_[0].run; });
  originNs_ = INT64_MAX;
  for (const Recorded& file : files_)
    for (const RecordedLine& line : file.lines)
      if (isOnClock(line.baseNs, file.clockNs)) originNs_ = std::min(originNs_, line.baseNs + startOf(file));
}

// A line of another clock begins where its file's clock does.
int64_t TimelineMaker::shiftOf(const Recorded& file, const RecordedLine& line) {
  if (isOnClock(line.baseNs, file.clockNs)) return line.baseNs + startOf(file) - originNs_;
  ++astray_;
  return file.clockNs + startOf(file) - originNs_;
}

// A thread or stream of several runs is one track, unless nothing says when they were.
uint32_t TimelineMaker::trackOf(const Recorded& file, const RecordedLine& line) {
  const bool isAlone = file.host.empty() || files_.size() == 1;
  const std::string process = isAlone ? line.process : file.host + " " + line.process;
  const std::string name = haveRuns_ && !haveStarts_ ? line.name + ", run " + file.run : line.name;
  const size_t number = linesSeen_[{process, name}]++;
  const auto [at, isNew] = trackNumbers_.try_emplace({process, name, number}, tracks_.size());
  if (isNew) tracks_.push_back({process, name, {}});
  return at->second;
}

uint32_t TimelineMaker::nameOf(const Recorded& file, const SeenEvent& event) {
  const bool work = event.kind == TimeKind::Instruction;
  const NameKey key{event.name, work ? event.op : 0, work ? event.module : 0, work ? event.program : std::nullopt};
  const auto [at, isNew] = names_.try_emplace(key, 0);
  if (!isNew) return at->second;
  TimelineName name{file.texts[event.name], event.kind == TimeKind::Host ? "host" : "device"};
  if (work) {
    name.category = "instruction";
    name.op = file.texts[event.op];
    name.module = file.texts[event.module];
    name.text = name.op;
    name.program = programs_.of(file, name.module, event.program);
  }
  const std::string program = name.program ? std::to_string(*name.program) : std::string();
  const auto [known, added] = known_.try_emplace(
      fmt::format("{}\n{}\n{}\n{}", name.text, name.module, name.category, program), out_->names.size());
  if (added) out_->names.push_back(std::move(name));
  return at->second = known->second;
}

void TimelineMaker::nameOwners() {
  std::map<std::string, std::set<std::optional<uint64_t>>> programs;  // by module
  size_t modules = 0;
  for (const TimelineName& name : out_->names)
    if (!name.module.empty() && programs[name.module].insert(name.program).second) ++modules;
  if (modules < 2) return;
  for (TimelineName& name : out_->names) {
    if (name.module.empty()) continue;
    const bool isOneOfSeveral = programs[name.module].size() > 1;
    name.owner = labelOf({.name = name.module, .program = isOneOfSeveral ? name.program : std::nullopt});
  }
}

void TimelineMaker::addLine(const Recorded& file, const RecordedLine& line) {
  const auto hasBegin = [](const SeenEvent& event) { return event.occurrences == 1; };  // a sum has none
  if (std::ranges::none_of(line.events, hasBegin)) return;
  const uint32_t track = trackOf(file, line);
  std::vector<TimelineSpan>& spans = tracks_[track].spans;
  const int64_t shiftNs = shiftOf(file, line);
  for (const SeenEvent& event : line.events) {
    if (!hasBegin(event)) continue;
    if (++spans_ > kMostSpans) {
      ++leftOut_;
      continue;
    }
    const int64_t beginNs = saturatingAdd(toNs(event.beginPs), shiftNs);
    const int64_t endNs =
        saturatingAdd(toNs(saturatingAdd(event.beginPs, std::max<int64_t>(event.durationPs, 0))), shiftNs);
    spans.push_back({beginNs, endNs, nameOf(file, event), event.device});
    if (event.flow != 0) ends_.push_back({event.flow, track, beginNs, endNs});
  }
}

bool TimelineMaker::find(const FlowEnd& end, SpanPlace& out) const {
  const auto& lanes = out_->tracks[end.track].lanes;
  for (uint32_t lane = 0; lane < lanes.size(); ++lane) {
    const auto& spans = lanes[lane].spans();
    const auto at = std::ranges::lower_bound(spans, end.beginNs, {}, &TimelineSpan::beginNs);
    if (at == spans.end() || at->beginNs != end.beginNs || at->endNs != end.endNs) continue;
    out = {end.track, lane, static_cast<uint32_t>(at - spans.begin())};
    return true;
  }
  return false;
}

// From each event to the next one of its flow.
void TimelineMaker::addFlows() {
  sortWith(ends_, [](const FlowEnd& a, const FlowEnd& b) {
    return a.flow != b.flow ? a.flow < b.flow : a.beginNs < b.beginNs;
  });
  for (size_t i = 1; i < ends_.size(); ++i) {
    TimelineFlow flow;
    if (ends_[i - 1].flow == ends_[i].flow && find(ends_[i - 1], flow.from) && find(ends_[i], flow.to))
      out_->flows.push_back(flow);
  }
}

std::shared_ptr<Timeline> TimelineMaker::make() {
  findOrigin();
  if (originNs_ == INT64_MAX) return nullptr;
  for (const Recorded& file : files_) {
    names_.clear();
    linesSeen_.clear();
    for (const RecordedLine& line : file.lines) addLine(file, line);
    for (FlowEnd& end : ends_) end.flow = mixedHash(end.flow, 1);  // numbers are of one file
  }
  for (TrackSpans& track : tracks_) out_->addTrack(track.process, track.name, std::move(track.spans));
  if (leftOut_ > 0) out_->notes.push_back(fmt::format("{} of {} events are left out", leftOut_, spans_));
  if (astray_ > 0)
    out_->notes.push_back(fmt::format("{} lines are of another clock and begin with the others", astray_));
  std::set<std::string_view> hosts;
  for (const Recorded& file : files_) hosts.insert(file.host);
  if (hosts.size() > 1)
    out_->notes.push_back(fmt::format("{} hosts, each by its own clock: how those differ is not known", hosts.size()));
  nameOwners();
  addFlows();
  out_->finish();
  return out_;
}

}  // namespace

std::shared_ptr<Timeline> recordedTimeline(const std::vector<Recorded>& files) { return TimelineMaker(files).make(); }

}  // namespace tessera
