// Which instructions a library of NVIDIA's computes, and their steps.
#pragma once

#include <optional>
#include <vector>

#include "backends/cuda/libraries/libraries.h"
#include "backends/cuda/plan/plan_draft.h"

namespace tessera::cuda {

struct LibraryPlan {
  LibraryCall call;
  // Where the library has a filter's dimensions in another order: dimension i of its filter is this one of ours.
  std::vector<int64_t> filterOrder;
  // Which operands of the instruction are the call's, in its order; empty: all.
  std::vector<size_t> operands;
};
// An instruction in a library's terms; nothing where no library has its kind.
std::optional<LibraryPlan> libraryPlanOf(const Module& module, const Instruction& instruction);

// Appends the steps. ErrorKind::Unsupported says why no library takes the call.
Status planLibrary(PlanDraft& draft, const Instruction& instruction, LibraryPlan plan, Libraries& libraries,
                   Steps& out);

}  // namespace tessera::cuda
