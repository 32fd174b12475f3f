// See trace_events.h.
#include "core/profile/sources/trace_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "core/base/sorting.h"
#include "core/profile/sources/device_lines.h"
#include "core/profile/sources/trace_fields.h"

namespace tessera {
namespace {

using Thread = std::pair<std::string, std::string>;  // pid, tid: numbers or texts

// PyTorch says by the category what ran on a device.
bool isDeviceWork(const std::string& category) {
  constexpr std::string_view kCategories[] = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"};
  return std::ranges::find(kCategories, category) != std::end(kCategories);
}

// The number of a step that PyTorch's profiler marked.
std::optional<int64_t> markedStep(const TraceEvent& event) {
  constexpr std::string_view kStep = "ProfilerStep#";
  if (event.category != "user_annotation" || !event.name.starts_with(kStep)) return event.args.step;
  int64_t number = 0;
  const char* end = event.name.data() + event.name.size();
  const auto read = std::from_chars(event.name.data() + kStep.size(), end, number);
  return read.ptr == end && read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

class TraceReader {
 public:
  explicit TraceReader(bool keepsLines) : recorder_(keepsLines) {}
  void take(const TraceEvent& event);
  Result<Recorded> finish(const std::string& fileName, bool cut);

 private:
  struct Line {
    std::vector<SeenEvent> events;                      // beginPs: after placeOnClock
    std::vector<TraceTime> begins;                      // of each
    std::vector<std::pair<SeenEvent, TraceTime>> open;  // "B" without its "E"
    std::vector<std::pair<TraceTime, uint64_t>> flows;  // when, and the number of the flow
  };

  void takeName(const TraceEvent& event, const Thread& thread);
  void takeEnd(const TraceEvent& event, Line& line);
  Line& lineOf(const TraceEvent& event);
  TraceTime middleBegin() const;
  void placeOnClock();
  void bindFlows(Line& line) const;
  SeenEvent seenEvent(const TraceEvent& event);
  std::string nameOf(const std::string& pid, const std::vector<DeviceLine>& lines);
  void addProcess(const std::string& process, std::vector<DeviceLine> lines);
  void markAllAsWork();

  Recorder recorder_;
  std::map<Thread, Line> lines_;
  std::map<Thread, Line>::iterator last_ = lines_.end();  // of the event before
  std::map<std::string, std::string> processNames_, labels_;
  std::map<Thread, std::string> threadNames_;
  TraceTime origin_;  // of the times of events
  size_t events_ = 0, unended_ = 0;
};

void TraceReader::takeName(const TraceEvent& event, const Thread& thread) {
  if (!event.hasArgs) return;
  if (event.name == "process_name") processNames_[thread.first] = event.args.name;
  if (event.name == "process_labels") labels_[thread.first] = event.args.labels;
  if (event.name == "thread_name") threadNames_[thread] = event.args.name;
}

SeenEvent TraceReader::seenEvent(const TraceEvent& event) {
  SeenEvent out{.name = recorder_.text(event.name), .durationPs = psBetween({}, event.duration)};
  if (isDeviceWork(event.category)) out.kind = TimeKind::Device;
  if (const auto step = markedStep(event)) recorder_.addStep(*step, out.durationPs, false);
  if (!event.hasArgs) return out;
  const TraceEvent::Args& args = event.args;
  out.op = recorder_.text(args.op);
  out.module = recorder_.text(args.module);
  if (args.program) out.program = static_cast<uint64_t>(*args.program);
  out.run = args.run;
  out.device = static_cast<int32_t>(std::clamp<int64_t>(args.device.value_or(-1), -1, INT32_MAX));
  out.flops = std::max(0.0, args.flops);
  out.bytes = std::max(0.0, args.bytes);
  if (out.op != 0 && !args.hasCorrelation) out.kind = TimeKind::Instruction;
  return out;
}

void TraceReader::takeEnd(const TraceEvent& event, Line& line) {
  if (line.open.empty()) return void(++unended_);
  auto [begun, begin] = line.open.back();
  line.open.pop_back();
  begun.durationPs = psBetween(begin, event.begin);
  line.events.push_back(begun);
  line.begins.push_back(begin);
}

TraceReader::Line& TraceReader::lineOf(const TraceEvent& event) {
  if (last_ == lines_.end() || last_->first.first != event.process || last_->first.second != event.thread)
    last_ = lines_.try_emplace({event.process, event.thread}).first;
  return last_->second;
}

void TraceReader::take(const TraceEvent& event) {
  const std::string& phase = event.phase;
  if (phase == "M") return takeName(event, {event.process, event.thread});
  if (phase == "s" || phase == "t" || phase == "f") {
    const std::string id = event.category + '\n' + event.flow;
    lineOf(event).flows.emplace_back(event.begin, std::hash<std::string>()(id) | 1);
    return;
  }
  if (phase != "X" && phase != "B" && phase != "E") return;
  Line& line = lineOf(event);
  ++events_;
  if (phase == "X") {
    line.events.push_back(seenEvent(event));
    line.begins.push_back(event.begin);
  }
  if (phase == "B") line.open.emplace_back(seenEvent(event), event.begin);
  if (phase == "E") takeEnd(event, line);
}

// Picoseconds of 64 bits reach a hundred days, and clocks count from 1970 or from the start of the machine. An event
// astray moves the middle little.
TraceTime TraceReader::middleBegin() const {
  std::vector<TraceTime> begins;
  for (const auto& [thread, line] : lines_) begins.insert(begins.end(), line.begins.begin(), line.begins.end());
  if (begins.empty()) return {};
  const auto middle = begins.begin() + static_cast<std::ptrdiff_t>(begins.size() / 2);
  std::ranges::nth_element(begins, middle, {}, &TraceTime::us);
  return *middle;
}

void TraceReader::placeOnClock() {
  origin_ = middleBegin();
  for (auto& [thread, line] : lines_)
    for (size_t i = 0; i < line.events.size(); ++i) line.events[i].beginPs = psBetween(origin_, line.begins[i]);
}

// To the innermost event at that time.
void TraceReader::bindFlows(Line& line) const {
  constexpr size_t kMostTried = 256;
  if (line.flows.empty()) return;
  sortBy(line.events, &SeenEvent::beginPs);
  for (const auto& [when, flow] : line.flows) {
    const int64_t at = psBetween(origin_, when);
    auto event = std::ranges::upper_bound(line.events, at, {}, &SeenEvent::beginPs);
    for (size_t tried = 0; event != line.events.begin() && tried < kMostTried; ++tried) {
      --event;
      if (saturatingAdd(event->beginPs, event->durationPs) < at || event->flow != 0) continue;
      event->flow = flow;
      break;
    }
  }
}

void TraceReader::addProcess(const std::string& process, std::vector<DeviceLine> lines) {
  if (!isDevicePlane(process)) {
    for (DeviceLine& line : lines) recorder_.addLine(process, line.name, std::move(line.events));
    return;
  }
  for (DeviceLine& line : lines)
    for (SeenEvent& event : line.events) {
      if (event.op == 0 && isOpsLine(line.name))
        event.op = recorder_.text(instructionNamed({}, recorder_.text(event.name)));
      event.kind = event.op != 0 ? TimeKind::Instruction : TimeKind::Device;
    }
  addDeviceLines(process, std::move(lines), recorder_);
}

void TraceReader::markAllAsWork() {
  for (const auto& [thread, line] : lines_)
    for (const SeenEvent& event : line.events)
      if (event.kind != TimeKind::Host || isDevicePlane(processNames_[thread.first])) return;
  for (auto& [thread, line] : lines_)
    for (SeenEvent& event : line.events) event.kind = TimeKind::Device;
  if (events_ > 0) recorder_.warn("no event names an instruction (hlo_op) or a device: all are matched by their names");
}

// PyTorch calls all processes python, and labels those that stand for a device: "GPU 0".
std::string TraceReader::nameOf(const std::string& pid, const std::vector<DeviceLine>& lines) {
  const auto isWork = [](const SeenEvent& event) { return event.kind == TimeKind::Device; };
  const bool isDevice =
      std::ranges::any_of(lines, [&](const DeviceLine& line) { return std::ranges::any_of(line.events, isWork); });
  if (isDevice && !labels_[pid].empty()) return labels_[pid];
  const std::string& name = processNames_[pid];
  return name.empty() ? "process " + pid : name.substr(0, name.find(' '));
}

Result<Recorded> TraceReader::finish(const std::string& fileName, bool cut) {
  if (events_ == 0)
    return fail({.message = "the trace has no event with a duration",
                 .expected = R"(events {"ph":"X","name":…,"ts":…,"dur":…} in "traceEvents")",
                 .file = fileName});
  for (auto& [thread, line] : lines_) unended_ += line.open.size();
  recorder_.out().isCut = cut;
  if (cut) recorder_.warn("the JSON is cut or damaged: the events before that place are shown");
  if (unended_ > 0) recorder_.warn(eventsText(unended_) + " with a begin or an end alone, left out");
  markAllAsWork();
  placeOnClock();
  std::map<std::string, std::vector<DeviceLine>> processes;
  for (auto& [thread, line] : lines_) {
    bindFlows(line);
    const std::string& name = threadNames_[thread];
    processes[thread.first].push_back({name.empty() ? "thread " + thread.second : name, std::move(line.events)});
  }
  for (auto& [pid, lines] : processes) {
    const std::string name = nameOf(pid, lines);
    addProcess(name, std::move(lines));
  }
  return recorder_.finish();
}

}  // namespace

Result<Recorded> readTraceEvents(const std::string& content, const std::string& fileName, bool keepsLines) {
  TraceReader reader(keepsLines);
  const bool cut = forEachTraceEvent(content, [&](const TraceEvent& event) { reader.take(event); });
  Result<Recorded> out = reader.finish(fileName, cut);
  if (out) out->format = "Chrome trace";
  return out;
}

}  // namespace tessera
