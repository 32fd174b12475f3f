// See unroll_loops.h.
#include "core/passes/unroll_loops.h"

#include <algorithm>

#include "core/passes/loop_form.h"

namespace tessera {
namespace {

constexpr int64_t kMostTrips = 8;
constexpr int64_t kMostInstructions = 48;  // of all steps together; beyond that the kernels that compile cost more than the loop

// Instructions of one step that are work; nullopt when the body holds what should stay a loop.
std::optional<int64_t> workOf(const Module& module, const LoopForm& form) {
  int64_t out = 0;
  for (InstructionId id : module.at(form.body).instructions) {
    const Instruction& in = module.at(id);
    switch (in.opcode) {
      case Opcode::While: case Opcode::Conditional: case Opcode::Call: case Opcode::Sort: case Opcode::Convolution: case Opcode::CustomCall:
      case Opcode::Scatter: case Opcode::Dot: return std::nullopt;
      case Opcode::Parameter: case Opcode::GetTupleElement: case Opcode::Constant: case Opcode::Tuple: break;
      default: ++out;
    }
  }
  return out;
}

bool unroll(Rewriter& rewriter, const LoopForm& form) {
  Module& module = rewriter.module();
  const auto trips = tripCount(rewriter, form);
  const auto work = workOf(module, form);
  if (!trips || *trips < 1 || *trips > kMostTrips || !work || *work * *trips > kMostInstructions) return false;
  if (!isPure(module, form.condition) || !isPure(module, form.body)) return false;
  std::vector<InstructionId> state;
  for (size_t i = 0; i < form.size(); ++i) state.push_back(initialElement(rewriter, form, i));
  for (int64_t step = 0; step < *trips; ++step) state = inlineStep(rewriter, form, state);
  const InstructionId origin[] = {form.loop};
  const Instruction old = module.at(form.loop);
  rewriter.replace(form.loop, rewriter.add(old.computation, Opcode::Tuple, *old.shape, state, {}, origin));
  return true;
}

}  // namespace

Result<bool> unrollLoops(Module& module) {
  bool changed = false;
  for (InstructionId loop : loopsInsideOut(module)) {
    if (!module.contains(loop)) continue;
    Rewriter rewriter(module, "unroll-loops");
    const auto form = loopForm(rewriter, loop);
    if (!form || !unroll(rewriter, *form)) continue;
    TESSERA_TRY(rewriter.finish());
    changed = true;
  }
  if (changed) TESSERA_TRY(restoreComputationOrder(module));
  return changed;
}

}  // namespace tessera
