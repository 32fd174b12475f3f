// Structural comparison of two modules: which instructions match, independent of names, ids, order in the file and
// the order of commutative operands, and what differs between them. Used by
// `tessera diff`, `tessera compare` and tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/cost/cost.h"
#include "core/hlo/module.h"

namespace tessera {

enum class DiffState : uint8_t {
  Matched,  // the partner is the same
  Changed,  // the partner differs, as DiffResult::changed lists
  Added,    // only in the right module
  Removed,  // only in the left module
};

struct InstructionDiff {
  DiffState state = DiffState::Matched;
  InstructionId partner;  // in the other module; invalid: none
};

struct Change {
  std::string what;  // "opcode", "shape", "layout", "attribute dimensions", "value", "operand 1", "called computation"
                     // …; "computation": the same value, elsewhere
  std::string inLeft, inRight;  // "": there is none; long texts are cut
};
struct ChangedInstruction {
  InstructionId left, right;
  std::vector<Change> changes;
};
struct ChangedComputation {
  ComputationId left, right;
  std::vector<Change> changes;  // "root", "execution thread"; of the entry also "input_output_alias"
};

struct DiffResult {
  // By instruction id; of ids that the module does not hold they mean nothing. Where one module has copies of a
  // computation that the other has once, the instructions of all copies have the same partners.
  std::vector<InstructionDiff> left, right;
  // In the order of the left module, of `added` of the right one.
  std::vector<ChangedInstruction> changed;
  std::vector<InstructionId> added, removed;
  std::vector<ChangedComputation> computations;                           // only those that differ themselves
  std::vector<std::pair<ComputationId, ComputationId>> computationPairs;  // all matched pairs
  size_t matched = 0;                                                     // instructions of the left module

  bool same() const { return changed.empty() && added.empty() && removed.empty() && computations.empty(); }
};

// Names, metadata, notes, origins and the numbers of channels and of the entry's parameters are ignored; layouts are
// not. An instruction that came or went leaves the others matched: its users have other operands.
DiffResult diff(const Module& left, const Module& right);

// What both cost: of one execution of the entry, loops once.
struct CostDelta {
  Cost left, right;
  int64_t leftPeak = 0, rightPeak = 0;  // bytes, by liveness in the modules' orders
};
CostDelta costDelta(const Module& left, const Module& right);

// "%main: %add.3"
std::string placeOf(const Module& module, InstructionId id);
// "%add.3 = f32[2] add(%x, %y)", cut where it is long.
std::string shortDescription(const Module& module, InstructionId id);

}  // namespace tessera
