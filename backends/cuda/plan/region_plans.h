// Small loops as one kernel: which instructions of a computation are one, and its step. The loop's state is in
// registers and shared memory (codegen/grid/grid_region), so that a round costs no launch and no memory.
#pragma once

#include <optional>

#include "backends/cpu/plan/region_planner.h"
#include "backends/cuda/plan/plan_draft.h"

namespace tessera::cuda {

class RegionPlans {
 public:
  // customCalls may be null.
  RegionPlans(const Module& module, const BufferAssignment& buffers, const CustomCallLibrary* customCalls);
  ~RegionPlans();

  // The step of instructions [begin, the returned number) of the computation, which hold a loop; nothing where they
  // are steps of their own.
  std::optional<size_t> plan(PlanDraft& draft, ComputationId computation, size_t begin, bool inLoop, Steps& out);

 private:
  class Members;
  const Module& module_;
  std::unique_ptr<const Members> members_;
  cpu::RegionPlanner planner_;
};

}  // namespace tessera::cuda
