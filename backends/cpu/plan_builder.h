// PlanBuilder: from an optimised module to a Plan. Tuples vanish here: every array leaf is a value in a slot; tuple,
// get-tuple-element, reshape, copy and the like give a value a second name. Slots are reused as values die; while
// carries, dynamic-update-slice and scatter write in place when the old value is dead.
#pragma once

#include "backends/cpu/kernel_library.h"
#include "backends/cpu/plan.h"
#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera::cpu {

// Registers kernels with the library (not compiled yet). Fault::Unsupported names the instruction that cannot run.
Result<Plan> buildPlan(const Module& module, KernelLibrary& kernels);

}  // namespace tessera::cpu
