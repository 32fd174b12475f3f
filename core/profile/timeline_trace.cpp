// A timeline as Chrome trace JSON, written line by line: a million events are no tree in memory. See timeline.h.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/profile/timeline.h"

namespace tessera {
namespace {

std::string quotedJson(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class TraceWriter {
 public:
  explicit TraceWriter(const Timeline& timeline) : timeline_(timeline) {}
  std::string write();

 private:
  void begin() { out_ += std::exchange(first_, false) ? "\n" : ",\n"; }
  void name(const char* what, int pid, int tid, const std::string& text);
  void track(uint32_t number);
  void flow(const TimelineFlow& flow, size_t id);
  double us(int64_t ns) const { return static_cast<double>(timeline_.realNs(timeline_.beginNs(), ns)) / 1000.0; }

  const Timeline& timeline_;
  std::vector<std::string> fields_;  // "name", "cat" and "args" of each name
  std::vector<int> pids_;            // of each track
  std::string out_;
  bool first_ = true;
};

void TraceWriter::name(const char* what, int pid, int tid, const std::string& text) {
  begin();
  fmt::format_to(std::back_inserter(out_), R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}})", what,
                 pid, tid, quotedJson(text));
}

void TraceWriter::track(uint32_t number) {
  for (const TimelineLane& lane : timeline_.tracks[number].lanes)
    for (const TimelineSpan& span : lane.spans()) {
      begin();
      fmt::format_to(std::back_inserter(out_), R"({{{},"ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f}}})",
                     fields_[span.name], pids_[number], number + 1, us(span.beginNs),
                     static_cast<double>(span.ns()) / 1000.0);
    }
}

void TraceWriter::flow(const TimelineFlow& flow, size_t id) {
  const auto end = [&](const char* how, const SpanPlace& place, int64_t ns) {
    begin();
    fmt::format_to(std::back_inserter(out_),
                   R"({{"name":"flow","cat":"flow",{},"id":{},"pid":{},"tid":{},"ts":{:.3f}}})", how, id,
                   pids_[place.track], place.track + 1, us(ns));
  };
  end(R"("ph":"s")", flow.from, timeline_.at(flow.from).beginNs);
  end(R"("ph":"f","bp":"e")", flow.to, timeline_.at(flow.to).beginNs);
}

std::string TraceWriter::write() {
  out_ = R"({"displayTimeUnit":"ns","traceEvents":[)";
  for (const TimelineName& name : timeline_.names) {
    std::string args;
    if (!name.op.empty())
      args = fmt::format(R"("hlo_op":{},"hlo_module":{})", quotedJson(name.op), quotedJson(name.module));
    if (name.program) args += fmt::format(R"(,"program_id":{})", *name.program);
    fields_.push_back(
        fmt::format(R"("name":{},"cat":{},"args":{{{}}})", quotedJson(name.text), quotedJson(name.category), args));
  }
  std::vector<std::string> processes;
  for (uint32_t i = 0; i < timeline_.tracks.size(); ++i) {
    const TimelineTrack& each = timeline_.tracks[i];
    const auto found = std::ranges::find(processes, each.process);
    pids_.push_back(static_cast<int>(found - processes.begin()) + 1);
    if (found == processes.end()) {
      processes.push_back(each.process);
      name("process_name", pids_[i], 0, each.process);
    }
    name("thread_name", pids_[i], static_cast<int>(i) + 1, each.name);
  }
  for (uint32_t i = 0; i < timeline_.tracks.size(); ++i) track(i);
  for (size_t i = 0; i < timeline_.flows.size(); ++i) flow(timeline_.flows[i], i + 1);
  out_ += "\n]}\n";
  return std::move(out_);
}

}  // namespace

std::string toChromeTrace(const Timeline& timeline) { return TraceWriter(timeline).write(); }

}  // namespace tessera
