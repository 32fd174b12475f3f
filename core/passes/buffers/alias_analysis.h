// Alias analysis of a scheduled module: which values share memory, and where a copy is needed because values that
// must share it may not. Copy insertion obeys the requests until there are none; buffer assignment then gives the
// classes offsets.
//
// Values are (instruction, leaf). An origin is a value that an instruction makes; tuple, get-tuple-element, bitcast,
// loop-invariant carries and branch parameters only pass origins on. A class is a set of origins of one computation
// that use one buffer one after the other: a carry and its next value, and what is live only between them; an array
// and its in-place update.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

// "Copy this leaf of this operand of `user` first"; with an invalid user: of the root of `computation`. `reason` ends
// the sentence "copied because …".
struct CopyRequest {
  ComputationId computation;
  InstructionId user;
  uint32_t operand = 0;
  uint32_t leaf = 0;
  std::string_view reason = {};
};

class AliasAnalysis {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Fails when the module is not flat (a body with two callers) or a call is left.
  static Result<AliasAnalysis> of(const Module& module);

  const std::vector<CopyRequest>& requests() const { return requests_; }
  uint32_t valueCount() const { return static_cast<uint32_t>(shapes_.size()); }
  // kNone when the instruction is not scheduled.
  uint32_t valueOf(InstructionId id, uint32_t leaf = 0) const {
    return id.value < first_.size() && first_[id.value] != kNone ? first_[id.value] + leaf : kNone;
  }
  const Shape& shapeOf(uint32_t value) const { return *shapes_[value]; }
  InstructionId instructionOf(uint32_t value) const { return definitions_[value]; }
  // The class of a value, as its representative value, computations' boundaries crossed: a carry inside a body is in
  // the class of the loop's own result.
  uint32_t classOf(uint32_t value) const;
  // Leaf of the entry's root that a class ends in; kNone: none.
  uint32_t outputOf(uint32_t classValue) const { return output_[classValue]; }
  // Every scheduled computation, callers first.
  const std::vector<ComputationId>& computations() const { return computations_; }
  // Time in one sequence of all scheduled instructions: a loop begins before and ends after what it calls.
  int64_t begin(InstructionId id) const { return begin_[id.value]; }
  int64_t end(InstructionId id) const { return end_[id.value]; }
  // Live range of a class in the arena; both ends belong to it.
  int64_t liveBegin(uint32_t classValue) const { return liveBegin_[classValue]; }
  int64_t liveEnd(uint32_t classValue) const { return liveEnd_[classValue]; }

 private:
  friend class AliasBuilder;
  std::vector<ComputationId> computations_;
  std::vector<uint32_t> first_;             // by instruction
  std::vector<const Shape*> shapes_;        // by value
  std::vector<InstructionId> definitions_;  // by value
  std::vector<uint32_t> origin_, parent_, outer_, output_;
  std::vector<int64_t> begin_, end_;          // by instruction
  std::vector<int64_t> liveBegin_, liveEnd_;  // by class
  std::vector<CopyRequest> requests_;
  uint32_t find(uint32_t value) const;
};

// Leaves of a shape: tokens and opaque values included.
uint32_t leafCount(const Shape& shape);
// Number of the first leaf of tuple element `element`.
uint32_t firstLeafOf(const Shape& tuple, size_t element);
// The instruction only renames memory: no code.
bool isAliasOnly(Opcode opcode);
// Writing the result over operand `operand` is right: element i of it is read before element i is written, only there.
bool mayOverwrite(const Module& module, const Instruction& instruction, size_t operand);

}  // namespace tessera
