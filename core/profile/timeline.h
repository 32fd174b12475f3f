// Timeline: what ran when, on which thread or stream. Each track is cut into lanes of spans that do not overlap, the
// nested ones lower; a pyramid over each lane gives the longest and shortest of any stretch, so that a million spans
// are drawn a pixel at a time. Made of our runs and of other programs' profiles; shown by the timeline panel.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/hlo/module.h"
#include "core/profile/profile.h"

namespace tessera {

struct TimelineSpan {
  int64_t beginNs = 0, endNs = 0;
  uint32_t name = 0;    // of Timeline::names
  int32_t device = -1;  // of several whose work shares threads, its number; -1: the track says it
  int64_t ns() const { return endNs - beginNs; }
};

// Spans that begin at a time or later are drawn so much earlier; the last pull that applies counts.
struct TimelinePull {
  int64_t fromNs = 0, byNs = 0;
};

// Spans that a pixel shows as one.
struct TimelineBar {
  int64_t beginNs = 0, endNs = 0;
  uint32_t first = 0, count = 0;  // spans of the lane
  uint32_t longest = 0, shortest = 0;
  int64_t busyNs = 0;
};

class TimelineLane {
 public:
  // Spans of one depth, by begin; none begins before the one before it ends.
  explicit TimelineLane(std::vector<TimelineSpan> spans);

  const std::vector<TimelineSpan>& spans() const { return spans_; }
  // The spans from `first` up to `last`: one bar. The range has one at least.
  TimelineBar summary(uint32_t first, uint32_t last) const;
  // What is seen between two times, where `perPixelNs` are a pixel: a wider span is a bar of its own, others are
  // joined as far as a pixel goes. At most two bars a pixel.
  void barsIn(int64_t beginNs, int64_t endNs, double perPixelNs, std::vector<TimelineBar>& out) const;
  // The first span that ends after a time; spans().size(): none.
  uint32_t after(int64_t ns) const;
  // Moves spans to earlier times, over pauses before them.
  void pullForward(const std::vector<TimelinePull>& pulls);

 private:
  struct Part {
    uint32_t longest = 0, shortest = 0;
    int64_t busyNs = 0;
  };
  void join(Part& into, const Part& part) const;
  Part partOf(uint32_t span) const { return {span, span, spans_[span].ns()}; }

  std::vector<TimelineSpan> spans_;
  std::vector<std::vector<Part>> levels_;  // each of kFan of the one below; the first of kFan spans
};

struct TimelineTrack {
  std::string process, name;
  std::vector<TimelineLane> lanes;
};

struct TimelineName {
  std::string text, category;
  std::string op, module;                   // the instruction and module that the profile names; "": none
  std::optional<uint64_t> program = {};     // of the module: several may have one name
  std::string owner = {};                   // where the profile has several modules: "jit_step (program 8)"
  std::vector<InstructionId> instructions;  // of the module that is looked at
};

struct SpanPlace {
  uint32_t track = 0, lane = 0, span = 0;
  bool operator==(const SpanPlace&) const = default;
};

struct TimelineFlow {
  SpanPlace from, to;
};

// Sums of the spans with one name in a stretch of time, cut at its ends.
struct TimelineStat {
  uint32_t name = 0;
  int64_t count = 0, totalNs = 0, minNs = 0, maxNs = 0;
  double meanNs() const { return count > 0 ? static_cast<double>(totalNs) / static_cast<double>(count) : 0; }
};

// A pause that is drawn shorter than it was.
struct TimelineBreak {
  int64_t beginNs = 0, endNs = 0;  // as drawn
  int64_t realNs = 0;              // how long it was
  int64_t hiddenNs = 0;            // what all pauses before it are drawn shorter
};

// Times are as drawn: of a pause that dwarfs everything else (longPauses) only a part remains.
class Timeline {
 public:
  std::vector<TimelineName> names;
  std::vector<TimelineTrack> tracks;
  std::vector<TimelineFlow> flows;  // that the profile knows, by `from`
  std::vector<std::string> notes;   // what was left out or is uncertain

  // Spans in any order; nested ones become lower lanes.
  void addTrack(std::string process, std::string name, std::vector<TimelineSpan> spans);
  // After all tracks: shortens pauses, and finds where spans of each name are.
  void finish();

  int64_t beginNs() const { return begin_; }
  int64_t endNs() const { return end_; }
  const std::vector<TimelineBreak>& breaks() const { return breaks_; }  // by time
  // How long it really was between two times as drawn.
  int64_t realNs(int64_t beginNs, int64_t endNs) const { return sinceStart(endNs) - sinceStart(beginNs); }
  size_t spanCount() const { return places_.size(); }
  const TimelineSpan& at(const SpanPlace& place) const {
    return tracks[place.track].lanes[place.lane].spans()[place.span];
  }
  // Spans of a name, by begin.
  const SpanPlace* placesOf(uint32_t name, size_t& count) const;
  // The next one of the same name (step 1) or the one before (-1); itself where there is none.
  SpanPlace neighbour(const SpanPlace& place, int step) const;
  // Names of instructions.
  std::vector<uint32_t> namesOf(InstructionId id) const;
  // Where a span's operands were computed last before it, and where its result is used next, by the module's wires.
  std::vector<TimelineFlow> wiresOf(const SpanPlace& place, const Module& module) const;

  // Resolves names to instructions of the module; program: where several have its name, the one that it is.
  void link(const std::shared_ptr<const Module>& module, std::optional<uint64_t> program = {});
  // By total time. tracks empty: all.
  std::vector<TimelineStat> statistics(int64_t beginNs, int64_t endNs, const std::vector<uint32_t>& tracks = {}) const;

 private:
  void shortenPauses();
  int64_t sinceStart(int64_t ns) const;
  const SpanPlace* lastBefore(uint32_t name, int64_t ns) const;
  const SpanPlace* firstFrom(uint32_t name, int64_t ns) const;

  int64_t begin_ = 0, end_ = 0;
  std::vector<TimelineBreak> breaks_;
  std::vector<uint32_t> firstPlace_;  // by name, into places_
  std::vector<SpanPlace> places_;
  std::unordered_map<InstructionId, std::vector<uint32_t>> byInstruction_;
};

// Of our own run: a track a thread, names are the steps.
std::shared_ptr<Timeline> timelineOf(const Profile& profile, const std::shared_ptr<const Module>& module);

// Chrome trace JSON, which Perfetto opens: processes, threads, complete events, flows.
std::string toChromeTrace(const Timeline& timeline);

}  // namespace tessera
