// Real ranks on this machine, for `tessera scale`: mpirun starts this very program, once a number of ranks.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/devices/communicator.h"
#include "core/scaling/links.h"

namespace tessera::cli {

// What each rank computes on, as `tessera run` takes it.
struct RankDevice {
  std::string backend = "cpu", device;
};
// Milliseconds of a run of FILE on a rank a device, the median of `runs`.
Result<double> measureRanks(const std::string& file, const RankDevice& on, DeviceGrid grid, int64_t runs);
// What two ranks exchange here, and how fast: of a small and of a large permute.
Result<Links> measureLinksHere(const RankDevice& on);

}  // namespace tessera::cli
