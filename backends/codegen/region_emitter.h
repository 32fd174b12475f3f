// RegionEmitter: a RegionProgram as one LLVM function void(ptr buffers, i64 begin, i64 end), called with [0, 1).
// `buffers` holds the pointers of the buffers that have memory, in order; then an array of i64, one a block, to which
// the number of the block's runs is added; then a byte that is looked at in each round of each loop: not zero means
// "return at once". Stands beside KernelEmitter, which emits the programs in it.
#pragma once

#include <span>
#include <string>

#include <llvm/IR/Module.h>

#include "backends/codegen/nest/kernel_nest.h"
#include "backends/codegen/source_lines.h"
#include "core/base/result.h"
#include "core/element/region_program.h"

namespace tessera::codegen {

// Adds the function to the module. Fails with ErrorKind::Unsupported on a node that has no code for its type.
// lines: by program, or none.
Status emitRegion(llvm::Module& module, const std::string& name, const RegionProgram& region, const Target& target,
                  std::span<const SourceLines> lines = {});

}  // namespace tessera::codegen
