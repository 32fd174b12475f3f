// Which instructions a library of NVIDIA's computes, and their steps.
#pragma once

#include <optional>
#include <string>

#include "backends/cuda/libraries/libraries.h"
#include "backends/cuda/plan/plan_draft.h"

namespace tessera::cuda {

// The call for an instruction in a library's terms; nothing where no library has its kind.
std::optional<LibraryCall> libraryCallOf(const Module& module, const Instruction& instruction);

// Appends the steps. ErrorKind::Unsupported says why no library takes the call.
Status planLibrary(PlanDraft& draft, const Instruction& instruction, LibraryCall call, Libraries& libraries,
                   Steps& out);

}  // namespace tessera::cuda
