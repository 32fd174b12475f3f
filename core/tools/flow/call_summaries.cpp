// One sweep over each computation in the module's order, in which callees come first. A row of bits says for a value
// from which parameters' values it comes; equal rows are one object.
#include "core/tools/flow/call_summaries.h"

#include <algorithm>
#include <map>

namespace tessera {
namespace {

using InputRow = std::shared_ptr<const CallSummary::Bits>;

// Rows of one computation: unions are remembered, so that a long chain makes few of them.
class RowPool {
 public:
  explicit RowPool(size_t inputs) : words_((inputs + 63) / 64), none_(std::make_shared<CallSummary::Bits>(words_, 0)) {}

  const InputRow& none() const { return none_; }
  InputRow one(size_t input) const {
    auto bits = std::make_shared<CallSummary::Bits>(words_, 0);
    (*bits)[input / 64] |= uint64_t{1} << (input % 64);
    return bits;
  }
  InputRow unite(const InputRow& a, const InputRow& b) {
    if (a == b || b == none_) return a;
    if (a == none_) return b;
    InputRow& known = unions_[{a.get(), b.get()}];
    if (known) return known;
    auto bits = std::make_shared<CallSummary::Bits>(*a);
    for (size_t w = 0; w < words_; ++w) (*bits)[w] |= (*b)[w];
    known = *bits == *a ? a : *bits == *b ? b : InputRow(bits);
    kept_.insert(kept_.end(), {a, b});  // the keys must not be another row's some day
    return known;
  }

 private:
  size_t words_;
  InputRow none_;
  std::map<std::pair<const void*, const void*>, InputRow> unions_;
  std::vector<InputRow> kept_;
};

// The rows of a computation's values, from its parameters down.
class RowSweep {
 public:
  RowSweep(const Module& module, const FlowValues& values, size_t inputs)
      : module_(module), values_(values), pool_(inputs) {}

  void addParameter(InstructionId id, size_t before) {
    std::vector<InputRow>& rows = rows_[id];
    for (size_t k = 0; k < values_.count(id); ++k) rows.push_back(pool_.one(before + k));
  }
  void add(const Instruction& in, const CallSummary* call) {
    if (rows_.contains(in.id)) return;
    std::vector<InputRow> out;
    switch (values_.handOf(in)) {
      case FlowValues::Hand::Pack: out = packed(in); break;
      case FlowValues::Hand::Take: out = taken(in); break;
      case FlowValues::Hand::Each: out = each(in); break;
      case FlowValues::Hand::Call:
        if (call) out = called(in, *call);
        break;
      case FlowValues::Hand::Blend: break;
    }
    if (out.size() != values_.count(in.id)) out.assign(values_.count(in.id), blended(in, 0));
    rows_[in.id] = std::move(out);
  }
  InputRow row(InstructionId id, size_t k) const {
    const auto found = rows_.find(id);
    return found == rows_.end() || k >= found->second.size() ? pool_.none() : found->second[k];
  }

 private:
  InputRow blended(const Instruction& in, size_t firstOperand) {
    InputRow out = pool_.none();
    for (size_t k = firstOperand; k < in.operands.size(); ++k)
      if (in.operands[k].valid())
        for (size_t i = 0; i < values_.count(in.operands[k]); ++i) out = pool_.unite(out, row(in.operands[k], i));
    return out;
  }
  std::vector<InputRow> packed(const Instruction& in) const {
    std::vector<InputRow> out;
    for (InstructionId operand : in.operands)
      if (operand.valid())
        for (size_t i = 0; i < values_.count(operand); ++i) out.push_back(row(operand, i));
    return out;
  }
  std::vector<InputRow> taken(const Instruction& in) const {
    std::vector<InputRow> out;
    const uint32_t offset = values_.offsetOf(in, 0);
    for (size_t i = 0; i < values_.count(in.id); ++i) out.push_back(row(in.operands[0], offset + i));
    return out;
  }
  std::vector<InputRow> each(const Instruction& in) {
    const InputRow others = blended(in, 1);
    std::vector<InputRow> out;
    for (size_t i = 0; i < values_.count(in.id); ++i) out.push_back(pool_.unite(row(in.operands[0], i), others));
    return out;
  }
  std::vector<InputRow> called(const Instruction& in, const CallSummary& call) {
    std::vector<InputRow> inputs = packed(in), out;
    std::map<const void*, InputRow> known;  // results with one row of the summary have one row here
    if (inputs.size() != call.inputs()) return out;
    for (size_t output = 0; output < call.outputs(); ++output) {
      InputRow& made = known[call.row(output).get()];
      if (!made) {
        made = pool_.none();
        for (size_t k = 0; k < inputs.size(); ++k)
          if (call.has(output, k)) made = pool_.unite(made, inputs[k]);
      }
      out.push_back(made);
    }
    return out;
  }

