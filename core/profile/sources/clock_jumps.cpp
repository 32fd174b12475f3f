// See clock_jumps.h. What is astray is the side of a pause with fewer events.
#include "core/profile/sources/clock_jumps.h"

#include <fmt/format.h>

#include "core/base/units.h"
#include "core/profile/sources/recorded.h"

namespace tessera {
namespace {

struct Side {
  const LineStretch* next = nullptr;  // to the pause
  size_t events = 0;
};

// The Recorder takes what is farther away to be so far.
std::string textOf(const TimePause& pause) {
  constexpr int64_t kFarthestDays = 26;
  if (pause.ns() > kFarthestDays * kDayNs) return fmt::format("more than {} days", kFarthestDays);
  return durationText(static_cast<double>(pause.ns()));
}

std::string warningOf(const TimePause& pause, const std::vector<LineStretch>& stretches) {
  Side before, after;
  for (const LineStretch& each : stretches) {
    const bool isAfter = each.busy.beginNs >= pause.endNs;
    Side& side = isAfter ? after : before;
    side.events += each.busy.count;
    const bool isNext =
        !side.next || (isAfter ? each.busy.beginNs < side.next->busy.beginNs : each.busy.endNs > side.next->busy.endNs);
    if (isNext) side.next = &each;
  }
  const bool isLate = after.events <= before.events;
  const Side& astray = isLate ? after : before;
  const LineStretch& next = *astray.next;
  return fmt::format(
      "{} ({} on the line {} of {}{}) {} {} {} all others: the clock jumped, or nothing was recorded in between",
      eventsText(astray.events), next.event, next.line, next.where, astray.events == 1 ? "" : " among them",
      astray.events == 1 ? "is" : "are", textOf(pause), isLate ? "after" : "before");
}

}  // namespace

std::vector<std::string> clockJumpWarnings(const std::vector<LineStretch>& stretches) {
  constexpr size_t kMostTold = 8;
  std::vector<BusyStretch> busy;
  for (const LineStretch& each : stretches) busy.push_back(each.busy);
  const std::vector<TimePause> pauses = longPauses(std::move(busy));
  std::vector<std::string> out;
  for (const TimePause& pause : pauses) {
    if (out.size() == kMostTold) {
      out.push_back(fmt::format("{} more such pauses", pauses.size() - kMostTold));
      break;
    }
    out.push_back(warningOf(pause, stretches));
  }
  return out;
}

}  // namespace tessera
