// KernelEmitter: a LoopProgram as one LLVM function void(ptr buffers, i64 begin, i64 end). `buffers` holds the
// operands' pointers, then the outputs'; [begin, end) is a part of the nest's parallel items, never empty.
// Reads ProgramAnalysis and KernelNest. Used by KernelCompiler.
#pragma once

#include <span>
#include <string>

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Module.h>

#include "backends/codegen/alias_scopes.h"
#include "backends/codegen/nest/kernel_nest.h"
#include "backends/codegen/source_lines.h"
#include "core/base/result.h"

namespace tessera::codegen {

// Adds the function to the module. Fails with ErrorKind::Unsupported on a node that has no code for its type.
Status emitKernel(llvm::Module& module, const std::string& name, const LoopProgram& program,
                  const ProgramAnalysis& analysis, const KernelNest& nest, const SourceLines& lines = {});
// All items of the program at the end of a block that a function of this kind already has; bases: of operands,
// then outputs. Gives the block where control goes on.
Result<llvm::BasicBlock*> emitKernelInto(llvm::BasicBlock& block, std::span<const ArrayBase> bases,
                                         const LoopProgram& program, const ProgramAnalysis& analysis,
                                         const KernelNest& nest, const SourceLines& lines = {});

}  // namespace tessera::codegen
