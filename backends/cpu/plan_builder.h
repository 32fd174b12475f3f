// PlanBuilder: from an optimised module with assigned buffers to a Plan. Tuples vanish here: every array leaf is a
// slot; tuple, get-tuple-element and bitcast give it a second name; loop carries and in-place updates share one.
#pragma once

#include "backends/cpu/kernels/kernel_library.h"
#include "backends/cpu/plan/plan.h"
#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {
class CustomCallLibrary;
}

namespace tessera::cpu {

struct PlanOptions {
  const CustomCallLibrary* customCalls = nullptr;  // the user's targets, which a run finds through its communicator
  int threads = 1;                                 // of the runs
};

// Registers kernels with the library (not compiled yet). ErrorKind::Unsupported names the instruction that cannot run.
Result<Plan> buildPlan(const Module& module, const BufferAssignment& buffers, KernelLibrary& kernels,
                       const PlanOptions& options);

}  // namespace tessera::cpu
