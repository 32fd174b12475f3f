// The evaluator within a bound of work that does not depend on the machine: operations and bytes as core/cost counts
// them, over all instructions that run. So the same programs are tested everywhere. Used by the tests that run the
// corpus on the evaluator.
#pragma once

#include <optional>
#include <vector>

#include "core/evaluate/evaluate.h"

namespace tessera {

// What one unit of work takes the evaluator is 10 to 100 ns on a present machine.
struct BoundedRun {
  std::optional<Result<std::vector<Literal>>> outputs;  // nullopt: it would take more than the bound
  double work = 0;                                      // what was counted before it ended
};
BoundedRun evaluateWithin(double bound, const Module& module, std::span<const Literal> arguments);

// Counts the work of a run that is observed elsewhere, on a module that outlives it.
class WorkCounter {
 public:
  WorkCounter(const Module& module, double bound) : module_(module), bound_(bound) {}
  // False where the entry alone, each instruction once, takes more than the bound: then it need not begin.
  bool mayFit();
  // Call it for each step; sets `exceeded` when the bound is passed.
  void add(InstructionId id);
  const std::atomic<bool>* exceeded() const { return &exceeded_; }
  double work() const { return work_; }

 private:
  double workOf(InstructionId id);
  const Module& module_;
  const double bound_;
  double work_ = 0;
  std::atomic<bool> exceeded_ = false;
  std::unordered_map<uint32_t, double> known_;
};

}  // namespace tessera
