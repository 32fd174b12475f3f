// EvaluateStep: runs an instruction by its op's `evaluate`, on literals made from the slots. The way of every op of kind
// Library that has neither an element program nor a library routine: whatever the evaluator can run, runs here too.
#pragma once

#include <array>
#include <vector>

#include "backends/cpu/plan.h"

namespace tessera::cpu {

class EvaluateStep : public Step {
 public:
  // operands and outputs: slots of the array leaves, in order; -1 for tokens.
  EvaluateStep(InstructionId instruction, std::vector<int> operands, std::vector<int> outputs)
      : instruction_(instruction), operands_(std::move(operands)), outputs_(std::move(outputs)) {}
  Status run(RunState& state) override;
  // Ahead of time: what the evaluator computes of the operands alone is evaluated there, too (aot/evaluated_step).
  bool isPure = false;
  const char* loader() const override;
  void save(FieldWriter& out) override;

 private:
  Result<std::vector<Literal>> operandsOf(const RunState& state) const;
  Result<Literal> evaluate(const RunState& state, std::span<const Literal> operands);

  InstructionId instruction_;
  std::vector<int> operands_, outputs_;
  std::array<uint64_t, 2> memory_{};  // EvaluateContext::memory, of run number memoryRun_
  uint64_t memoryRun_ = 0;
};

}  // namespace tessera::cpu
