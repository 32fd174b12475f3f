// ScanPlans: prefix sums as kernels: along rows of memory by codegen/grid/grid_scan, else by three element programs.
#pragma once

#include <vector>

#include "backends/cuda/plan/plan_draft.h"
#include "backends/cuda/plan/scan_programs.h"

namespace tessera::cuda {

// Of the request's last dimension, which ScanMap::fits. from: the array, the first value.
Status planScanOfLines(PlanDraft& draft, const Instruction& instruction, const ScanRequest& request,
                       std::vector<int> from, int result, Steps& out);
// An instruction that is a runningTotal.
Status planPrefixSum(PlanDraft& draft, const Instruction& instruction, Steps& out);

}  // namespace tessera::cuda
