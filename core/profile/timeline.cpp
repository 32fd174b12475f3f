// See timeline.h.
#include "core/profile/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_set>

#include "core/base/units.h"
#include "core/profile/busy_time.h"
#include "core/profile/sources/instruction_index.h"

namespace tessera {
namespace {

// Depth by what is open: what ends after the span around it goes below that one as well.
std::vector<std::vector<TimelineSpan>> byDepth(std::vector<TimelineSpan> spans) {
  std::ranges::stable_sort(spans, [](const TimelineSpan& a, const TimelineSpan& b) {
    return a.beginNs != b.beginNs ? a.beginNs < b.beginNs : a.endNs > b.endNs;
  });
  std::vector<std::vector<TimelineSpan>> out;
  std::vector<int64_t> open;  // ends
  for (const TimelineSpan& span : spans) {
    while (!open.empty() && open.back() <= span.beginNs) open.pop_back();
    if (open.size() == out.size()) out.emplace_back();
    out[open.size()].push_back(span);
    open.push_back(span.endNs);
  }
  return out;
}

// Instructions that have no time of their own hand on what they read.
constexpr int kMostSteps = 64;

}  // namespace

void Timeline::addTrack(std::string process, std::string name, std::vector<TimelineSpan> spans) {
  constexpr int64_t kFarthest = int64_t{1} << 61;  // so that differences do not overflow
  for (TimelineSpan& span : spans) {
    span.beginNs = std::clamp(span.beginNs, -kFarthest, kFarthest);
    span.endNs = std::clamp(span.endNs, span.beginNs, kFarthest);
  }
  TimelineTrack track{std::move(process), std::move(name), {}};
  for (auto& lane : byDepth(std::move(spans))) track.lanes.emplace_back(std::move(lane));
  tracks.push_back(std::move(track));
}

// A twentieth of what remains is left of each pause.
void Timeline::shortenPauses() {
  constexpr int64_t kPart = 20;
  std::vector<BusyStretch> busy;
  for (const TimelineTrack& track : tracks)
    for (const TimelineLane& lane : track.lanes) {
      const auto spanOf = [&](size_t i) { return std::pair(lane.spans()[i].beginNs, lane.spans()[i].endNs); };
      std::ranges::move(busyStretches(lane.spans().size(), spanOf), std::back_inserter(busy));
    }
  if (busy.empty()) return;
  const auto begin = std::ranges::min(busy, {}, &BusyStretch::beginNs).beginNs;
  int64_t remains = std::ranges::max(busy, {}, &BusyStretch::endNs).endNs - begin;
  const std::vector<TimePause> pauses = longPauses(std::move(busy));
  for (const TimePause& pause : pauses) remains -= pause.ns();
  std::vector<TimelinePull> pulls;
  int64_t hidden = 0;
  for (const TimePause& pause : pauses) {
    const int64_t left = std::min(pause.ns(), remains / kPart + 1);
    breaks_.push_back({pause.beginNs - hidden, pause.beginNs - hidden + left, pause.ns(), hidden});
    hidden += pause.ns() - left;
    pulls.push_back({pause.endNs, hidden});
  }
  for (TimelineTrack& track : tracks)
    for (TimelineLane& lane : track.lanes) lane.pullForward(pulls);
  if (hidden > 0)
    notes.push_back(fmt::format("pauses of {} together are drawn short", durationText(static_cast<double>(hidden))));
}

// In a break time runs as much faster as it is drawn shorter.
int64_t Timeline::sinceStart(int64_t ns) const {
  const auto after = std::ranges::upper_bound(breaks_, ns, {}, &TimelineBreak::beginNs);
  if (after == breaks_.begin()) return ns - begin_;
  const TimelineBreak& last = after[-1];
  const int64_t drawn = last.endNs - last.beginNs;
  const double share = static_cast<double>(std::min(ns, last.endNs) - last.beginNs) / static_cast<double>(drawn);
  return ns - begin_ + last.hiddenNs + std::llround(share * static_cast<double>(last.realNs - drawn));
}

void Timeline::finish() {
  shortenPauses();
  firstPlace_.assign(names.size() + 1, 0);
  begin_ = INT64_MAX, end_ = INT64_MIN;
  const auto eachSpan = [&](auto&& visit) {
    for (uint32_t t = 0; t < tracks.size(); ++t)
      for (uint32_t l = 0; l < tracks[t].lanes.size(); ++l)
        for (uint32_t s = 0; s < tracks[t].lanes[l].spans().size(); ++s) visit(SpanPlace{t, l, s});
  };
  eachSpan([&](const SpanPlace& place) {
    begin_ = std::min(begin_, at(place).beginNs);
    end_ = std::max(end_, at(place).endNs);
    ++firstPlace_[at(place).name + 1];
  });
  if (begin_ > end_) begin_ = end_ = 0;
  for (size_t i = 1; i < firstPlace_.size(); ++i) firstPlace_[i] += firstPlace_[i - 1];
  places_.resize(firstPlace_.back());
  std::vector<uint32_t> next = firstPlace_;
  eachSpan([&](const SpanPlace& place) { places_[next[at(place).name]++] = place; });
  const auto begin = [this](const SpanPlace& place) { return at(place).beginNs; };
  for (size_t i = 0; i + 1 < firstPlace_.size(); ++i)
    std::ranges::stable_sort(places_.begin() + firstPlace_[i], places_.begin() + firstPlace_[i + 1], {}, begin);
  std::ranges::stable_sort(flows, {}, [&](const TimelineFlow& flow) { return begin(flow.from); });
}

const SpanPlace* Timeline::placesOf(uint32_t name, size_t& count) const {
  count = firstPlace_[name + 1] - firstPlace_[name];
  return places_.data() + firstPlace_[name];
}

const SpanPlace* Timeline::lastBefore(uint32_t name, int64_t ns) const {
  size_t count = 0;
  const SpanPlace* first = placesOf(name, count);
  const SpanPlace* found =
      std::upper_bound(first, first + count, ns, [this](int64_t t, const SpanPlace& p) { return t < at(p).endNs; });
  return found == first ? nullptr : found - 1;
}

const SpanPlace* Timeline::firstFrom(uint32_t name, int64_t ns) const {
  size_t count = 0;
  const SpanPlace* first = placesOf(name, count);
  const SpanPlace* found =
      std::lower_bound(first, first + count, ns, [this](const SpanPlace& p, int64_t t) { return at(p).beginNs < t; });
  return found == first + count ? nullptr : found;
}

SpanPlace Timeline::neighbour(const SpanPlace& place, int step) const {
  size_t count = 0;
  const SpanPlace* first = placesOf(at(place).name, count);
  const SpanPlace* found = std::find(first, first + count, place);
  if (found == first + count || (step < 0 ? found == first : found + 1 == first + count)) return place;
  return step < 0 ? found[-1] : found[1];
}

std::vector<uint32_t> Timeline::namesOf(InstructionId id) const {
  const auto found = byInstruction_.find(id);
  return found == byInstruction_.end() ? std::vector<uint32_t>() : found->second;
}

std::vector<TimelineFlow> Timeline::wiresOf(const SpanPlace& place, const Module& module) const {
  const TimelineSpan& span = at(place);
  const auto& own = names[span.name].instructions;
  std::vector<TimelineFlow> out;
  std::unordered_set<InstructionId> seen(own.begin(), own.end());
  std::vector<InstructionId> open;
  const auto addOperands = [&](InstructionId id) {
    if (!module.contains(id)) return;
    for (InstructionId operand : module.at(id).operands)
      if (operand.valid() && seen.insert(operand).second) open.push_back(operand);
  };
  for (InstructionId id : own) addOperands(id);
  for (int steps = 0; !open.empty() && steps < kMostSteps; ++steps) {
    const InstructionId id = open.back();
    open.pop_back();
    const std::vector<uint32_t> of = namesOf(id);
    if (of.empty()) addOperands(id);
    for (uint32_t name : of)
      if (const SpanPlace* from = lastBefore(name, span.beginNs)) out.push_back({*from, place});
  }
  for (InstructionId id : own) {
    if (!module.contains(id)) continue;
    for (InstructionId other : module.at(module.at(id).computation).instructions) {
      const auto& operands = module.at(other).operands;
      if (seen.contains(other) || std::ranges::find(operands, id) == operands.end()) continue;
      for (uint32_t name : namesOf(other))
        if (const SpanPlace* to = firstFrom(name, span.endNs)) out.push_back({place, *to});
    }
  }
  return out;
}

void Timeline::link(const std::shared_ptr<const Module>& module, std::optional<uint64_t> program) {
  const InstructionIndex index(module);
  byInstruction_.clear();
  for (uint32_t i = 0; i < names.size(); ++i) {
    TimelineName& name = names[i];
    if (!name.op.empty()) {
      const bool otherProgram = program && name.program && name.program != program;
      const bool ours = name.module.empty() || (name.module == module->name && !otherProgram);
      const InstructionId found = ours ? index.find(name.op).id : InstructionId();
      name.instructions.clear();
      if (found.valid()) name.instructions.push_back(found);
    }
    for (InstructionId id : name.instructions) byInstruction_[id].push_back(i);
  }
}

std::vector<TimelineStat> Timeline::statistics(int64_t beginNs, int64_t endNs,
                                               const std::vector<uint32_t>& chosen) const {
  std::vector<TimelineStat> byName(names.size());
  for (uint32_t t = 0; t < tracks.size(); ++t) {
    if (!chosen.empty() && std::ranges::find(chosen, t) == chosen.end()) continue;
    for (const TimelineLane& lane : tracks[t].lanes)
      for (uint32_t i = lane.after(beginNs); i < lane.spans().size() && lane.spans()[i].beginNs < endNs; ++i) {
        const TimelineSpan& span = lane.spans()[i];
        const int64_t ns = std::min(span.endNs, endNs) - std::max(span.beginNs, beginNs);
        TimelineStat& stat = byName[span.name];
        stat.minNs = stat.count == 0 ? ns : std::min(stat.minNs, ns);
        stat.maxNs = std::max(stat.maxNs, ns);
        stat.totalNs += ns;
        ++stat.count;
      }
  }
  std::vector<TimelineStat> out;
  for (uint32_t i = 0; i < byName.size(); ++i) {
    byName[i].name = i;
    if (byName[i].count > 0) out.push_back(byName[i]);
  }
  std::ranges::stable_sort(out, std::greater(), &TimelineStat::totalNs);
  return out;
}

std::shared_ptr<Timeline> timelineOf(const Profile& profile, const std::shared_ptr<const Module>& module) {
  auto out = std::make_shared<Timeline>();
  for (const StepProfile& step : profile.steps) out->names.push_back({step.name, step.what});
  for (const StepShare& share : profile.shares) {
    auto& instructions = out->names[static_cast<size_t>(share.step)].instructions;
    if (module->contains(share.instruction)) instructions.push_back(share.instruction);
  }
  for (TimelineName& name : out->names)
    if (name.instructions.size() == 1) name.text = module->at(name.instructions[0]).name;
  std::vector<std::vector<TimelineSpan>> threads;
  for (const TimelineEvent& event : profile.timeline) {
    if (event.thread < 0 || event.step < 0 || static_cast<size_t>(event.step) >= profile.steps.size()) continue;
    const auto thread = static_cast<size_t>(event.thread);
    if (thread >= threads.size()) threads.resize(thread + 1);
    threads[thread].push_back({event.beginNs, event.endNs, static_cast<uint32_t>(event.step)});
  }
  for (size_t i = 0; i < threads.size(); ++i)
    out->addTrack(module->name, profile.nameOfThread(i), std::move(threads[i]));
  out->finish();
  out->link(module);
  for (TimelineName& name : out->names)  // so that a trace of it lands on the module again
    if (name.instructions.size() == 1) name.op = name.text, name.module = module->name;
  return out;
}

}  // namespace tessera
