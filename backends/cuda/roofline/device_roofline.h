// The roofline of a card: what its arithmetic, its memory and its connection to the host give at most, measured by
// events around kernels of our own.
#pragma once

#include "backends/cuda/device.h"
#include "backends/roofline.h"

namespace tessera::cuda {

// seconds: for each figure. one_core is one block alone, all_cores a full card.
Result<Roofline> measureDeviceRoofline(Device& device, double seconds);

}  // namespace tessera::cuda
