// RunProfile: measures the steps of one run (nested steps are taken out of their parents' time) and writes them, with
// each source instruction's share, into a Profile.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/profile/profile.h"

namespace tessera::cpu {

class RunProfile {
 public:
  explicit RunProfile(size_t steps) : totals_(steps) {}

  void begin(int32_t step);
  void end();
  int64_t now() const;
  // A worker finished its part of the step that runs now.
  void threadEvent(int thread, int64_t beginNs);

  struct Total {
    int64_t count = 0, totalNs = 0, minNs = 0;
  };
  const std::vector<Total>& totals() const { return totals_; }
  const std::vector<TimelineEvent>& timeline() const { return timeline_; }

 private:
  struct Open {
    int32_t step;
    int64_t beginNs, nestedNs;
  };
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  std::vector<Total> totals_;
  std::vector<Open> open_;
  std::mutex mutex_;  // guards timeline_ against workers
  std::vector<TimelineEvent> timeline_;
};

}  // namespace tessera::cpu
