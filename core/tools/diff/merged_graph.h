// Two modules as one graph to look at: the right one, with what only the left one has beside it, wired to the
// partners of its operands. Used by the studio's panel of differences; it is no program to run.
#pragma once

#include <utility>
#include <vector>

#include "core/tools/diff/diff.h"

namespace tessera {

struct MergedGraph {
  Module module;
  std::vector<std::pair<InstructionId, DiffState>> states;  // Changed, Added and Removed, of `module`
};
// Ids of the right module stay. What is gone has its name with ".before" where that is taken; an operand that has no
// place here is open. A computation that only the left module has is added.
MergedGraph mergedGraph(const Module& left, const Module& right, const DiffResult& found);

}  // namespace tessera
