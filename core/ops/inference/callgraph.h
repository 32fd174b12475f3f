// Who calls whom: computations ordered callees first, the callers of each, and recursion, which HLO forbids.
#pragma once

#include <span>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

class CallGraph {
 public:
  explicit CallGraph(const Module& module) : CallGraph(module, module.order()) {}
  // Of `starts` and what they call alone.
  CallGraph(const Module& module, std::span<const ComputationId> starts);
  // All computations; ties in the order of the starts. Those of a recursion come in an arbitrary but fixed order.
  const std::vector<ComputationId>& calleesFirst() const { return order_; }
  std::span<const InstructionId> callersOf(ComputationId id) const { return callers_[id.value]; }
  // Instructions whose call leads back to their own computation.
  const std::vector<InstructionId>& recursiveCalls() const { return recursive_; }

 private:
  std::vector<ComputationId> order_;
  std::vector<std::vector<InstructionId>> callers_;
  std::vector<InstructionId> recursive_;
};

// Computations that the instruction calls; async-update and async-done without `calls`: those of their async-start.
std::vector<ComputationId> calledBy(const Module& module, const Instruction& instruction);

}  // namespace tessera
