// The plans of Cholesky factors and triangular systems, of factor_programs.
#pragma once

#include "backends/cuda/plan/plan_draft.h"

namespace tessera::cuda {

Status planCholesky(PlanDraft& draft, const Instruction& instruction, Steps& out);
Status planTriangularSolve(PlanDraft& draft, const Instruction& instruction, Steps& out);

}  // namespace tessera::cuda
