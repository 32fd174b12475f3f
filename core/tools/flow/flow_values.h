// FlowValues: the arrays of a module as numbers. An instruction has one value for each array of its result, so that a
// walk follows one element of a tuple and not all of them. Stands under value_flow and call_summaries.
#pragma once

#include <cstdint>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

using ValueNumber = uint32_t;

class FlowValues {
 public:
  explicit FlowValues(const Module& module);

  size_t size() const { return owners_.size(); }
  InstructionId owner(ValueNumber value) const { return owners_[value]; }
  ValueNumber first(InstructionId id) const { return first_[id.value]; }
  // At least one, also of what has no array.
  uint32_t count(InstructionId id) const { return counts_[id.value]; }
  uint32_t leaf(ValueNumber value) const { return value - first(owner(value)); }
  // Where the element of a tuple begins among the tuple's values.
  uint32_t elementAt(const Shape& tuple, size_t element) const;

  // How an instruction hands values on.
  enum class Hand : uint8_t {
    Each,   // value i of the first operand is value i of the result; other operands are in all of them
    Pack,   // tuple: the operands' values one after the other
    Take,   // get-tuple-element: some of the first operand's values
    Call,   // as the called computations do (call_summaries.h)
    Blend,  // every value of the result comes from every value of the operands
  };
  Hand handOf(const Instruction& instruction) const;
  // Of a tuple or get-tuple-element: the position of the operand's values in the result's, or of the result's in the
  // operand's.
  uint32_t offsetOf(const Instruction& instruction, size_t operand) const;
  // Values of the operands before this one, as if they stood in one row.
  uint32_t rowBefore(const Instruction& instruction, size_t operand) const;

 private:
  uint32_t countOf(const Shape& shape) const;

  const Module& module_;
  bool wholeTuples_ = false;        // there are too many values: a tuple is one
  std::vector<ValueNumber> first_;  // by instruction, like counts_
  std::vector<uint32_t> counts_;
  std::vector<InstructionId> owners_;
};

// A computation that an instruction runs, and how values go in and out.
struct CallBinding {
  ComputationId callee;
  uint32_t firstOperand = 0;  // which is the callee's parameter 0
  enum class Result : uint8_t {
    Values,   // the root's values are the result's
    Decides,  // of a condition: how often the rest runs
    Blend,    // of what is applied to elements: reducers, comparators
  } result = Result::Values;
  bool entered = true;  // false: applied to elements; a walk comes out of it and does not go in
  bool loops = false;   // the root's values are the parameter's of the next iteration
};
std::vector<CallBinding> bindingsOf(const Module& module, const Instruction& instruction);

}  // namespace tessera
