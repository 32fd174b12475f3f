#include "backends/cuda/device.h"

namespace tessera::cuda {

std::string DeviceInfo::architecture() const { return "sm_" + std::to_string(major) + std::to_string(minor); }

}  // namespace tessera::cuda
