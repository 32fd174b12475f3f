// KernelNest: how a program becomes a loop nest: which counter runs over vector lanes, which counters are spread over
// threads, in which blocks. Decided by shape and target alone, so that results do not depend on the thread count.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/codegen/nest/program_analysis.h"
#include "backends/codegen/nest/row_tile.h"
#include "core/base/tuning.h"

namespace tessera::codegen {

inline constexpr int64_t kLineBytes = 64;  // of the caches

struct Target {
  unsigned vectorBytes = 64;
  bool fusedMultiplyAdd = true;
  int64_t cacheBytes = Caches{}.lastBytes;  // larger results go past the last cache
};

struct KernelNest {
  unsigned lanes = 16;              // some vectors' worth, so that chains of dependent operations overlap
  unsigned vectors = 1;             // how many
  int32_t axis = -1;                // counter of the iteration space over lanes; -1: none
  std::vector<int32_t> outer;       // parallel counters but for the axis and `inner`, major to minor
  std::vector<int32_t> sequential;  // the iteration space's counters that must run in order
  int64_t block = 1, blocks = 1;    // the axis in pieces of `block`
  std::vector<RowTile> tiles;       // reads that are transposed on the stack before the loop that makes them
  int32_t inner = -1;  // a parallel counter that no tile sees: an item's innermost loop, so that tiles serve often
  int64_t innerBlock = 1, innerBlocks = 1;  // in pieces
  int64_t parallelCount = 1;                // items that threads share out: product(outer) × innerBlocks × blocks
  double costPerItem = 1;                   // rough nanoseconds
  // A hint for kernels inside regions: the axis is so short that its vectors are emitted one after the other, each at
  // a constant index.
  bool isStraight = false;
  // Whether all vectors of an axis that ends within one are masked; else the last one has code of its own, for before
  // AVX-512 masks are slow, and of bytes there are none.
  bool masks = true;
  bool streams = false;  // a hint: results are larger than the caches, so whole lines of them go past those

  static KernelNest of(const LoopProgram& program, const ProgramAnalysis& analysis, const Target& target);
};

// Whether the axis is the whole iteration space, a few vectors of it, around no loops.
bool isShortAxis(const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest);

// Whether the store writes whole lines, one vector after the other, where the result's first element begins one.
bool storesLines(const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest, size_t store);

// Of a program whose iterations run in order: different values of the counter never store to one place, nor read what
// another one stores, so that threads may take them side by side.
bool columnsNeverMeet(const LoopProgram& program, const ProgramAnalysis& analysis, int32_t counter);

// Whether a loop outside the vector axis is better run over lanes itself, partial results combined at the
// end.
bool runsOverLanes(const LoopProgram& program, const ProgramAnalysis& analysis, size_t loop, unsigned lanes);

}  // namespace tessera::codegen