  const Module& module_;
  const FlowValues& values_;
  RowPool pool_;
  std::unordered_map<InstructionId, std::vector<InputRow>> rows_;
};

}  // namespace

std::shared_ptr<const CallSummary> CallSummary::blend(size_t inputs, size_t outputs) {
  auto out = std::make_shared<CallSummary>(inputs, outputs);
  const auto all = std::make_shared<Bits>((inputs + 63) / 64, ~uint64_t{0});
  for (size_t k = 0; k < outputs; ++k) out->set(k, all);
  return out;
}

CallSummaries::CallSummaries(const Module& module, const FlowValues& values) : module_(module), values_(values) {
  std::vector<bool> isCalled(module.computationSlots());
  for (ComputationId computation : module.order()) {
    for (InstructionId id : module.at(computation).instructions)
      if (values.handOf(module.at(id)) == FlowValues::Hand::Call) byCall_[id] = ofCall(module.at(id));
    if (computation != module.entry()) byComputation_[computation] = ofComputation(computation);
  }
}

CallSummaries::SummaryPtr CallSummaries::ofComputation(ComputationId id) const {
  const Computation& computation = module_.at(id);
  size_t inputs = 0;
  for (InstructionId parameter : computation.parameters)
    if (parameter.valid()) inputs += values_.count(parameter);
  RowSweep sweep(module_, values_, inputs);
  size_t before = 0;
  for (InstructionId parameter : computation.parameters) {
    if (!parameter.valid()) continue;
    sweep.addParameter(parameter, before);
    before += values_.count(parameter);
  }
  for (InstructionId instruction : computation.instructions) {
    const auto call = byCall_.find(instruction);
    sweep.add(module_.at(instruction), call == byCall_.end() ? nullptr : call->second.get());
  }
  const size_t outputs = computation.root.valid() ? values_.count(computation.root) : 1;
  auto out = std::make_shared<CallSummary>(inputs, outputs);
  for (size_t k = 0; k < outputs; ++k) out->set(k, sweep.row(computation.root, k));
  return out;
}

CallSummaries::SummaryPtr CallSummaries::known(ComputationId id) const {
  const auto found = byComputation_.find(id);
  return found == byComputation_.end() ? nullptr : found->second;
}

CallSummaries::SummaryPtr CallSummaries::ofCall(const Instruction& in) const {
  const size_t inputs = values_.rowBefore(in, in.operands.size()), outputs = values_.count(in.id);
  SummaryPtr out;
  if (in.opcode == Opcode::While) {
    out = ofWhile(in, inputs);
  } else if (in.opcode == Opcode::Conditional) {
    out = ofConditional(in, inputs);
  } else if (const std::vector<ComputationId> callees = module_.callees(in); callees.size() == 1) {
    out = known(callees.front());
  }
  const bool fits = out && out->inputs() == inputs && out->outputs() == outputs;
  return fits ? out : CallSummary::blend(inputs, outputs);
}

// Value i comes from what it is at first, and from all that the values come from which an iteration makes it of; how
// many iterations there are, from what the condition reads.
CallSummaries::SummaryPtr CallSummaries::ofWhile(const Instruction& in, size_t inputs) const {
  constexpr size_t kMostState = 1000;  // beyond, all from all: the closure is cubic
  const auto* bodyId = in.attributes->get<ComputationId>(Attr::body);
  const auto* conditionId = in.attributes->get<ComputationId>(Attr::condition);
  const SummaryPtr body = bodyId ? known(*bodyId) : nullptr, condition = conditionId ? known(*conditionId) : nullptr;
  if (!body || !condition || inputs > kMostState || body->inputs() != inputs || body->outputs() != inputs ||
      condition->inputs() != inputs)
    return nullptr;
  std::vector<CallSummary::Bits> reach(inputs);
  for (size_t i = 0; i < inputs; ++i) {
    reach[i] = *body->row(i);
    reach[i][i / 64] |= uint64_t{1} << (i % 64);
    for (size_t w = 0; w < reach[i].size(); ++w) reach[i][w] |= (*condition->row(0))[w];
  }
  for (size_t through = 0; through < inputs; ++through)
    for (size_t i = 0; i < inputs; ++i)
      if (reach[i][through / 64] >> (through % 64) & 1)
        for (size_t w = 0; w < reach[i].size(); ++w) reach[i][w] |= reach[through][w];
  auto out = std::make_shared<CallSummary>(inputs, inputs);
  for (size_t i = 0; i < inputs; ++i) out->set(i, std::make_shared<CallSummary::Bits>(std::move(reach[i])));
  return out;
}

// The first operand chooses, and each branch has one of the others.
CallSummaries::SummaryPtr CallSummaries::ofConditional(const Instruction& in, size_t inputs) const {
  const std::vector<ComputationId> branches = module_.callees(in);
  const size_t outputs = values_.count(in.id);
  if (in.operands.size() != branches.size() + 1 || inputs == 0) return nullptr;
  std::vector<CallSummary::Bits> rows(outputs, CallSummary::Bits((inputs + 63) / 64, 0));
  for (size_t k = 0; k < branches.size(); ++k) {
    const SummaryPtr branch = known(branches[k]);
    const size_t before = values_.rowBefore(in, k + 1);
    if (!branch || branch->outputs() != outputs || before + branch->inputs() > inputs) return nullptr;
    for (size_t output = 0; output < outputs; ++output) {
      for (size_t i = 0; i < branch->inputs(); ++i)
        if (branch->has(output, i)) rows[output][(before + i) / 64] |= uint64_t{1} << ((before + i) % 64);
      rows[output][0] |= 1;
    }
  }
  auto out = std::make_shared<CallSummary>(inputs, outputs);
  for (size_t k = 0; k < outputs; ++k) out->set(k, std::make_shared<CallSummary::Bits>(std::move(rows[k])));
  return out;
}

}  // namespace tessera
