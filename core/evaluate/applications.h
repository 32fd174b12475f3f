// The k-th application of a computation that an operation applies to elements, by the operation's definition: what a
// reducer or comparator is given then. The evaluator works on whole arrays and applies nothing one by one. Used by
// trace.cpp.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

struct Application {
  ComputationId computation;
  int64_t wanted = 0;
  int64_t count = 0;  // how often it is applied; of a sort at most kMaxComparisons
  int64_t taken = 0;  // the one wanted, or the last; meaningless where the count is 0
  std::vector<Literal> arguments;
};
inline constexpr int64_t kMaxComparisons = 4096;

// map, reduce, reduce-window, scatter, select-and-scatter and sort.
bool hasApplications(Opcode opcode);
// A reduction's applications: one result after the other, row-major; within it what is reduced, row-major, the first
// argument what was accumulated so far. Elements of a window in the padding are left out. A
// select-and-scatter's: window by window, of select one less than it has elements, of scatter one. A sort's: the
// comparisons of a stable merge sort, one line after the other. Those of a map and a scatter: see
// element_applications.h.
Status findApplication(const Module& module, const Instruction& caller, std::span<const Literal> operands,
                       Application& out, const std::atomic<bool>* cancel);

}  // namespace tessera
