// CallTree: which computation calls which, as a tree by caller. Used by `tessera path --callers`, the studio's list of
// computations and the flow of values through calls.
#pragma once

#include <span>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

class CallTree {
 public:
  explicit CallTree(const Module& module);

  // A computation that another one calls: the first instruction that does, and how many do.
  struct Call {
    ComputationId computation;
    InstructionId instruction;
    size_t count = 1;
  };
  std::span<const Call> callees(ComputationId id) const { return callees_[id.value]; }  // in the caller's order
  std::span<const Call> callers(ComputationId id) const { return callers_[id.value]; }  // in the module's order
  // The entry, then those without callers.
  const std::vector<ComputationId>& roots() const { return roots_; }
  // The shortest way from a root down to it, both included.
  std::vector<ComputationId> wayTo(ComputationId id) const;

 private:
  std::vector<std::vector<Call>> callees_, callers_;
  std::vector<ComputationId> roots_;
  std::vector<ComputationId> above_;  // the next one on the way to a root
};

}  // namespace tessera
