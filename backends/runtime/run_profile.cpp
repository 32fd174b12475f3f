// See run_profile.h. The timeline keeps the first events of a long run; totals keep all.
#include "backends/runtime/run_profile.h"

#include <algorithm>

#include <cpuid.h>

namespace tessera::cpu {

namespace {
constexpr size_t kMaxEvents = 100'000;  // of one thread
}

bool hasSteadyStamp() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d >> 8 & 1);
}

void RunProfile::start(size_t steps, int threads) {
  totals_.assign(steps, {});
  events_.resize(static_cast<size_t>(threads));
  for (auto& each : events_) each.clear();
  current_ = 0;
  nested_ = 0;
  start_ = Clock::now();
  startStamp_ = __rdtsc();
}

int64_t RunProfile::finish() {
  int64_t ticks = now(), ns = clockNs();
  nsPerTick_ = hasStamp_ && ticks > 0 ? static_cast<double>(ns) / static_cast<double>(ticks) : 1;
  return ns;
}

void RunProfile::add(size_t thread, int32_t step, int64_t begin, int64_t end) {
  std::vector<TimelineEvent>& events = events_[thread];
  if (events.size() < kMaxEvents) events.push_back({static_cast<int32_t>(thread), step, begin, end});
}

void RunProfile::leave(int32_t step, int64_t begin, int64_t end, int64_t nestedBefore) {
  int64_t duration = end - begin, own = duration - (nested_ - nestedBefore);
  nested_ = nestedBefore + duration;
  Total& total = totals_[static_cast<size_t>(step)];
  total.min = total.count == 0 ? own : std::min(total.min, own);
  total.total += own;
  ++total.count;
  add(0, step, begin, end);
}

void RunProfile::threadEvent(int thread, int64_t begin) { add(static_cast<size_t>(thread), current_, begin, now()); }

void RunProfile::appendTimeline(int64_t offsetNs, std::vector<TimelineEvent>& out) const {
  for (const auto& events : events_)
    for (const TimelineEvent& e : events)
      out.push_back({e.thread, e.step, nanoseconds(e.beginNs) + offsetNs, nanoseconds(e.endNs) + offsetNs});
}

}  // namespace tessera::cpu
