// What a module costs, counted as XLA's cost analysis counts (rules in README.md of this folder), and how much memory
// it needs at its peak by liveness. Stands after inference; the command line, the studio and fusion read it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/hlo/module.h"
#include "core/ops/op.h"

namespace tessera {

// Costs of many instructions of one module, which must not change meanwhile. What a computation costs is remembered, so
// a reducer that a thousand instructions call is counted once, and a chain of calls in time linear in its length.
class CostCounter {
 public:
  explicit CostCounter(const Module& module) : module_(module) {}

  // One execution; called computations included, a while's body and condition once.
  Cost of(InstructionId id);
  Cost of(ComputationId id);

 private:
  void countFirst(std::vector<ComputationId> open);
  Cost sumOf(ComputationId id) const;
  Cost known(ComputationId id) const;
  Cost own(const Instruction& instruction) const;

  const Module& module_;
  std::unordered_map<ComputationId, Cost> known_;
  std::unordered_set<ComputationId> entered_;
};

// One execution of one instruction, as CostCounter counts it.
Cost costOf(const Module& module, InstructionId id);
// One execution of the entry computation.
Cost costOf(const Module& module);

// Bytes alive at the worst moment of a run in the module's order: arguments, constants, outputs and temporaries.
// Tuples and bitcasts share their operands' buffers, a while carries its state in place; a fusion has no temporaries.
int64_t peakMemory(const Module& module);

}  // namespace tessera
