// Sweep: reverse mode over one computation. From the last instruction to the first, each hands the cotangents of its
// results on to its operands by the rule of its op; what several hand to one operand is added. Rule is what a rule sees
// of this.
//
// The cotangent of a complex number z = x + iy is dL/dx - i dL/dy, as jax.grad has it: rules of holomorphic functions
// are those of real ones, without conjugates.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/gradient/activity.h"
#include "core/gradient/branches.h"
#include "core/gradient/emitter.h"

namespace tessera::gradient {

class Sweep {
 public:
  // `varied`: the arrays whose cotangents are needed: the inputs of the gradient and all that depends on them.
  Sweep(Emitter& emit, LeafFlags varied, BranchValues branches)
      : emit_(emit), varied_(std::move(varied)), branches_(std::move(branches)) {}

  void give(InstructionId id, size_t leaf, Value cotangent);
  // Over these instructions, operands first.
  Status run(const std::vector<InstructionId>& order);

  Value cotangent(InstructionId id, size_t leaf) const;
  void replace(InstructionId id, size_t leaf, Value cotangent) { cotangents_[id.value][leaf] = cotangent; }
  bool varied(InstructionId id, size_t leaf) const;
  bool isOfBranch(InstructionId id) const { return branches_.contains(id.value); }
  Emitter& emit() { return emit_; }

 private:
  Status visit(InstructionId id);
  void nameCotangents(const Instruction& in);

  Emitter& emit_;
  LeafFlags varied_;
  BranchValues branches_;
  std::unordered_map<uint32_t, std::vector<Value>> cotangents_;
};

class Rule {
 public:
  Rule(Sweep& sweep, const Instruction& instruction) : emit(sweep.emit()), forward(instruction), sweep_(sweep) {}

  Emitter& emit;
  const Instruction forward;  // a copy: adding instructions moves records

  size_t operandCount() const { return forward.operands.size(); }
  Value operand(size_t i) { return emit.at(forward.operands[i]); }
  Value result() { return emit.at(forward.id); }
  const Shape& operandShape(size_t i) const { return emit.module.shapeOf(forward.operands[i]); }
  const AttributeSet& attributes() const { return *forward.attributes; }
  std::vector<ComputationId> callees() const { return emit.module.callees(forward); }

  // The cotangent of a leaf of the result; invalid: zeros. At least one leaf has one.
  Value d(size_t leaf = 0) const { return sweep_.cotangent(forward.id, leaf); }
  std::vector<bool> given() const;  // by leaf
  // Whether an operand's cotangent is of use.
  bool wants(size_t operand, size_t leaf = 0) const { return sweep_.varied(forward.operands[operand], leaf); }
  // Whether a leaf of the result depends on what the gradient is with respect to.
  bool isVaried(size_t leaf) const { return sweep_.varied(forward.id, leaf); }
  // The result is a branch's value: zeros of its cotangent stay zeros, whatever the derivative is.
  bool isOfBranch() const { return sweep_.isOfBranch(forward.id); }
  void give(size_t operand, Value cotangent, size_t leaf = 0);
  // What the operand has got so far, for rules that add to a part of it in place.
  Value soFar(size_t operand) const { return sweep_.cotangent(forward.operands[operand], 0); }
  void replace(size_t operand, Value cotangent) { sweep_.replace(forward.operands[operand], 0, cotangent); }

  // "%name: MESSAGE", at the instruction.
  std::unexpected<Diagnostic> refuse(const std::string& message) const;

 private:
  Sweep& sweep_;
};

}  // namespace tessera::gradient
