// A module as the comparison of two modules sees it: every instruction with hashes that know neither names, ids nor the
// order of equal parts. Equal hashes mean a match; the differences are compared later.
// Used by matcher and core/tools/diff/diff.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

struct UserEdge {
  InstructionId user;
  uint32_t position;  // of the operand
};

// All vectors are by instruction id.
struct GraphHashes {
  std::vector<uint64_t> down;   // the instruction and all that it is computed from
  std::vector<uint64_t> up;     // the instruction and all that is computed from it, up to the root
  std::vector<uint64_t> exact;  // both, and the same of its neighbours
};

class LabelledGraph {
 public:
  explicit LabelledGraph(const Module& module);

  const Module& module() const { return module_; }
  const Instruction& at(InstructionId id) const { return module_.at(id); }
  uint64_t label(InstructionId id) const { return label_[id.value]; }      // opcode, shape, attributes, value, callees
  uint64_t loose(InstructionId id) const { return loose_[id.value]; }      // opcode, shape without layout
  uint64_t meaning(InstructionId id) const { return meaning_[id.value]; }  // its label without layout
  const GraphHashes& hashes() const { return hashes_; }
  // By meanings, which layouts do not change, and by opcodes alone, which sizes do not. Computed at the first call.
  const GraphHashes& withoutLayouts() const;
  const GraphHashes& outline() const;
  uint64_t hashOf(ComputationId id) const { return computationHash_[id.value]; }
  // Callers bind operands to parameters by use, as the entry's do: their numbers do not count.
  bool hasFreeParameters(ComputationId id) const { return free_[id.value]; }
  std::span<const UserEdge> users(InstructionId id) const;
  // Operands with the same kind of edge may change places: all of a commutative op have 0; of a call it is how the
  // called computation uses the parameter; else it is the position.
  uint64_t edgeKind(const Instruction& instruction, size_t position) const;
  // Its place in its computation.
  uint32_t placeOf(InstructionId id) const { return place_[id.value]; }
  // The computations that the module holds, callees before callers.
  const std::vector<ComputationId>& calleesFirst() const { return calleesFirst_; }

 private:
  void findUsers();
  void findFreeParameters();
  void orderComputations();
  void label(ComputationId id);
  uint64_t meaningOf(const Instruction& instruction) const;
  template <class Label>
  void hash(ComputationId id, const Label& label, GraphHashes& out) const;
  void refine(ComputationId id, GraphHashes& out) const;
  GraphHashes emptyHashes() const;

  const Module& module_;
  std::vector<uint64_t> label_, loose_, meaning_;
  GraphHashes hashes_;
  mutable GraphHashes withoutLayouts_, outline_;
  std::vector<uint64_t> computationHash_;
  std::vector<bool> free_;
  std::vector<ComputationId> calleesFirst_;
  std::vector<uint32_t> firstUser_, place_;
  std::vector<UserEdge> users_;
};

// Two operands may change places: add, multiply, minimum …, and comparison for (in)equality.
bool ignoresOperandOrder(const Instruction& instruction);
// Operand i is parameter i of the one computation that it calls.
bool bindsParameters(const Module& module, const Instruction& instruction);

}  // namespace tessera
