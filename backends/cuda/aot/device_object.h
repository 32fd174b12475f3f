// DeviceObject: a program for a device as an object file with a C entry point: plan, PTX and constants as data, and
// small functions that hand them to the run-time library (program/c_entry.h). And its C header.
#pragma once

#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/program/device_plan.h"
#include "core/hlo/literal.h"
#include "core/hlo/module.h"

namespace tessera::cuda {

struct DeviceObjectParts {
  std::string name;      // of its functions, a C identifier
  const Module& source;  // whose arrays it takes and gives
  const Module& optimized;
  const DeviceProgram& program;
  const std::vector<LiteralPtr>& constants;
};

// ErrorKind::Unsupported names the instruction that runs on the host.
Result<CompiledObject> makeDeviceObject(const DeviceObjectParts& parts);

}  // namespace tessera::cuda
