// ProgramPlans: operations that run as several element programs of our own making: sorts, top-k, prefix sums.
#pragma once

#include "backends/cuda/plan/plan_draft.h"

namespace tessera::cuda {

bool isPlannedByProgram(const Module& module, const Instruction& instruction);
// ErrorKind::Unsupported where a form of it has no programs.
Status planByProgram(PlanDraft& draft, const Instruction& instruction, Steps& out);

}  // namespace tessera::cuda
