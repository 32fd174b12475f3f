// See run_profile.h. The timeline keeps the first events of a long run; totals keep all.
#include "backends/cpu/run_profile.h"

#include <algorithm>

namespace tessera::cpu {

namespace {
constexpr size_t kMaxEvents = 200'000;
}

int64_t RunProfile::now() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count();
}

void RunProfile::begin(int32_t step) { open_.push_back({step, now(), 0}); }

void RunProfile::end() {
  Open open = open_.back();
  open_.pop_back();
  int64_t endNs = now(), duration = endNs - open.beginNs, own = duration - open.nestedNs;
  if (!open_.empty()) open_.back().nestedNs += duration;
  Total& total = totals_[static_cast<size_t>(open.step)];
  total.minNs = total.count == 0 ? own : std::min(total.minNs, own);
  total.totalNs += own;
  ++total.count;
  std::lock_guard lock(mutex_);
  if (timeline_.size() < kMaxEvents) timeline_.push_back({0, open.step, open.beginNs, endNs});
}

void RunProfile::threadEvent(int thread, int64_t beginNs) {
  int64_t endNs = now();
  std::lock_guard lock(mutex_);
  if (timeline_.size() < kMaxEvents) timeline_.push_back({thread, open_.back().step, beginNs, endNs});
}

}  // namespace tessera::cpu
