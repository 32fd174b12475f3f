// StreamSchedule: which of several pieces of work may run beside each other, and on which stream each goes. Two pieces
// depend on each other where one writes memory that the other touches. Decided by addresses alone, without a device.
// Used by graph_issue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::cuda {

struct MemoryRange {
  uint64_t begin = 0, end = 0;
};

// A piece of work, in the order in which the plan has it.
struct UnitAccess {
  std::vector<MemoryRange> reads, writes;
};

struct ScheduledUnit {
  int stream = 0;             // 0: the one that the caller goes on with
  std::vector<size_t> waits;  // units on other streams that must have ended before
  bool isAwaited = false;     // a unit on another stream waits for it, or it is the last on its own
};

struct StreamSchedule {
  std::vector<ScheduledUnit> units;
  int streams = 1;
  std::vector<size_t> last;  // by stream from 1 on: its last unit
};

StreamSchedule scheduleOnStreams(std::span<const UnitAccess> units, int mostStreams);

}  // namespace tessera::cuda
