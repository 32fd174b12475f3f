// EvaluateStep: runs an instruction by its op's `evaluate`, on literals made from the slots. The way of every op of
// kind Library or Effect that has neither an element program nor a library routine: whatever the evaluator can run,
// runs here too. Ahead of time the instruction is kept as a module of its own (cpu/library/evaluated_step), and the
// same step runs that.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "backends/runtime/step.h"
#include "core/hlo/module.h"

namespace tessera::cpu {

class EvaluateStep : public Step {
 public:
  static constexpr const char* kLoader = "tessera_core_evaluate";
  // operands and outputs: slots of the array leaves, in order; -1 for tokens. The instruction is one of
  // RunState::module.
  EvaluateStep(InstructionId instruction, std::vector<int> operands, std::vector<int> outputs)
      : instruction_(instruction),
        original_(instruction),
        operands_(std::move(operands)),
        outputs_(std::move(outputs)) {}
  // The root of a module of its own; `original` is its id in the program, which meetings and random streams go by.
  EvaluateStep(Module alone, InstructionId original, std::vector<int> operands, std::vector<int> outputs)
      : alone_(std::move(alone)),
        instruction_(alone_->entryComputation().root),
        original_(original),
        operands_(std::move(operands)),
        outputs_(std::move(outputs)) {}
  Status run(RunState& state) override;
  bool isSerializable = false;  // in an object: uses neither feeds nor a user's library
  const char* loader() const override { return isSerializable ? kLoader : nullptr; }
  void save(FieldWriter& out) override;

 private:
  const Module& moduleOf(const RunState& state) const { return alone_ ? *alone_ : *state.module; }
  Result<std::vector<Literal>> operandsOf(const RunState& state) const;
  Result<Literal> evaluate(const RunState& state, std::span<const Literal> operands);
  Result<Literal> evaluate(const RunState& state, std::span<const Literal> operands,
                           std::array<uint64_t, 2>& memory) const;

  std::optional<Module> alone_;
  InstructionId instruction_, original_;
  std::vector<int> operands_, outputs_;
  std::array<uint64_t, 2> memory_{};  // EvaluateContext::memory, of run number memoryRun_
  uint64_t memoryRun_ = 0;
};

}  // namespace tessera::cpu
