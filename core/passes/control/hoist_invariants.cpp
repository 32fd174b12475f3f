// See hoist_invariants.h.
#include "core/passes/control/hoist_invariants.h"

#include <algorithm>

#include "core/base/tuning.h"
#include "core/ops/op.h"
#include "core/passes/control/loop_form.h"
#include "core/passes/fusion/fusion_cost.h"
#include "core/passes/patterns.h"

namespace tessera {
namespace {

class Hoist {
 public:
  Hoist(Rewriter& rewriter, const LoopForm& form)
      : rewriter_(rewriter), module_(rewriter.module()), form_(form), values_(module_.instructionSlots()) {}

  bool run() {
    const std::vector<InstructionId> body = module_.at(form_.body).instructions;
    for (InstructionId id : body) classify(module_.at(id));
    for (InstructionId id : body)
      if (!valueOf(id).invariant && readsStoredArrays(module_.at(id).opcode))
        for (InstructionId operand : module_.at(id).operands) valueOf(operand).stored = true;
    for (InstructionId id : body)
      if (!valueOf(id).invariant)
        for (InstructionId operand : module_.at(id).operands)
          if (valueOf(operand).invariant) consider(operand);
    if (chosen_.empty()) return false;
    moveOut();
    return true;
  }

 private:
  // What is known of an instruction of the body.
  struct Value {
    bool invariant = false;
    bool heavy = false;     // it, or what it is computed from, costs much or reads more than it gives
    bool fromIota = false;  // its size follows from no array: outside the loop it takes memory that nothing took
    bool stored = false;    // a step reads it from memory, so that each round would store it
    bool considered = false;
    double heavyElements = 0;  // of the largest heavy value that it is computed from
  };
  Value& valueOf(InstructionId id) { return values_[id.value]; }

  double bytes(InstructionId id) const {
    return static_cast<double>(module_.shapeOf(id).denseBytes().value_or(INT64_MAX));
  }
  double elements(const Instruction& in) const { return static_cast<double>(in.shape->elementCount().value_or(0)); }

  // Steps of a library: their operands are arrays in memory, whatever they are computed from.
  static bool readsStoredArrays(Opcode opcode) { return hasTrait(opcode, kContraction); }

  static bool mayBeInvariant(const Instruction& in) {
    if (in.opcode == Opcode::Iota || in.opcode == Opcode::Constant) return true;
    return in.shape->isArray() && !isStateful(in) && !in.operands.empty() && in.opcode != Opcode::While &&
           in.opcode != Opcode::Conditional && in.opcode != Opcode::GetTupleElement &&
           !in.shape->hasDynamicDimensions();
  }

  void classify(const Instruction& in) {
    Value& value = valueOf(in.id);
    if (const auto i = elementOf(module_, in.id, form_.bodyState)) {
      value.invariant = form_.invariant[*i];
      return;
    }
    if (!mayBeInvariant(in) || !std::ranges::all_of(in.operands, [&](InstructionId o) { return valueOf(o).invariant; }))
      return;
    value.invariant = true;
    value.fromIota = in.opcode == Opcode::Iota;
    for (InstructionId operand : in.operands) {
      value.fromIota |= valueOf(operand).fromIota;
      value.heavy |= valueOf(operand).heavy;
      value.heavyElements = std::max(value.heavyElements, valueOf(operand).heavyElements);
    }
    if (!isHeavy(in, value.fromIota)) return;
    value.heavy = true;
    value.heavyElements = std::max(value.heavyElements, elements(in));
  }

  bool isHeavy(const Instruction& in, bool fromIota) const {
    if (in.operands.empty()) return false;
    if (elements(in) < 2 && !hasInnerLoop(in.opcode) && in.opcode != Opcode::Dot) return false;
    switch (in.opcode) {
      case Opcode::Dot:
      case Opcode::Convolution:
      case Opcode::Sort:
      case Opcode::Scatter:
      case Opcode::Fft:
      case Opcode::Cholesky:
      case Opcode::TriangularSolve: return true;
      case Opcode::Transpose:
      case Opcode::Concatenate:
      case Opcode::Gather: return !fromIota;  // of positions: arithmetic that fuses
      case Opcode::Divide:
      case Opcode::Remainder:
        if (fromIota && splatValue(module_, in.operands[1])) return false;  // a product and a shift
        break;
      default: break;
    }
    if (!isElementwise(in.opcode) && !hasInnerLoop(in.opcode)) return false;
    return elementPrice(module_, in) >= tuning().control.hoistedPrice || (!fromIota && readsMore(in));
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
    Value& value = valueOf(id);
    const Instruction& in = module_.at(id);
    const bool storedEachRound = value.stored && isElementwise(in.opcode) && elements(in) > 1;
    if (value.considered || (!value.heavy && !storedEachRound)) return;
    value.considered = true;
    if (isWorthItsMemory(in, value, storedEachRound)) return chosen_.push_back(id);
    for (InstructionId operand : in.operands) consider(operand);
  }
  bool isWorthItsMemory(const Instruction& in, const Value& value, bool storedEachRound) {
    if (!value.fromIota) return storedEachRound || !isSpread(in);
    if (!storedEachRound && (in.opcode == Opcode::Broadcast || elements(in) > 2 * value.heavyElements)) return false;
    if (bytes_ + bytes(in.id) > tuning().control.hoistedBytes) return false;
    bytes_ += bytes(in.id);
    return true;
  }

  void moveOut() {
    std::vector<InstructionId> added;
    std::unordered_map<uint32_t, size_t> hoisted;
    for (InstructionId id : chosen_) {
      hoisted[id.value] = added.size();
      added.push_back(outside(id));
    }
    std::vector<size_t> all(form_.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = i;
    rebuildLoop(rewriter_, form_, all, added, hoisted);
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
  std::vector<Value> values_;  // by instruction
  std::vector<InstructionId> chosen_;
  double bytes_ = 0;  // of chosen values that are computed from iotas
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
