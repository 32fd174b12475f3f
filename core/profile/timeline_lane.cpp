// Lanes of a timeline: their pyramid, and what of them is seen at a zoom. See timeline.h.
#include <algorithm>

#include "core/profile/timeline.h"

namespace tessera {
namespace {

constexpr uint32_t kFan = 16;

}  // namespace

void TimelineLane::join(Part& into, const Part& part) const {
  if (spans_[part.longest].ns() > spans_[into.longest].ns()) into.longest = part.longest;
  if (spans_[part.shortest].ns() < spans_[into.shortest].ns()) into.shortest = part.shortest;
  into.busyNs += part.busyNs;
}

TimelineLane::TimelineLane(std::vector<TimelineSpan> spans) : spans_(std::move(spans)) {
  auto count = static_cast<uint32_t>(spans_.size());
  for (bool first = true; count > kFan; first = false) {
    std::vector<Part> level;
    level.reserve(count / kFan + 1);
    for (uint32_t begin = 0; begin < count; begin += kFan) {
      Part sum = first ? partOf(begin) : levels_.back()[begin];
      for (uint32_t i = begin + 1; i < std::min(begin + kFan, count); ++i)
        join(sum, first ? partOf(i) : levels_.back()[i]);
      level.push_back(sum);
    }
    count = static_cast<uint32_t>(level.size());
    levels_.push_back(std::move(level));
  }
}

// Up while whole groups fit, down again at the end.
TimelineBar TimelineLane::summary(uint32_t first, uint32_t last) const {
  Part sum = partOf(first);
  for (uint32_t at = first + 1; at < last;) {
    uint32_t size = 1;
    size_t level = 0;
    while (level < levels_.size() && at % (size * kFan) == 0 && last - at >= size * kFan) size *= kFan, ++level;
    join(sum, level == 0 ? partOf(at) : levels_[level - 1][at / size]);
    at += size;
  }
  return {spans_[first].beginNs, spans_[last - 1].endNs, first, last - first, sum.longest, sum.shortest, sum.busyNs};
}

uint32_t TimelineLane::after(int64_t ns) const {
  return static_cast<uint32_t>(std::ranges::upper_bound(spans_, ns, {}, &TimelineSpan::endNs) - spans_.begin());
}

void TimelineLane::pullForward(const std::vector<TimelinePull>& pulls) {
  int64_t byNs = 0;
  auto next = pulls.begin();
  for (TimelineSpan& span : spans_) {
    for (; next != pulls.end() && next->fromNs <= span.beginNs; ++next) byNs = next->byNs;
    span.beginNs -= byNs;
    span.endNs -= byNs;
  }
}

void TimelineLane::barsIn(int64_t beginNs, int64_t endNs, double perPixelNs, std::vector<TimelineBar>& out) const {
  const auto count = static_cast<uint32_t>(spans_.size());
  const auto pixel = std::max<int64_t>(static_cast<int64_t>(perPixelNs), 1);
  for (uint32_t at = after(beginNs); at < count && spans_[at].beginNs < endNs;) {
    const TimelineSpan& span = spans_[at];
    if (span.ns() >= pixel) {
      out.push_back({span.beginNs, span.endNs, at, 1, at, at, span.ns()});
      ++at;
      continue;
    }
    const int64_t until = span.beginNs + pixel;
    uint32_t reach = 1;  // doubled until it is too far
    while (at + reach < count && spans_[at + reach].beginNs < until) reach *= 2;
    const auto from = spans_.begin() + at + reach / 2, to = spans_.begin() + std::min(at + reach, count);
    auto last =
        static_cast<uint32_t>(std::ranges::lower_bound(from, to, until, {}, &TimelineSpan::beginNs) - spans_.begin());
    last = std::max(last, at + 1);
    if (last > at + 1 && spans_[last - 1].ns() >= pixel) --last;  // only the last one reaches beyond the pixel
    out.push_back(summary(at, last));
    at = last;
  }
}

}  // namespace tessera
