// See work.h.
#include "tests/corpus/work.h"

#include "core/cost/cost.h"

namespace tessera {
namespace {

constexpr double kTranscendental = 10;  // in operations

// Their bodies' instructions are counted where they run.
bool onlyCalls(Opcode opcode) {
  return opcode == Opcode::While || opcode == Opcode::Conditional || opcode == Opcode::Call;
}

}  // namespace

double WorkCounter::workOf(InstructionId id) {
  const auto [at, isNew] = known_.try_emplace(id.value, 0.0);
  if (isNew && !onlyCalls(module_.at(id).opcode)) {
    const Cost cost = costOf(module_, id);
    at->second = 1 + cost.flops + kTranscendental * cost.transcendentals + cost.bytesAccessed;
  }
  return at->second;
}

bool WorkCounter::mayFit() {
  double once = 0;
  for (InstructionId id : module_.entryComputation().instructions) once += workOf(id);
  return once <= bound_;
}

void WorkCounter::add(InstructionId id) {
  work_ += workOf(id);
  if (work_ > bound_) exceeded_ = true;
}

BoundedRun evaluateWithin(double bound, const Module& module, std::span<const Literal> arguments) {
  WorkCounter counter(module, bound);
  if (!counter.mayFit()) return {};
  EvaluateOptions options;
  options.cancel = counter.exceeded();
  options.observe = [&](const EvaluatedStep& step) { counter.add(step.instruction); };
  auto outputs = evaluateModule(module, arguments, options);
  BoundedRun out;
  out.work = counter.work();
  if (*counter.exceeded()) return out;
  out.outputs = std::move(outputs);
  return out;
}

}  // namespace tessera
