// See trace_events.h. Events are taken out of the JSON one by one while it is parsed, so that a file of millions is
// never a tree in memory.
#include "core/profile/sources/trace_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/sorting.h"
#include "core/profile/sources/device_lines.h"

namespace tessera {
namespace {

using Json = nlohmann::json;
using Thread = std::pair<std::string, std::string>;  // pid, tid: numbers or texts

std::string textOf(const Json& json) { return json.is_string() ? json.get<std::string>() : json.dump(); }

std::string fieldText(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at == object.end() || at->is_null() ? std::string() : textOf(*at);
}

std::optional<int64_t> integerIn(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end()) return std::nullopt;
  if (at->is_number_integer()) return at->get<int64_t>();
  const std::string text = textOf(*at);
  int64_t out = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  return read.ec == std::errc() ? std::optional(out) : std::nullopt;
}

double numberIn(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end()) return 0;
  if (at->is_number()) return at->get<double>();
  return at->is_string() ? std::strtod(at->get_ref<const std::string&>().c_str(), nullptr) : 0;
}

// Microseconds, as the format counts.
int64_t psOfUs(double us) {
  constexpr double kMost = 4e18;
  return std::isfinite(us) ? static_cast<int64_t>(std::llround(std::clamp(us * 1e6, -kMost, kMost))) : 0;
}

// PyTorch says by the category what ran on a device.
bool isDeviceWork(const std::string& category) {
  constexpr std::string_view kCategories[] = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"};
  return std::ranges::find(kCategories, category) != std::end(kCategories);
}

class TraceReader {
 public:
  explicit TraceReader(bool keepsLines) : recorder_(keepsLines) {}
  // False: the event is not kept in the tree.
  void take(const Json& event);
  Result<Recorded> finish(const std::string& fileName, bool cut);

 private:
  struct Line {
    std::vector<SeenEvent> events;
    std::vector<SeenEvent> open;                      // "B" without its "E"
    std::vector<std::pair<int64_t, uint64_t>> flows;  // when, and the number of the flow
  };

  void takeName(const Json& event, const Thread& thread);
  void takeEnd(const Json& event, Line& line);
  static void bindFlows(Line& line);
  SeenEvent seenEvent(const Json& event);
  void addProcess(const std::string& process, std::vector<DeviceLine> lines);
  void markAllAsWork();

  Recorder recorder_;
  std::map<Thread, Line> lines_;
  std::map<std::string, std::string> processNames_;
  std::map<Thread, std::string> threadNames_;
  int64_t events_ = 0, unended_ = 0;
};

void TraceReader::takeName(const Json& event, const Thread& thread) {
  const auto args = event.find("args");
  if (args == event.end() || !args->is_object()) return;
  const std::string what = fieldText(event, "name");
  if (what == "process_name") processNames_[thread.first] = fieldText(*args, "name");
  if (what == "thread_name") threadNames_[thread] = fieldText(*args, "name");
}

SeenEvent TraceReader::seenEvent(const Json& event) {
  SeenEvent out{.name = recorder_.text(fieldText(event, "name")),
                .beginPs = psOfUs(numberIn(event, "ts")),
                .durationPs = psOfUs(numberIn(event, "dur"))};
  if (isDeviceWork(fieldText(event, "cat"))) out.kind = TimeKind::Device;
  const auto args = event.find("args");
  if (args == event.end() || !args->is_object()) return out;
  out.op = recorder_.text(fieldText(*args, "hlo_op"));
  out.module = recorder_.text(fieldText(*args, "hlo_module"));
  if (const auto program = integerIn(*args, "program_id")) out.program = static_cast<uint64_t>(*program);
  out.run = integerIn(*args, "run_id");
  out.flops = std::max(0.0, numberIn(*args, "flops"));
  out.bytes = std::max(0.0, numberIn(*args, "bytes_accessed"));
  if (out.op != 0 && !args->contains("correlation_id")) out.kind = TimeKind::Instruction;
  if (const auto step = integerIn(*args, "step_num")) recorder_.addStep(*step, out.durationPs);
  return out;
}

void TraceReader::takeEnd(const Json& event, Line& line) {
  if (line.open.empty()) return void(++unended_);
  SeenEvent begun = line.open.back();
  line.open.pop_back();
  begun.durationPs = psOfUs(numberIn(event, "ts")) - begun.beginPs;
  line.events.push_back(begun);
}

void TraceReader::take(const Json& event) {
  const std::string phase = fieldText(event, "ph");
  const Thread thread{fieldText(event, "pid"), fieldText(event, "tid")};
  if (phase == "M") return takeName(event, thread);
  if (phase == "s" || phase == "t" || phase == "f") {
    const std::string id = fieldText(event, "cat") + '\n' + fieldText(event, "id");
    lines_[thread].flows.emplace_back(psOfUs(numberIn(event, "ts")), std::hash<std::string>()(id) | 1);
    return;
  }
  if (phase != "X" && phase != "B" && phase != "E") return;
  Line& line = lines_[thread];
  ++events_;
  if (phase == "X") line.events.push_back(seenEvent(event));
  if (phase == "B") line.open.push_back(seenEvent(event));
  if (phase == "E") takeEnd(event, line);
}

// To the innermost event at that time.
void TraceReader::bindFlows(Line& line) {
  constexpr size_t kMostTried = 256;
  if (line.flows.empty()) return;
  sortBy(line.events, &SeenEvent::beginPs);
  for (const auto& [at, flow] : line.flows) {
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

Result<Recorded> TraceReader::finish(const std::string& fileName, bool cut) {
  if (events_ == 0)
    return fail({.message = "the trace has no event with a duration",
                 .expected = R"(events {"ph":"X","name":…,"ts":…,"dur":…} in "traceEvents")",
                 .file = fileName});
  for (auto& [thread, line] : lines_) unended_ += static_cast<int64_t>(line.open.size());
  if (cut) recorder_.warn("the JSON is cut or damaged: the events before that place are shown");
  if (unended_ > 0) recorder_.warn(fmt::format("{} events have a begin or an end alone and are left out", unended_));
  markAllAsWork();
  std::map<std::string, std::vector<DeviceLine>> processes;
  for (auto& [thread, line] : lines_) {
    bindFlows(line);
    const std::string& name = threadNames_[thread];
    processes[thread.first].push_back({name.empty() ? "thread " + thread.second : name, std::move(line.events)});
  }
  for (auto& [pid, lines] : processes) {
    const std::string& name = processNames_[pid];
    addProcess(name.empty() ? "process " + pid : name.substr(0, name.find(' ')), std::move(lines));
  }
  return recorder_.finish();
}

}  // namespace

Result<Recorded> readTraceEvents(const std::string& content, const std::string& fileName, bool keepsLines) {
  TraceReader reader(keepsLines);
  // An event is an object in the list "traceEvents" of the object, or in the list that is the whole file.
  const size_t first = content.find_first_not_of(" \t\r\n");
  const int depth = first != content.npos && content[first] == '[' ? 1 : 2;
  std::string list;
  bool inEvents = depth == 1;
  const auto callback = [&](int at, Json::parse_event_t what, Json& parsed) {
    if (what == Json::parse_event_t::key && at == 1) inEvents = depth == 2 && parsed == "traceEvents";
    if (what != Json::parse_event_t::object_end || at != depth || !inEvents) return true;
    reader.take(parsed);
    return false;
  };
  const bool cut = Json::parse(content, callback, false, true).is_discarded();
  Result<Recorded> out = reader.finish(fileName, cut);
  if (out) out->format = "Chrome trace";
  return out;
}

}  // namespace tessera
