// Runs one program on all devices of a grid at once, a thread each, connected by a DeviceGroup. What runs on a device
// is the caller's: the evaluator, or an executable of a backend.
#pragma once

#include <functional>
#include <vector>

#include "core/base/result.h"
#include "core/devices/collectives.h"
#include "core/hlo/literal.h"

namespace tessera {

using DeviceProgram = std::function<Result<std::vector<Literal>>(Communicator&)>;

// The outputs by device. Fails with the first failure of any device; the others are stopped at their next exchange.
Result<std::vector<std::vector<Literal>>> runOnDevices(DeviceGrid grid, const DeviceProgram& program,
                                                       HostFeeds feeds = {});

}  // namespace tessera
