// Outlining of parts of a graph and back: what prevents a selection from being a group, and a selection as a module
// of its own. Used by the studio; the edits GroupInstructions and InlineCall do it.
#pragma once

#include <span>
#include <vector>

#include "core/edit/edit.h"

namespace tessera {

// What becomes of a selection when it is grouped: members in file order, what they read from outside in order of the
// first reading, and those of them that are read outside.
struct GroupedSelection {
  ComputationId home;
  std::vector<InstructionId> members, inputs, results;
};
// Fails with the instruction on a path that leaves the selection and comes back, and where nothing can be grouped.
// O(size of the computation).
Result<GroupedSelection> groupingOf(const Module& module, std::span<const InstructionId> ids);
// The selection with what lies on paths between its instructions, without which it cannot be cut out: a picture may
// show that as a line. Where it is in several computations, the selection alone.
std::vector<InstructionId> withBetween(const Module& module, std::span<const InstructionId> ids);
// Also what a fusion cannot hold: effects, loops, calls.
Status checkFusible(const Module& module, std::span<const InstructionId> members);

// Constants that a promotion may mean: the instruction itself, or what its inputs are fed from as fields.
std::vector<InstructionId> constantsOf(const Module& module, InstructionId id);

// The selection as a runnable module: its inputs are the parameters, its results the root.
Result<Module> selectionAsModule(const Module& module, std::span<const InstructionId> ids, const std::string& name);

}  // namespace tessera
