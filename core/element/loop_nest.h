// LoopNest: in which loop each node of a program lives: the innermost one whose index or accumulators it sees. For
// readers that walk the nest: printing, counting, interpreting, rewriting.
#pragma once

#include <cstdint>
#include <vector>

#include "core/element/element_program.h"

namespace tessera {

struct LoopNest {
  std::vector<int32_t> home;                // by node: loop, or -1: outside all loops
  std::vector<int32_t> parent;              // by loop: the loop around it, or -1
  std::vector<std::vector<NodeId>> bodies;  // [0]: outside, [1 + l]: loop l; inputs before users
  const std::vector<NodeId>& bodyOf(int32_t loop) const { return bodies[static_cast<size_t>(loop + 1)]; }
};

// O(nodes × loops / 64).
LoopNest loopNest(const ElementProgram& program);

}  // namespace tessera
