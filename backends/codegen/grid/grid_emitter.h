// GridEmitter: a LoopProgram as one kernel of a GPU in LLVM IR for the NVPTX target. Its parameters are the addresses
// of the operands, then of the outputs, in global memory; its threads follow from a GridMap. The grid holds exactly
// map.blocks() blocks of map.blockThreads threads. Stands beside kernel_emitter and shares all but the walk over items.
#pragma once

#include <span>
#include <string>

#include <llvm/IR/Module.h>

#include "backends/codegen/alias_scopes.h"
#include "backends/codegen/grid/grid_map.h"
#include "core/base/result.h"

namespace tessera::codegen {

// Adds the kernel to the module. Fails with ErrorKind::Unsupported on a node that has no code for its type.
Status emitGridKernel(llvm::Module& module, const std::string& name, const LoopProgram& program,
                      const ProgramAnalysis& analysis, const GridMap& map);

// The program's items at the end of a block of a kernel of map.blockThreads threads and one block; the map is
// GridMap::inBlock's. byAll: the arrays of results are each thread's own, so each computes everything. bases: of
// operands, then results. Gives the block where control goes on; there is no barrier before or behind.
Result<llvm::BasicBlock*> emitInGridBlock(llvm::BasicBlock& block, std::span<const ArrayBase> bases,
                                          const LoopProgram& program, const ProgramAnalysis& analysis,
                                          const GridMap& map, bool byAll);

// What kernels of any kind are made of.
inline constexpr unsigned kGlobalSpace = 1;  // the address space of NVPTX that arrays are in
void markAsGridKernel(llvm::Function& function, unsigned blockThreads);
// The number of this thread in its block, of this block in the grid.
llvm::Value* emitThreadNumber(llvm::IRBuilder<>& b, unsigned blockThreads);
llvm::Value* emitBlockNumber(llvm::IRBuilder<>& b);
void emitBarrier(llvm::IRBuilder<>& b);
// What the lane so many lanes away has: the one whose number differs in that bit, or the one that many before (a lane's
// own where there is none). Numbers of any type of at most 64 bits.
llvm::Value* emitShuffleAcross(llvm::IRBuilder<>& b, llvm::Value* own, unsigned distance);
llvm::Value* emitShuffleUp(llvm::IRBuilder<>& b, llvm::Value* own, unsigned distance);
// cp.async: begins to copy 4, 8 or 16 bytes to shared memory, or zeros where `inside` is false. The copies since the
// last commit are a group; waiting ends when all groups but the newest `left` are there.
void emitCopyAsync(llvm::IRBuilder<>& b, llvm::Value* shared, llvm::Value* from, unsigned bytes, llvm::Value* inside);
void emitCommitCopies(llvm::IRBuilder<>& b);
void emitWaitForCopies(llvm::IRBuilder<>& b, unsigned left);
// An array in the memory that a block shares; what it holds at first is not known.
llvm::GlobalVariable* makeSharedArray(llvm::Module& module, llvm::Type* element, uint64_t count,
                                      const std::string& name);
// Where the shared memory begins that a block gets at its launch.
llvm::GlobalVariable* dynamicSharedMemory(llvm::Module& module);

}  // namespace tessera::codegen
