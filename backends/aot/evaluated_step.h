// EvaluatedStep: an instruction that the reference evaluator runs (transforms, decompositions, top-k, LAPACK's targets), kept
// in an object as the HLO text of a module of its own. Stands in libtessera_evaluate.a, which needs libtessera_core.so: only
// programs with such steps are linked with them. Before: cpu/evaluate_step; after: core/evaluate.
#pragma once

#include "backends/runtime/step.h"
#include "core/hlo/module.h"

namespace tessera::aot {

// Whether the evaluator's answer follows from the operands alone: no state, no other device, no library of the user's.
bool isPure(const Instruction& instruction);
// What the loader reads: the instruction alone, its operands as parameters.
Result<std::string> textOf(const Module& module, InstructionId instruction);

class EvaluatedStep : public cpu::Step {
 public:
  static constexpr const char* kLoader = "tessera_core_evaluate";
  // operands, outputs: slots of the array leaves, in order.
  EvaluatedStep(Module module, std::vector<int> operands, std::vector<int> outputs)
      : module_(std::move(module)), operands_(std::move(operands)), outputs_(std::move(outputs)) {}
  Status run(cpu::RunState& state) override;

 private:
  Module module_;
  std::vector<int> operands_, outputs_;
};

}  // namespace tessera::aot
