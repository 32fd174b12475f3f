// DevicePlanBuilder: from an optimised module with assigned buffers to a DevicePlan: the CPU's plan with kernels for
// threads of a GPU, and with the host where there is no kernel.
#pragma once

#include "backends/cuda/kernels/kernel_set.h"
#include "backends/cuda/program/device_plan.h"
#include "core/base/result.h"
#include "core/hlo/literal.h"
#include "core/passes/device_fusions.h"

namespace tessera {
class CustomCallLibrary;
}

namespace tessera::cuda {

class Libraries;

struct PlanOptions {
  const CustomCallLibrary* customCalls = nullptr;
  Libraries* libraries = nullptr;          // of the device that the plan is for; null: none
  const DeviceFusions* fusions = nullptr;  // what was asked and told while the module was optimised; null: nothing
};

// For DeviceFusions, of an architecture's kernels.
Status checkFusion(const Module& module, InstructionId fusion, const Architecture& architecture);

// Adds kernels to the set. ErrorKind::Unsupported names the instruction that can run neither there nor here.
Result<DevicePlan> buildDevicePlan(const Module& module, const BufferAssignment& buffers, KernelSet& kernels,
                                   const PlanOptions& options);

// Arrays of all constants that steps read, in the order in which plans number them.
std::vector<LiteralPtr> constantsOf(const Module& module);
// The plan's slots point into `constants`, which outlive it.
void bindConstants(DevicePlan& plan, const std::vector<LiteralPtr>& constants);

}  // namespace tessera::cuda
