// RareSides: nodes that only one side of the selects by one condition needs (the sine of arguments beyond 2^40, a
// branch of jnp.where). If they are expensive they are behind a branch that is taken when any lane needs them; else
// every lane would compute them in vain. Stands between KernelNest and KernelEmission.
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

  // unmoved: by node, whether it must not be moved behind the branch.
  static RareSides of(const LoopProgram& program, const ProgramAnalysis& analysis, const std::vector<bool>& unmoved);
};

}  // namespace tessera::codegen
