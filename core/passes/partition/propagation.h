// Propagation: a sharding for every array of a program, from those it is annotated with, forwards and backwards by the
// rules of its operations. Dimensions are only ever cut further, so it ends; the order is that of the program.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/passes/partition/annotations.h"
#include "core/passes/partition/rules.h"

namespace tessera::partition {

class Propagation {
 public:
  explicit Propagation(const AnnotationContext& context) : context_(context), module_(context.module) {}
  // Fails where an annotation cannot be followed.
  Status run();

  // Of the k-th array of an instruction of a control computation. The state of a loop has one sharding, whether it is
  // the loop's result, its body's parameter or root, or its condition's parameter; a conditional's result that of its
  // branches' roots.
  const ArraySharding& of(InstructionId id, size_t leaf) const { return slots_[slotOf(id, leaf)].sharding; }
  std::vector<ArraySharding> of(const Instruction& instruction) const;

 private:
  using SlotId = uint32_t;
  struct Slot {
    const Shape* shape = nullptr;
    ArraySharding sharding;
    bool fixed = false;  // as annotated
  };
  // What one instruction says of its arrays' shardings.
  struct Relation {
    enum Kind : uint8_t { Same, Factors, Reshape } kind;
    int priority;  // relations of lower ones have come to an end before it is used
    std::vector<SlotId> operands, results;
    Rule rule;  // of Factors
  };

  SlotId slotOf(InstructionId id, size_t leaf) const;
  void addSlots(ComputationId computation);
  void join(InstructionId a, InstructionId b);
  void joinControl(const Instruction& instruction);
  Status annotate(const Instruction& instruction);
  Status fixSignature();
  void relate(const Instruction& instruction);
  Status relateBorder(const Instruction& border);
  bool markManual(const Instruction& instruction);
  bool isChosenManually(const Instruction& instruction) const;
  bool markAll(const Instruction& instruction);
  bool mark(SlotId slot);
  bool anyManual(InstructionId id) const;

  bool apply(const Relation& relation);
  bool applyFactor(const Relation& relation, const Factor& factor);
  bool passesOn(const Relation& relation, const Factor& factor, const CutPtr& by) const;
  bool moveCut(const Relation& relation);
  bool moveToFactor(const Relation& relation, size_t operand, const CutPtr& by);
  bool moveAcrossReshape(const Relation& relation, const CutPtr& by);
  bool merge(SlotId slot, const ArraySharding& sharding);
  bool cut(SlotId slot, int64_t dimension, const CutPtr& by);

  const AnnotationContext& context_;
  const Module& module_;
  std::vector<InstructionId> order_;  // of all control computations, callers first
  std::unordered_map<uint32_t, SlotId> first_;
  std::vector<SlotId> joined_;  // union-find over slots
  std::vector<Slot> slots_;
  std::vector<Relation> relations_;
};

}  // namespace tessera::partition
