// When anything of a profile runs, and the pauses in between that dwarf it: a clock that jumped, a recording that
// paused. Used by the Recorder, which warns of them, and by Timeline, which draws them short.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tessera {

constexpr int64_t kMinuteNs = int64_t{60} * 1'000'000'000, kHourNs = 60 * kMinuteNs, kDayNs = 24 * kHourNs;

// Events of one line with less than a minute between them.
struct BusyStretch {
  int64_t beginNs = 0, endNs = 0;
  size_t first = 0, count = 0;  // of the line's events
};

struct TimePause {
  int64_t beginNs = 0, endNs = 0;
  int64_t ns() const { return endNs - beginNs; }
};

// spanOf(i) gives begin and end in ns of the i-th of `count` events, which are in order of begin. Times are within half
// of what an int64_t holds, here and below.
template <class SpanOf>
std::vector<BusyStretch> busyStretches(size_t count, SpanOf&& spanOf) {
  std::vector<BusyStretch> out;
  for (size_t i = 0; i < count; ++i) {
    const auto [begin, end] = spanOf(i);
    if (out.empty() || begin - out.back().endNs > kMinuteNs) out.push_back({begin, end, i, 0});
    out.back().endNs = std::max(out.back().endNs, end);
    ++out.back().count;
  }
  return out;
}

// By time: pauses of all lines together that are longer than an hour, or than a minute and ten times what is left
// without them.
std::vector<TimePause> longPauses(std::vector<BusyStretch> stretches);

}  // namespace tessera
