// HostEvaluation: an instruction by the reference evaluator, for what no kernel computes yet: a fusion as its
// computation, any other by its op's `evaluate`. States of random generators are kept as on the CPU.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "backends/backend.h"
#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "core/ops/op.h"

namespace tessera::cuda {

class HostEvaluation {
 public:
  explicit HostEvaluation(const Module& module) : module_(module) {}

  // A run of the program begins.
  void beginRun() { runWords_.clear(); }
  // Calls with what an op's own functions ask of a run, without operands' values.
  Result<bool> withContext(InstructionId id, const RunOptions& options,
                           const std::function<Result<bool>(const EvaluateContext& context)>& use);
  // leaves: of the operands, tokens as Literal::token(). Gives those of the result, tokens likewise.
  Result<std::vector<Literal>> evaluate(InstructionId id, std::span<const Literal> leaves, const RunOptions& options);

 private:
  Result<Literal> evaluateWhole(const Instruction& instruction, std::span<const Literal> operands,
                                const RunOptions& options);
  Result<Literal> evaluateOp(const Instruction& instruction, std::span<const Literal> operands,
                             const RunOptions& options);

  using Words = std::unordered_map<uint32_t, std::array<uint64_t, 2>>;  // by instruction
  const Module& module_;
  Words runWords_, lastingWords_;  // of this run; of all runs
};

}  // namespace tessera::cuda
