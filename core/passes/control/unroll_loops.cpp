// See unroll_loops.h.
#include "core/passes/control/unroll_loops.h"

#include <algorithm>

#include "core/base/tuning.h"
#include "core/passes/control/loop_form.h"
#include "core/passes/patterns.h"

namespace tessera {
namespace {

// Steps that only carry long arrays on, element by element, cost a pass over memory each in a loop, and one together:
// random bits of Threefry are five such steps of fifty instructions. Whether the body changes long arrays, all of that
// by elementwise instructions, and reads other arrays than those by broadcasts.
bool isLongAndElementwise(const Module& module, const LoopForm& form) {
  bool isLong = false;
  for (size_t i = 0; i < form.size(); ++i) {
    const Shape& shape = module.shapeOf(form.next[i]);
    isLong |= !form.invariant[i] && shape.isArray() && shape.elementCount().value_or(0) >= tuning().control.longArray;
  }
  if (!isLong) return false;
  return std::ranges::all_of(module.at(form.body).instructions, [&](InstructionId id) {
    const Instruction& in = module.at(id);
    if (!in.shape->isArray() || in.shape->elementCount().value_or(0) < tuning().control.longArray) return true;
    return isElementwise(in.opcode) || in.opcode == Opcode::Parameter || in.opcode == Opcode::GetTupleElement ||
           in.opcode == Opcode::Broadcast || in.opcode == Opcode::Constant || in.opcode == Opcode::Iota;
  });
}

// Instructions of one step that are work; nullopt when the body holds what should stay a loop.
std::optional<int64_t> workOf(const Module& module, const LoopForm& form) {
  int64_t out = 0;
  for (InstructionId id : module.at(form.body).instructions) {
    const Instruction& in = module.at(id);
    switch (in.opcode) {
      case Opcode::While:
      case Opcode::Conditional:
      case Opcode::Call:
      case Opcode::Sort:
      case Opcode::Convolution:
      case Opcode::CustomCall:
      case Opcode::Scatter:
      case Opcode::Dot: return std::nullopt;
      case Opcode::Parameter:
      case Opcode::GetTupleElement:
      case Opcode::Constant:
      case Opcode::Tuple: break;
      default: ++out;
    }
  }
  return out;
}

bool unroll(Rewriter& rewriter, const LoopForm& form) {
  Module& module = rewriter.module();
  const auto trips = tripCount(rewriter, form);
  const auto work = workOf(module, form);
  if (!trips || *trips < 1 || *trips > tuning().control.maxUnrolledTrips || !work) return false;
  const auto& limits = tuning().control;
  if (*work * *trips >
      (isLongAndElementwise(module, form) ? limits.maxUnrolledElementwise : limits.maxUnrolledInstructions))
    return false;
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
