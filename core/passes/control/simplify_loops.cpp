// See simplify_loops.h.
#include "core/passes/control/simplify_loops.h"

#include <algorithm>

#include "core/passes/control/loop_form.h"

namespace tessera {
namespace {

using Ids = std::vector<InstructionId>;

// Never run: the state as it began. Run once: the body's instructions.
bool withoutLoop(Rewriter& rewriter, const LoopForm& form) {
  Module& module = rewriter.module();
  const auto trips = tripCount(rewriter, form);
  if (!trips || *trips > 1 || !isPure(module, form.condition)) return false;
  if (*trips == 0) {
    rewriter.replace(form.loop, form.init);
    return true;
  }
  if (!isPure(module, form.body)) return false;
  Ids state;
  for (size_t i = 0; i < form.size(); ++i) state.push_back(initialElement(rewriter, form, i));
  const Ids next = inlineStep(rewriter, form, state);
  const InstructionId origin[] = {form.loop};
  const Instruction old = module.at(form.loop);
  rewriter.replace(form.loop, rewriter.add(old.computation, Opcode::Tuple, *old.shape, next, {}, origin));
  return true;
}

// A scalar constant, or copies of one: no memory is saved by carrying it.
bool isFreeConstant(const Module& module, InstructionId id) {
  const Instruction* in = &module.at(id);
  if (in->opcode == Opcode::Broadcast) in = &module.at(in->operands[0]);
  return in->opcode == Opcode::Constant && in->literal && !in->literal->elided() && in->shape->isScalar();
}
InstructionId copyConstant(Rewriter& rewriter, InstructionId id, ComputationId into) {
  const Instruction in = rewriter.module().at(id);
  if (in.opcode == Opcode::Constant) return rewriter.clone(id, into, {});
  const InstructionId scalar = rewriter.clone(in.operands[0], into, {});
  return rewriter.clone(id, into, {&scalar, 1});
}

// Reads of unchanged elements: after the loop from before it; inside, where that is a constant, from a copy of it.
bool readInvariants(Rewriter& rewriter, const LoopForm& form) {
  Module& module = rewriter.module();
  bool changed = false;
  for (InstructionId id : Ids(module.at(module.at(form.loop).computation).instructions)) {
    const auto i = elementOf(module, id, form.loop);
    if (!i || !form.invariant[*i]) continue;
    rewriter.replace(id, initialElement(rewriter, form, *i));
    changed = true;
  }
  if (form.initial.empty()) return changed;
  if (!hasOneCaller(module, form.condition) || !hasOneCaller(module, form.body)) return changed;
  for (const auto& [computation, state] :
       {std::pair{form.condition, form.conditionState}, std::pair{form.body, form.bodyState}})
    for (InstructionId id : Ids(module.at(computation).instructions)) {
      const auto i = elementOf(module, id, state);
      if (!i || !form.invariant[*i]) continue;
      const InstructionId before = rewriter.resolve(form.initial[*i]);
      if (!isFreeConstant(module, before) || module.at(before).shape != module.at(id).shape) continue;
      const bool onlyHandedOn =
          form.next[*i] == id && std::ranges::none_of(module.at(computation).instructions, [&](InstructionId user) {
            return user != module.at(computation).root &&
                   std::ranges::find(module.at(user).operands, id) != module.at(user).operands.end();
          });
      if (onlyHandedOn && computation == form.body) continue;
      rewriter.replace(id, copyConstant(rewriter, before, computation));
      changed = true;
    }
  return changed;
}

// The elements that somebody needs: who reads the loop, its condition, effects, and what those need in turn.
class LiveElements {
 public:
  LiveElements(const Module& module, const LoopForm& form) : module_(module), form_(form), live_(form.size()) {}

  std::vector<size_t> run() {
    readsOfLoop();
    if (all_) return everything();
    follow(form_.condition, form_.conditionState, {module_.at(form_.condition).root});
    follow(form_.body, form_.bodyState, effects());
    for (size_t at = 0; at < work_.size() && !all_; ++at) follow(form_.body, form_.bodyState, {form_.next[work_[at]]});
    if (all_) return everything();
    std::vector<size_t> out;
    for (size_t i = 0; i < live_.size(); ++i)
      if (live_[i]) out.push_back(i);
    return out;
  }

 private:
  std::vector<size_t> everything() const {
    std::vector<size_t> out(form_.size());
    for (size_t i = 0; i < out.size(); ++i) out[i] = i;
    return out;
  }
  void mark(size_t i) {
    if (live_[i]) return;
    live_[i] = true;
    work_.push_back(i);
  }
  void readsOfLoop() {
    const Computation& home = module_.at(module_.at(form_.loop).computation);
    all_ = home.root == form_.loop;
    for (InstructionId id : home.instructions) {
      if (const auto i = elementOf(module_, id, form_.loop))
        mark(*i);
      else
        all_ = all_ || std::ranges::find(module_.at(id).operands, form_.loop) != module_.at(id).operands.end();
    }
  }
  Ids effects() const {
    Ids out;
    for (InstructionId id : module_.at(form_.body).instructions) {
      const Instruction& in = module_.at(id);
      const auto callees = module_.callees(in);
      const bool inside = std::ranges::any_of(callees, [&](ComputationId c) { return !isPure(module_, c); });
      if (id != form_.bodyState && (isStateful(in) || inside)) out.push_back(id);
    }
    return out;
  }
  void follow(ComputationId, InstructionId state, Ids stack) {
    while (!stack.empty()) {
      const InstructionId id = stack.back();
      stack.pop_back();
      if (seen_.size() <= id.value) seen_.resize(module_.instructionSlots());
      if (seen_[id.value]) continue;
      seen_[id.value] = true;
      if (const auto i = elementOf(module_, id, state)) {
        mark(*i);
        continue;
      }
      all_ = all_ || id == state;
      for (InstructionId operand : module_.at(id).operands) stack.push_back(operand);
    }
  }

  const Module& module_;
  const LoopForm& form_;
  std::vector<bool> live_, seen_;
  std::vector<size_t> work_;
  bool all_ = false;
};

bool dropDeadElements(Rewriter& rewriter, const LoopForm& form) {
  const std::vector<size_t> live = LiveElements(rewriter.module(), form).run();
  if (live.size() == form.size() || live.empty()) return false;
  rebuildLoop(rewriter, form, live, {}, {});
  return true;
}

Result<bool> once(Module& module, InstructionId loop, bool (*change)(Rewriter&, const LoopForm&)) {
  if (!module.contains(loop)) return false;
  Rewriter rewriter(module, "simplify-loops");
  const auto form = loopForm(rewriter, loop);
  if (!form || !change(rewriter, *form)) return false;
  TESSERA_TRY(rewriter.finish());
  TESSERA_TRY(restoreComputationOrder(module));  // what is left of an old loop calls nothing any more
  return true;
}

}  // namespace

Result<bool> simplifyLoops(Module& module) {
  bool changed = false;
  for (InstructionId loop : loopsInsideOut(module))
    for (auto change : {withoutLoop, readInvariants, dropDeadElements}) {
      TESSERA_ASSIGN_OR_RETURN(const bool one, once(module, loop, change));
      changed |= one;
    }
  return changed;
}

}  // namespace tessera
