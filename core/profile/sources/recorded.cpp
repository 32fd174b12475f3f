// See recorded.h. The time of an instruction without what is nested in it: its events on a line are sorted, and each
// takes its duration away from the one that is open around it.
#include "core/profile/sources/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/hash.h"
#include "core/base/sorting.h"
#include "core/profile/sources/time_stats.h"

namespace tessera {
namespace {

constexpr int64_t kFarthestNs = int64_t{1} << 61;  // so that sums and differences of two times do not overflow

int64_t endOf(const SeenEvent& event) { return saturatingAdd(event.beginPs, event.durationPs); }

bool nests(const SeenEvent& event) { return event.occurrences == 1; }

// Self times of the events at `places`, which are sorted by begin, the longer one first. Counts events that end after
// the one around them.
size_t subtractNested(const std::vector<SeenEvent>& events, const std::vector<size_t>& places,
                      std::vector<int64_t>& self) {
  size_t crossed = 0;
  std::vector<size_t> open;
  for (size_t place : places) {
    const SeenEvent& event = events[place];
    while (!open.empty() && endOf(events[open.back()]) <= event.beginPs) open.pop_back();
    if (!open.empty()) {
      const int64_t within = endOf(events[open.back()]) - event.beginPs;
      crossed += event.durationPs > within ? 1 : 0;
      self[open.back()] -= std::min(event.durationPs, within);
    }
    open.push_back(place);
  }
  return crossed;
}

std::vector<size_t> sortedPlaces(const std::vector<SeenEvent>& events) {
  std::vector<size_t> out;
  for (size_t i = 0; i < events.size(); ++i)
    if (nests(events[i])) out.push_back(i);
  const auto precedes = [&](size_t a, size_t b) {
    if (events[a].beginPs != events[b].beginPs) return events[a].beginPs < events[b].beginPs;
    return events[a].durationPs > events[b].durationPs;
  };
  if (!std::ranges::is_sorted(out, precedes)) sortWith(out, precedes);
  return out;
}

}  // namespace

std::string eventsText(size_t count) { return fmt::format("{} event{}", count, count == 1 ? "" : "s"); }

size_t Recorder::HashKey::operator()(const Key& key) const {
  uint64_t out = key.name;
  for (uint64_t part :
       {uint64_t{key.module}, uint64_t{key.where}, static_cast<uint64_t>(key.kind), key.program.value_or(~uint64_t{0})})
    out = mixedHash(out, part);
  return out;
}

uint32_t Recorder::text(std::string_view text) {
  if (text.empty()) return 0;
  if (std::ranges::any_of(text, isControlCharacter)) return this->text(onOneLine(text));
  const auto keep = [&] { return std::string_view(texts_.emplace_back(text)); };
  return *numbers_.emplaceWith(text, static_cast<uint32_t>(texts_.size()), keep).first;
}

RecordedTime& Recorder::rowOf(const SeenEvent& event, uint32_t where) {
  const uint32_t name = event.kind == TimeKind::Instruction ? event.op : event.name;
  const auto [at, isNew] = rows_.try_emplace({event.kind, name, event.module, where, event.program}, out_.times.size());
  if (isNew) out_.times.push_back({event.kind, texts_[name], texts_[event.module], event.program, texts_[where], {}});
  return out_.times[at->second];
}

void Recorder::add(const SeenEvent& event, int64_t selfPs, uint32_t where) {
  RecordedTime& row = rowOf(event, where);
  if (nests(event)) {
    row.times.add(event.durationPs, std::max<int64_t>(selfPs, 0));
  } else {
    const int64_t one = event.durationPs / std::max<int64_t>(event.occurrences, 1);
    row.times.add(TimeSamples{event.occurrences, event.durationPs, event.durationPs, one, one, {}});
  }
  const auto times = static_cast<double>(event.occurrences);
  row.flops += event.flops * times;
  row.bytes += event.bytes * times;
  if (event.run && event.kind == TimeKind::Instruction) out_.runsOf[{row.module, row.program}].insert(*event.run);
}

// Damaged times become what can be added up and compared without overflow.
void Recorder::mend(std::vector<SeenEvent>& events) {
  constexpr int64_t kLongestPs = int64_t{1} << 60;   // thirteen days
  constexpr int64_t kFarthestPs = int64_t{1} << 61;  // 26 days
  for (SeenEvent& event : events) {
    negative_ += event.durationPs < 0 ? 1 : 0;
    unbelievable_ += event.durationPs > kLongestPs ? 1 : 0;
    if (event.durationPs < 0 || event.durationPs > kLongestPs) event.durationPs = 0;
    event.beginPs = std::clamp(event.beginPs, -kFarthestPs, kFarthestPs);
    event.occurrences = std::max<int64_t>(event.occurrences, 1);
  }
}

void Recorder::takeStart(int64_t ns) { out_.startNs = std::clamp<int64_t>(ns, 0, kFarthestNs); }

int64_t Recorder::takeClock(int64_t baseNs, size_t events) {
  baseNs = std::clamp(baseNs, -kFarthestNs, kFarthestNs);
  if (events > mostEvents_) mostEvents_ = events, out_.clockNs = baseNs;
  return baseNs;
}

void Recorder::keepLine(std::string_view where, std::string_view line, std::vector<SeenEvent> events, int64_t baseNs) {
  baseNs = takeClock(baseNs, events.size());
  if (!keepsLines_ || events.empty()) return;
  mend(events);
  noteStretches(where, line, events, sortedPlaces(events), baseNs);
  out_.lines.push_back({std::string(where), std::string(line), baseNs, std::move(events)});
}

void Recorder::noteStretches(std::string_view where, std::string_view line, const std::vector<SeenEvent>& events,
                             const std::vector<size_t>& places, int64_t baseNs) {
  const auto spanOf = [&](size_t i) {
    const SeenEvent& event = events[places[i]];
    return std::pair(saturatingAdd(baseNs, toNs(event.beginPs)), saturatingAdd(baseNs, toNs(endOf(event))));
  };
  const std::string_view lineText = text(text(line)), whereText = text(text(where));
  for (const BusyStretch& busy : busyStretches(places.size(), spanOf))
    stretches_.push_back({{busy, texts_[events[places[busy.first]].name], lineText, whereText}, baseNs});
}

void Recorder::addLine(std::string_view where, std::string_view line, std::vector<SeenEvent> events, int64_t baseNs) {
  baseNs = takeClock(baseNs, events.size());
  mend(events);
  std::vector<int64_t> self(events.size());
  for (size_t i = 0; i < events.size(); ++i) self[i] = events[i].durationPs;
  std::vector<int64_t> ofHost = self;
  std::vector<size_t> places = sortedPlaces(events);
  noteStretches(where, line, events, places, baseNs);
  const auto isHost = [&](size_t place) { return events[place].kind == TimeKind::Host; };
  if (std::ranges::any_of(places, isHost)) subtractNested(events, places, ofHost);
  std::erase_if(places, isHost);
  crossed_ += subtractNested(events, places, self);
  const uint32_t place = text(where);
  for (size_t i = 0; i < events.size(); ++i)
    add(events[i], events[i].kind == TimeKind::Host ? ofHost[i] : self[i], place);
  if (keepsLines_ && !events.empty())
    out_.lines.push_back({std::string(where), std::string(line), baseNs, std::move(events)});
}

void Recorder::addStep(int64_t number, int64_t durationPs, bool ofDevice) {
  if (deviceSteps_ && !ofDevice) return;
  if (ofDevice && !std::exchange(deviceSteps_, true)) out_.steps.clear(), out_.stepTimes = {};
  out_.steps.insert(number);
  if (durationPs > 0) out_.stepTimes.add(durationPs, durationPs);
}

void Recorder::warnOfClocks() {
  std::vector<LineStretch> onClock;
  const StretchOnClock* other = nullptr;
  for (const StretchOnClock& each : stretches_) {
    if (isOnClock(each.baseNs, out_.clockNs))
      onClock.push_back(each.stretch);
    else if (!other)
      other = &each;
  }
  for (const std::string& warning : clockJumpWarnings(onClock)) warn(warning);
  if (other)
    warn(fmt::format("{} of {}, and what else is more than a day away from most events, is of another clock",
                     other->stretch.line, other->stretch.where));
}

Recorded Recorder::finish() {
  constexpr int64_t kIn1980Ns = 365 * 10 * kDayNs;
  if (out_.clockNs > kIn1980Ns) out_.startNs = 0;
  warnOfClocks();
  if (negative_ > 0) warn(eventsText(negative_) + " with a negative duration, counted as 0");
  if (unbelievable_ > 0) warn(eventsText(unbelievable_) + " longer than thirteen days, counted as 0");
  if (crossed_ > 0)
    warn(
        eventsText(crossed_) +
        " ending after the event around them: the clock jumped, or one line holds several threads; their own times are "
        "estimates");
  if (keepsLines_) out_.texts.assign(std::move_iterator(texts_.begin()), std::move_iterator(texts_.end()));
  return std::move(out_);
}

}  // namespace tessera
