// RunProfile: measures the steps of runs (nested steps are taken out of their parents' time). One clock reading a step
// and nothing allocated after the first run, so that a profile costs little. Kept by the executable between runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "core/profile/profile.h"

namespace tessera::cpu {

class RunProfile {
 public:
  struct Total {
    int64_t count = 0, totalNs = 0, minNs = 0;
  };

  // Forgets the last run.
  void start(size_t steps, int threads);
  int64_t now() const { return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count(); }
  // A step of the running sequence begins: its number is what workers' events carry until it ends.
  void enter(int32_t step) { current_ = step; }
  // It ran from beginNs to endNs; nestedBefore is what nested() gave when it began.
  void leave(int32_t step, int64_t beginNs, int64_t endNs, int64_t nestedBefore);
  // Time of all steps that have ended at the level that runs now.
  int64_t nested() const { return nestedNs_; }
  // A worker finished its part of the step that runs now. Called by that thread only.
  void threadEvent(int thread, int64_t beginNs);

  const std::vector<Total>& totals() const { return totals_; }
  // The first events of the run, thread by thread.
  void appendTimeline(int64_t offsetNs, std::vector<TimelineEvent>& out) const;

 private:
  void add(size_t thread, int32_t step, int64_t beginNs, int64_t endNs);

  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
  std::vector<Total> totals_;
  std::vector<std::vector<TimelineEvent>> events_;  // by thread
  int32_t current_ = 0;
  int64_t nestedNs_ = 0;
};

}  // namespace tessera::cpu
