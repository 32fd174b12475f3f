// What one warp of a launch touches, access by access, for readers: which lanes, where, how well it fits the memory.
// Kept only where somebody asks for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/cuda/device.h"
#include "backends/cuda/simulated/machine/access_patterns.h"

namespace tessera::cuda::simulated {

class AccessTrace {
 public:
  AccessTrace(const WarpChoice& choice, std::vector<TracedAccess>& out) : choice_(choice), out_(out) {}

  bool wants(uint64_t block, unsigned warp) const {
    return block == choice_.block && warp == choice_.warp && out_.size() < choice_.most;
  }
  void add(TracedAccess access) { out_.push_back(std::move(access)); }

 private:
  const WarpChoice choice_;
  std::vector<TracedAccess>& out_;
};

}  // namespace tessera::cuda::simulated
