// See run_profile.h. The timeline keeps the first events of a long run; totals keep all.
#include "backends/cpu/run_profile.h"

#include <algorithm>

namespace tessera::cpu {

namespace {
constexpr size_t kMaxEvents = 100'000;  // of one thread
}

void RunProfile::start(size_t steps, int threads) {
  totals_.assign(steps, {});
  events_.resize(static_cast<size_t>(threads));
  for (auto& each : events_) each.clear();
  current_ = 0;
  nestedNs_ = 0;
  start_ = Clock::now();
}

void RunProfile::add(size_t thread, int32_t step, int64_t beginNs, int64_t endNs) {
  std::vector<TimelineEvent>& events = events_[thread];
  if (events.size() < kMaxEvents) events.push_back({static_cast<int32_t>(thread), step, beginNs, endNs});
}

void RunProfile::leave(int32_t step, int64_t beginNs, int64_t endNs, int64_t nestedBefore) {
  int64_t duration = endNs - beginNs, own = duration - (nestedNs_ - nestedBefore);
  nestedNs_ = nestedBefore + duration;
  Total& total = totals_[static_cast<size_t>(step)];
  total.minNs = total.count == 0 ? own : std::min(total.minNs, own);
  total.totalNs += own;
  ++total.count;
  add(0, step, beginNs, endNs);
}

void RunProfile::threadEvent(int thread, int64_t beginNs) { add(static_cast<size_t>(thread), current_, beginNs, now()); }

void RunProfile::appendTimeline(int64_t offsetNs, std::vector<TimelineEvent>& out) const {
  for (const auto& events : events_)
    for (const TimelineEvent& e : events) out.push_back({e.thread, e.step, e.beginNs + offsetNs, e.endNs + offsetNs});
}

}  // namespace tessera::cpu
