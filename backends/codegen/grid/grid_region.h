// A RegionProgram as one kernel of one thread or one block of a GPU: a small loop costs no launch a round. Arrays of a
// few elements at constant places are each thread's own, in registers, and computed by every thread (or warp), so that
// all take the same branches; others that the region writes are in shared memory, the largest in global memory. The
// threads share out the items of programs on these, with a barrier where one program needs what another has stored.
#pragma once

#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "backends/codegen/grid/grid_map.h"
#include "core/base/result.h"
#include "core/element/region_program.h"

namespace tessera::codegen {

struct RegionMap {
  enum class Place : uint8_t { Register, Shared, Memory };
  std::vector<Place> places;            // by buffer
  std::vector<GridMap> programs;        // by program
  std::vector<bool> byAll;              // by program: its results are in registers
  std::vector<uint32_t> read, written;  // buffers in memory: the kernel's parameters, in this order
  unsigned blockThreads = 1;
  int64_t sharedBytes = 0;

  // "3 programs with their loops by one thread", for readers.
  std::string text() const;
  // ErrorKind::Unsupported where small arrays are more than a block can share.
  static Result<RegionMap> of(const RegionProgram& region);
};

// Adds the kernel to the module. Fails with ErrorKind::Unsupported on a node that has no code for its type.
Status emitRegionKernel(llvm::Module& module, const std::string& name, const RegionProgram& region,
                        const RegionMap& map);

// Estimated time of a program by the threads of such a block, in nanoseconds of a processor's core that computes
// one element after the other.
double nsInBlock(const LoopProgram& program, const ProgramAnalysis& analysis);

}  // namespace tessera::codegen
