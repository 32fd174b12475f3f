// What a profiler recorded on one host, summed by what ran, before it is known which instructions that was; and the
// Recorder that every reader of a profile fills. Read by matching.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/one_line.h"
#include "core/base/text_map.h"
#include "core/profile/sources/clock_jumps.h"
#include "core/profile/sources/time_samples.h"

namespace tessera {

enum class TimeKind : uint8_t {
  Instruction,  // it names an instruction
  Device,       // work of a device that names none
  Host,         // of a program around it: Python, launching, waiting
};

struct RecordedTime {
  TimeKind kind = TimeKind::Host;
  std::string name;    // of an instruction: its name; else the event's
  std::string module;  // "": unknown
  std::optional<uint64_t> program;
  std::string where;  // the plane: "/device:GPU:0"
  TimeSamples times;
  double flops = 0, bytes = 0;  // over all counts, from the profiler; 0: unknown
};

struct RecordedModule {
  std::string name;
  std::optional<uint64_t> program;
  std::string proto;  // HloProto
  std::string hash;   // of the proto; equal modules have equal ones
};

std::string eventsText(size_t count);  // "1 event", "2 events"

struct SeenEvent;

// What a profile says of the device that it is of.
struct RecordedDevice {
  std::string name;
  double flopsPerSecond = 0, bytesPerSecond = 0;  // at most; 0: it is not said
};

// One thread or stream with its events, for the timeline.
struct RecordedLine {
  std::string process, name;
  int64_t baseNs = 0;  // when the time 0 of its events is
  std::vector<SeenEvent> events;
};

struct Recorded {
  std::string format;     // "XLA profile (xplane.pb)"
  std::string host, run;  // of a log folder
  std::vector<RecordedTime> times;
  std::vector<RecordedModule> modules;
  RecordedDevice device;    // the first one; no name: none is said
  std::set<int64_t> steps;  // by number
  TimeSamples stepTimes;    // as the profiler marked them
  // By module and program: the ids of its executions.
  std::map<std::pair<std::string, std::optional<uint64_t>>, std::set<int64_t>> runsOf;
  std::vector<std::string> warnings;
  bool isCut = false;              // it does not hold all that was recorded
  int64_t clockNs = 0;             // the base of the line with the most events
  std::optional<int64_t> startNs;  // what bases count from, since 1970; none: not known
  // Only on request.
  std::vector<RecordedLine> lines;
  std::vector<std::string> texts;  // of the lines' events, by number
};

// Whether the times of a line can be compared with those of its file.
inline bool isOnClock(int64_t baseNs, int64_t clockNs) {
  return baseNs <= saturatingAdd(clockNs, kDayNs) && clockNs <= saturatingAdd(baseNs, kDayNs);
}

// One event, as a reader hands it over. Texts are numbers that Recorder::text gives; 0 is "".
struct SeenEvent {
  TimeKind kind = TimeKind::Host;
  uint32_t name = 0, op = 0, module = 0;
  std::optional<uint64_t> program = {};
  std::optional<int64_t> run = {};
  int64_t beginPs = 0, durationPs = 0;
  int64_t occurrences = 1;  // more: durationPs is their sum, and there is no begin
  double flops = 0, bytes = 0;
  int32_t device = -1;  // its number, where the event says it
  uint64_t flow = 0;    // events of one such number follow from each other; 0: from none
};

class Recorder {
 public:
  // keepsLines: the events themselves stay, too.
  explicit Recorder(bool keepsLines = false) : keepsLines_(keepsLines) {}

  uint32_t text(std::string_view text);  // kept as one line
  std::string_view text(uint32_t id) const { return texts_[id]; }

  // The events of one thread or stream, in any order.
  void addLine(std::string_view where, std::string_view line, std::vector<SeenEvent> events, int64_t baseNs = 0);
  // To be seen in the timeline, and in no sum.
  void keepLine(std::string_view where, std::string_view line, std::vector<SeenEvent> events, int64_t baseNs = 0);
  // What a device marks goes before the host's marks, which are of the launch.
  void addStep(int64_t number, int64_t durationPs, bool ofDevice);
  // When the recording began, since 1970. Bases count from then, unless they count from 1970, too.
  void takeStart(int64_t ns);
  void warn(std::string_view text) { out_.warnings.push_back(onOneLine(text)); }

  Recorded& out() { return out_; }
  // Ends the recording: warnings of what was odd in all lines together.
  Recorded finish();

 private:
  struct Key {
    TimeKind kind;
    uint32_t name, module, where;
    std::optional<uint64_t> program;
    bool operator==(const Key&) const = default;
  };
  struct HashKey {
    size_t operator()(const Key& key) const;
  };

  RecordedTime& rowOf(const SeenEvent& event, uint32_t where);
  void add(const SeenEvent& event, int64_t selfPs, uint32_t where);
  int64_t takeClock(int64_t baseNs, size_t events);
  void mend(std::vector<SeenEvent>& events);
  void noteStretches(std::string_view where, std::string_view line, const std::vector<SeenEvent>& events,
                     const std::vector<size_t>& places, int64_t baseNs);
  void warnOfClocks();

  struct StretchOnClock {
    LineStretch stretch;
    int64_t baseNs = 0;
  };
  const bool keepsLines_;
  Recorded out_;
  std::deque<std::string> texts_ = {""};
  TextMap<uint32_t> numbers_;
  std::unordered_map<Key, size_t, HashKey> rows_;
  std::vector<StretchOnClock> stretches_;
  bool deviceSteps_ = false;
  size_t mostEvents_ = 0;  // of one line
  size_t negative_ = 0, crossed_ = 0, unbelievable_ = 0;
};

}  // namespace tessera
