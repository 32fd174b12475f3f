// Row chains: dots, the elementwise work and row statistics on their results, and the dot that reads those: attention,
// and dense layers with what follows them. They become one fusion (kind kOutput) that a backend runs by tiles of rows, so
// that the arrays between never are in memory as a whole. Stands after bitcasts replaced reshapes: everything on the
// way from one member to the next is row-major, and a tile of rows is a piece of memory.
#pragma once

#include <optional>
#include <vector>

#include "core/passes/pipeline.h"

namespace tessera {

struct RowChain {
  std::vector<InstructionId> products;  // by operand of `middle`: the dot that it is the result of, or invalid
  InstructionId middle;                 // f32, one kernel: a fusion or an elementwise operation
  InstructionId consumer;               // the dot that reads it, or invalid
  bool consumedOnRight = false;         // as its second operand
};

// What a computation of that form does; nullopt: it has another form.
std::optional<RowChain> rowChainOf(const Module& module, ComputationId computation);

Result<bool> fuseRowChains(Module& module);

}  // namespace tessera
