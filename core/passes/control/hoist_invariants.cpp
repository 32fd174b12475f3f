// See hoist_invariants.h.
#include "core/passes/control/hoist_invariants.h"

#include <algorithm>

#include "core/passes/control/loop_form.h"
#include "core/passes/fusion/fusion_cost.h"
#include "core/passes/patterns.h"

namespace tessera {
namespace {

class Hoist {
 public:
  Hoist(Rewriter& rewriter, const LoopForm& form)
      : rewriter_(rewriter),
        module_(rewriter.module()),
        form_(form),
        invariant_(module_.instructionSlots()),
        heavy_(module_.instructionSlots()),
        seen_(module_.instructionSlots()) {}

  bool run() {
    const std::vector<InstructionId> body = module_.at(form_.body).instructions;
    for (InstructionId id : body) classify(id);
    for (InstructionId id : body)
      if (!invariant_[id.value])
        for (InstructionId operand : module_.at(id).operands)
          if (invariant_[operand.value]) consider(operand);
    if (chosen_.empty()) return false;
    std::vector<InstructionId> added;
    std::unordered_map<uint32_t, size_t> hoisted;
    for (InstructionId id : chosen_) {
      hoisted[id.value] = added.size();
      added.push_back(outside(id));
    }
    std::vector<size_t> all(form_.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = i;
    rebuildLoop(rewriter_, form_, all, added, hoisted);
    return true;
  }

 private:
  double bytes(InstructionId id) const {
    return static_cast<double>(module_.shapeOf(id).denseBytes().value_or(INT64_MAX));
  }

  void classify(InstructionId id) {
    const Instruction& in = module_.at(id);
    if (const auto i = elementOf(module_, id, form_.bodyState)) {
      invariant_[id.value] = form_.invariant[*i];
      return;
    }
    if (in.opcode == Opcode::Constant) {
      invariant_[id.value] = true;
      return;
    }
    if (!in.shape->isArray() || isStateful(in) || in.operands.empty() || in.opcode == Opcode::While ||
        in.opcode == Opcode::Conditional || in.opcode == Opcode::GetTupleElement)
      return;
    if (in.shape->hasDynamicDimensions() ||
        !std::ranges::all_of(in.operands, [&](InstructionId o) { return invariant_[o.value]; }))
      return;
    invariant_[id.value] = true;
    heavy_[id.value] =
        isHeavy(in) || std::ranges::any_of(in.operands, [&](InstructionId o) { return heavy_[o.value]; });
  }

  bool isHeavy(const Instruction& in) const {
    if (in.shape->elementCount().value_or(0) < 2 && !hasInnerLoop(in.opcode) && in.opcode != Opcode::Dot) return false;
    constexpr double kDear = 16;
    switch (in.opcode) {
      case Opcode::Dot:
      case Opcode::Convolution:
      case Opcode::Sort:
      case Opcode::Scatter:
      case Opcode::Fft:
      case Opcode::Cholesky:
      case Opcode::TriangularSolve:
      case Opcode::Transpose:
      case Opcode::Concatenate:
      case Opcode::Gather: return true;
      default:
        return isElementwise(in.opcode) || hasInnerLoop(in.opcode) ? elementPrice(module_, in) >= kDear || readsMore(in)
                                                                   : false;
    }
  }
  // Reads at least twice what it gives.
  bool readsMore(const Instruction& in) const {
    double read = 0;
    for (InstructionId operand : in.operands)
      if (module_.at(operand).opcode != Opcode::Broadcast && module_.at(operand).opcode != Opcode::Constant)
        read += bytes(operand);
    return read >= 2 * bytes(in.id);
  }
  // Gives much more than it reads.
  bool isSpread(const Instruction& in) const {
    double read = 0;
    for (InstructionId operand : in.operands) read = std::max(read, bytes(operand));
    return in.opcode == Opcode::Broadcast || (bytes(in.id) > 2 * read && isElementwise(in.opcode));
  }

  void consider(InstructionId id) {
    if (seen_[id.value] || !heavy_[id.value]) return;
    seen_[id.value] = true;
    const Instruction& in = module_.at(id);
    if (!isSpread(in)) return chosen_.push_back(id);
    for (InstructionId operand : in.operands) consider(operand);
  }

  // The same value in the computation of the loop.
  InstructionId outside(InstructionId id) {
    if (const auto known = outside_.find(id.value); known != outside_.end()) return known->second;
    InstructionId out;
    if (const auto i = elementOf(module_, id, form_.bodyState)) {
      out = initialElement(rewriter_, form_, *i);
    } else {
      std::vector<InstructionId> operands;
      for (InstructionId operand : module_.at(id).operands) operands.push_back(outside(operand));
      out = rewriter_.clone(id, module_.at(form_.loop).computation, operands);
    }
    return outside_[id.value] = out;
  }

  Rewriter& rewriter_;
  Module& module_;
  const LoopForm& form_;
  std::vector<bool> invariant_, heavy_, seen_;
  std::vector<InstructionId> chosen_;
  std::unordered_map<uint32_t, InstructionId> outside_;
};

}  // namespace

Result<bool> hoistInvariants(Module& module) {
  bool changed = false;
  for (InstructionId loop : loopsInsideOut(module)) {
    if (!module.contains(loop)) continue;
    Rewriter rewriter(module, "hoist-invariants");
    const auto form = loopForm(rewriter, loop);
    if (!form || !Hoist(rewriter, *form).run()) continue;
    TESSERA_TRY(rewriter.finish());
    changed = true;
  }
  if (changed) TESSERA_TRY(restoreComputationOrder(module));
  return changed;
}

}  // namespace tessera
