// DevicePlanBuilder: from an optimised module with assigned buffers to a DevicePlan: the CPU's plan with kernels for
// threads of a GPU, and with the host where there is no kernel.
#pragma once

#include "backends/cuda/kernels/kernel_set.h"
#include "backends/cuda/plan/device_plan.h"
#include "core/base/result.h"

namespace tessera {
class CustomCallLibrary;
}

namespace tessera::cuda {

// Adds kernels to the set. ErrorKind::Unsupported names the instruction that can run neither there nor here.
Result<DevicePlan> buildDevicePlan(const Module& module, const BufferAssignment& buffers, KernelSet& kernels,
                                   const CustomCallLibrary* customCalls);

}  // namespace tessera::cuda
