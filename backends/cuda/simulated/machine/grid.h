// A launch: all blocks of a grid. Blocks that cannot speak to each other are spread over threads of the CPU; else they
// run in their order, and one that waits long lets later ones begin. Either way the result is the same each time.
#pragma once

#include "backends/cuda/simulated/machine/block.h"

namespace tessera::cuda::simulated {

struct LaunchOutcome {
  std::vector<Report> reports;
  std::optional<std::string> failure;  // with the driver's name of the error
  bool wasCancelled = false;
};

LaunchOutcome runGrid(const GridSetting& setting);

}  // namespace tessera::cuda::simulated
