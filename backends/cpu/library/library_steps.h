// Library steps: the table of opcodes whose work a library or a routine of ours does: dot, convolution, sort, topk.
// Each `plan…` returns no step for an instruction that it does not support; that runs by the op's element program.
#pragma once

#include <functional>
#include <optional>

#include "backends/cpu/kernels/kernel_library.h"
#include "backends/cpu/plan/plan.h"
#include "core/hlo/module.h"

namespace tessera::cpu {

struct LibraryContext {
  const Module& module;
  const Instruction& instruction;
  KernelLibrary& kernels;
  std::vector<int> operands;                          // slots of operand leaves
  std::vector<int> outputs;                           // slots of result leaves
  std::function<Result<int>(int64_t bytes)> scratch;  // a slot that lives through the step
  std::string what;                                   // to be filled: "dot (oneDNN)"
  int threads = 1;                                    // that may run parts of the step at once
};

// A null step: refused.
Result<StepPtr> planDot(LibraryContext& context);
Result<StepPtr> planConvolution(LibraryContext& context);
Result<StepPtr> planSort(LibraryContext& context);
Result<StepPtr> planTopK(LibraryContext& context);
Result<StepPtr> planFourier(LibraryContext& context);
// A reduce-window of running totals (passes/patterns.h).
Result<StepPtr> planScan(LibraryContext& context);
Result<StepPtr> planTriangularSolve(LibraryContext& context);
Result<StepPtr> planCholesky(LibraryContext& context);
// A custom call of one of jaxlib's LAPACK targets that steps of ours do: getrf, potrf, trsm.
Result<StepPtr> planLapack(LibraryContext& context);
Result<StepPtr> planLibrary(LibraryContext& context);

}  // namespace tessera::cpu
