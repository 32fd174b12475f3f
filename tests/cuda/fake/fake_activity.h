// What the fake driver tells a profiler of the tests: that a kernel or a copy was handed over, in the thread that did.
#pragma once

#include <cstdint>

namespace tessera::fake {

struct Activity {
  bool isKernel = false;
  uint64_t bytes = 0;  // of a copy
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, dynamicShared = 0;
};
using Observer = void (*)(const Activity& activity);

}  // namespace tessera::fake

// In the fake driver; null: nobody is told any more.
extern "C" void tesseraFakeObserve(tessera::fake::Observer observer);
