// Loops as the passes see them: a while over a tuple, what it carries unchanged, how often it runs; and the one way to
// give a loop another state. Below simplify_loops, hoist_invariants and unroll_loops.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/ops/inference/trip_count.h"
#include "core/passes/rewriter.h"

namespace tessera {

// A while whose state is a tuple and whose body ends in a tuple instruction.
struct LoopForm {
  InstructionId loop, init;  // init: the state before the first step
  ComputationId condition, body;
  InstructionId conditionState, bodyState;  // their parameters
  std::vector<InstructionId> next;          // the body's root's operands: the state after a step, by index
  std::vector<bool> invariant;              // passed on unchanged
  std::vector<InstructionId> initial;       // operands of init when it is a tuple; else empty
  size_t size() const { return next.size(); }
};
// nullopt when the loop has another form, or carries control edges that a copy would lose.
std::optional<LoopForm> loopForm(Rewriter& rewriter, InstructionId loop);

// countedTrips of the loop as the rewriter has it.
std::optional<int64_t> tripCount(Rewriter& rewriter, const LoopForm& form);

// The value of element i before the first step, in the computation of the loop.
InstructionId initialElement(Rewriter& rewriter, const LoopForm& form, size_t i);

// Another state: the elements `kept` (indices, ascending), then `added` values of the loop's computation, which the
// loop passes on unchanged. `hoisted`: instructions of the body that read one of the added (by number) instead of
// being computed. What only dropped elements need is dropped. Users of the loop are moved over; the loop disappears.
void rebuildLoop(Rewriter& rewriter, const LoopForm& form, const std::vector<size_t>& kept,
                 const std::vector<InstructionId>& added, const std::unordered_map<uint32_t, size_t>& hoisted);

// The body's instructions once, in the computation of the loop, on the given state; gives the next state.
std::vector<InstructionId> inlineStep(Rewriter& rewriter, const LoopForm& form,
                                      const std::vector<InstructionId>& state);
// Every while of the module, those in called computations first.
std::vector<InstructionId> loopsInsideOut(const Module& module);
// Called by one loop, branch or call, so that it may be changed for that one.
bool hasOneCaller(const Module& module, ComputationId computation);
// Nothing in the computation, or called from it, has an effect or another value each time.
bool isPure(const Module& module, ComputationId computation);

}  // namespace tessera
