// See busy_time.h.
#include "core/profile/busy_time.h"

#include "core/base/sorting.h"

namespace tessera {

std::vector<TimePause> longPauses(std::vector<BusyStretch> stretches) {
  constexpr int64_t kDwarfs = 10;
  if (stretches.empty()) return {};
  sortBy(stretches, &BusyStretch::beginNs);
  std::vector<TimePause> out;
  int64_t end = stretches[0].endNs, pausedNs = 0;
  for (const BusyStretch& stretch : stretches) {
    if (stretch.beginNs - end > kMinuteNs) {
      out.push_back({end, stretch.beginNs});
      pausedNs += out.back().ns();
    }
    end = std::max(end, stretch.endNs);
  }
  const int64_t busyNs = end - stretches[0].beginNs - pausedNs;
  std::erase_if(out, [&](const TimePause& pause) { return pause.ns() <= kHourNs && pause.ns() / kDwarfs <= busyNs; });
  return out;
}

}  // namespace tessera
