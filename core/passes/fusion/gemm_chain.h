// GEMM chains: dots, the elementwise work and row statistics on their results, and the dot that reads those: attention,
// and dense layers with what follows them. They become one fusion (kind kOutput) that a backend runs by tiles of rows,
// so that the arrays between never are in memory as a whole. Stands after bitcasts replaced reshapes: everything on the
// way from one member to the next is row-major, and a tile of rows is a piece of memory.
#pragma once

#include <optional>
#include <vector>

#include "core/passes/pipeline.h"

namespace tessera {

struct GemmChain {
  std::vector<InstructionId> products;  // by operand of `kernel`: the dot that it is the result of, or invalid
  InstructionId kernel;          // f32 where there is a consumer, one kernel: a fusion or an elementwise operation
  InstructionId consumer;        // the dot that reads it, or invalid
  bool consumedOnRight = false;  // as its second operand
};

// Whether a kernel can do this: it is described by elements, and its result is one array.
bool isOneKernel(const Module& module, const Instruction& instruction);
// What a value is, through bitcasts that keep its bytes in their order.
InstructionId behindBitcasts(const Module& module, InstructionId id);
// Its one reader, through such bitcasts; invalid: there are several, or the computation gives it away.
InstructionId onlyReaderOf(const Module& module, const UserTable& users, ComputationId computation, InstructionId id);
// Adds `from`, behind the bitcasts that lead to it from `operand`, and then these.
void addPathFrom(const Module& module, InstructionId operand, std::vector<InstructionId>& members);

// What a computation of that form does; nullopt: it has another form.
std::optional<GemmChain> gemmChainOf(const Module& module, ComputationId computation);

Result<bool> fuseGemmChains(Module& module);

}  // namespace tessera
