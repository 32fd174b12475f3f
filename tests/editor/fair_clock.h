// FairClock: time that counts only as far as this machine gives it to a thread. One that always computes is the
// measure: with an idle processor it is as fast as the clock on the wall, and slower by as much as others use the
// machine. Who waits without computing still spends it. Used by tests of how soon something is done.
#pragma once

#include <pthread.h>
#include <time.h>

#include <atomic>
#include <thread>

namespace tessera {

class FairClock {
 public:
  FairClock()
      : thread_([this] {
          while (!done_.load(std::memory_order_relaxed)) continue;
        }) {}
  ~FairClock() {
    done_ = true;
    thread_.join();
  }
  FairClock(const FairClock&) = delete;
  FairClock& operator=(const FairClock&) = delete;

  // Milliseconds of processor time that the measuring thread has got so far.
  double elapsed() {
    clockid_t clock{};
    timespec used{};
    pthread_getcpuclockid(thread_.native_handle(), &clock);
    clock_gettime(clock, &used);
    return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
  }

 private:
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

}  // namespace tessera
