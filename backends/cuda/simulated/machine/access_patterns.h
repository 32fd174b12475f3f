// How well the accesses of a warp fit the memory: sectors of global memory touched and needed, rounds of shared
// memory's banks taken and needed; summed for each place of a kernel. What costs time becomes a report at the end of a
// launch.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/cuda/simulated/machine/report_list.h"

namespace tessera::cuda::simulated {

using LaneAddresses = std::array<uint64_t, kLanes>;

struct PatternCount {
  int64_t accesses = 0, units = 0, needed = 0;
};

// Sectors of 32 bytes that the lanes touch, and how many their different bytes would fill.
PatternCount countSectors(const LaneAddresses& addresses, LaneMask active, unsigned bytes);
// Rounds in which the 32 banks of 4 bytes serve the lanes.
PatternCount countBankRounds(const LaneAddresses& addresses, LaneMask active, unsigned bytes);

class AccessPatterns {
 public:
  explicit AccessPatterns(size_t sites) : sectors_(sites), banks_(sites) {}
  void noteGlobal(uint32_t site, const LaneAddresses& addresses, LaneMask active, unsigned bytes);
  void noteShared(uint32_t site, const LaneAddresses& addresses, LaneMask active, unsigned bytes);
  void merge(const AccessPatterns& other);
  void report(ReportList& reports) const;

 private:
  std::vector<PatternCount> sectors_, banks_;
};

}  // namespace tessera::cuda::simulated
