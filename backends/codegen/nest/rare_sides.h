// RareSides: what only one side of selections by one condition needs (the sine of arguments beyond 2^40, the branch of
// a where). Where it is much, it stands behind a branch that is taken when any lane needs it; else every lane would
// compute it, to be thrown away. Stands between KernelNest and KernelEmission.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/codegen/nest/program_analysis.h"

namespace tessera::codegen {

struct RareSides {
  static constexpr int32_t kNone = -1;

  struct Side {
    NodeId condition;
    bool whenTrue = true;
    std::vector<uint32_t> nodes;  // inputs before users; with those of sides within it
    std::vector<uint32_t> roots;  // those of them that are selected
    int32_t within = kNone;       // a side
  };
  std::vector<Side> sides;
  std::vector<int32_t> sideOf;  // by node: the innermost
  bool contains(int32_t side, NodeId node) const;

  // unmoved: by node, what must be computed where it stands.
  static RareSides of(const LoopProgram& program, const ProgramAnalysis& analysis, const std::vector<bool>& unmoved);
};

}  // namespace tessera::codegen
