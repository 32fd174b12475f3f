// CallSummaries: which operands' values each value of a call's result comes from. A walk passes a call by these, so
// that what goes in at one call never comes out at another one of the same computation. Used by value_flow.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "core/tools/flow/flow_values.h"

namespace tessera {

// Rows of bits, one a value of the result; bit k: the k-th of the operands' values in one row is in it.
class CallSummary {
 public:
  using Bits = std::vector<uint64_t>;
  CallSummary(size_t inputs, size_t outputs) : inputs_(inputs), rows_(outputs) {}

  size_t inputs() const { return inputs_; }
  size_t outputs() const { return rows_.size(); }
  bool has(size_t output, size_t input) const { return (*rows_[output])[input / 64] >> (input % 64) & 1; }
  void set(size_t output, std::shared_ptr<const Bits> row) { rows_[output] = std::move(row); }
  const std::shared_ptr<const Bits>& row(size_t output) const { return rows_[output]; }
  // Everything from everything.
  static std::shared_ptr<const CallSummary> blend(size_t inputs, size_t outputs);

 private:
  size_t inputs_;
  std::vector<std::shared_ptr<const Bits>> rows_;  // shared: most are equal
};

class CallSummaries {
 public:
  CallSummaries(const Module& module, const FlowValues& values);
  // Of a call, fusion, while or conditional.
  const CallSummary& of(InstructionId id) const { return *byCall_.at(id); }

 private:
  using SummaryPtr = std::shared_ptr<const CallSummary>;
  SummaryPtr ofComputation(ComputationId id) const;
  SummaryPtr ofCall(const Instruction& instruction) const;
  SummaryPtr ofWhile(const Instruction& instruction, size_t inputs) const;
  SummaryPtr ofConditional(const Instruction& instruction, size_t inputs) const;
  SummaryPtr known(ComputationId id) const;

  const Module& module_;
  const FlowValues& values_;
  std::unordered_map<ComputationId, SummaryPtr> byComputation_;
  std::unordered_map<InstructionId, SummaryPtr> byCall_;
};

}  // namespace tessera
