// Milliseconds of processor time that the calling thread has used: what work costs, whoever else uses the machine.
#pragma once

#include <time.h>

namespace tessera {

inline double threadMs() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
}

}  // namespace tessera
