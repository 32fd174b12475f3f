// The device's side of `tessera explain`: machine code and figures of kernels, and what a warp touches.
#pragma once

#include "app/cli/command.h"
#include "backends/backend.h"
#include "backends/device_tools.h"

namespace tessera::cli {

// Of a step's kernel.
void tellMachineCode(const MachineCode& code, const StepListing& step, nlohmann::ordered_json& out, Report& report);
void tellWarp(const std::vector<WarpAccess>& accesses, nlohmann::ordered_json& out, Report& report);

}  // namespace tessera::cli
