// RunProfile: measures the steps of runs (nested steps are taken out of their parents' time). One reading of the
// processor's time stamp a step and nothing allocated after the first run, so that a profile costs little. Times are in
// ticks while the run lasts; finish() computes the length of one. Kept by the executable between runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include <x86intrin.h>

#include "core/profile/profile.h"

namespace tessera::cpu {

// The time stamp counter runs at one speed, whatever the cores do.
bool hasSteadyStamp();

class RunProfile {
 public:
  struct Total {
    int64_t count = 0, total = 0, min = 0;  // ticks
  };

  // Forgets the last run.
  void start(size_t steps, int threads);
  // Ends the run and gives its length.
  int64_t finish();
  int64_t nanoseconds(int64_t ticks) const { return static_cast<int64_t>(static_cast<double>(ticks) * nsPerTick_); }
  int64_t now() const { return hasStamp_ ? static_cast<int64_t>(__rdtsc() - startStamp_) : clockNs(); }
  // A step of the running sequence begins: its number is what workers' events carry until it ends.
  void enter(int32_t step) { current_ = step; }
  // It ran from begin to end; nestedBefore is what nested() gave when it began.
  void leave(int32_t step, int64_t begin, int64_t end, int64_t nestedBefore);
  // Time of all steps that have ended at the level that runs now.
  int64_t nested() const { return nested_; }
  // A worker finished its part of the step that runs now. Called by that thread only.
  void threadEvent(int thread, int64_t begin);

  const std::vector<Total>& totals() const { return totals_; }
  // The first events of the run, thread by thread.
  void appendTimeline(int64_t offsetNs, std::vector<TimelineEvent>& out) const;

 private:
  void add(size_t thread, int32_t step, int64_t begin, int64_t end);
  int64_t clockNs() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count();
  }

  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
  bool hasStamp_ = hasSteadyStamp();
  uint64_t startStamp_ = 0;
  double nsPerTick_ = 1;
  std::vector<Total> totals_;
  std::vector<std::vector<TimelineEvent>> events_;  // by thread
  int32_t current_ = 0;
  int64_t nested_ = 0;
};

}  // namespace tessera::cpu
