// GridMap: how a program becomes threads of a GPU, the other way to map a nest beside KernelNest's lanes and threads.
// An item is one point of the outer counters; a thread, a warp or a block takes it. Where what neighbouring items read
// lies side by side (sums of columns), a warp has a lane an item, and the warps of a block share out the loop. Where
// loops reduce what a whole row of results needs (softmax), the item is the row: its loops are shared out by the
// group's threads, and then its elements. Where there are enough elements to fill a card several times, a thread takes
// a few neighbours in memory, so that each access moves up to 16 bytes; so does a thread of a group along a row.
// Decided by shape alone, so that results do not depend on the card.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/codegen/nest/kernel_nest.h"

namespace tessera::codegen {

inline constexpr unsigned kWarpThreads = 32;
inline constexpr unsigned kStaticSharedBytes = 48 << 10;  // of a block, without asking for more

// What kernels may use of a device.
struct GridTarget {
  bool isAmpere = false;                      // tensor cores and asynchronous copies of sm_80
  bool hasWarpgroupProducts = false;          // wgmma of sm_90a
  unsigned sharedBytes = kStaticSharedBytes;  // that a block can have, where it asks for them
};

struct GridMap {
  KernelNest nest;                // one lane, no axis: `outer` are the items' counters
  std::vector<int32_t> inner;     // counters that the threads of a group share out, major to minor
  std::vector<bool> sharedLoops;  // by loop: the group's threads share out its rounds and join what they have
  int64_t items = 1, innerCount = 1;
  unsigned groupThreads = 1;  // that take an item: one, 8 or 16, a warp or a block
  bool isByColumns = false;   // they are the same lane of so many warps
  unsigned blockThreads = 256;
  unsigned each = 1;     // neighbouring items that a thread takes, along the last of `outer`
  unsigned rowEach = 1;  // neighbouring elements and rounds that a thread of a group takes at once

  int64_t takers() const { return (items + each - 1) / each; }
  int64_t blocks() const;
  // There are so many items for single threads that each takes further ones, a whole grid away.
  bool isStrided() const;
  // "a warp an item, 4096 items", for readers.
  std::string text() const;

  static GridMap of(const LoopProgram& program, const ProgramAnalysis& analysis);
  // For the threads of a single block, which other programs use, too: groups are at most a warp. The caller sets how
  // many threads it has.
  static GridMap inBlock(const LoopProgram& program, const ProgramAnalysis& analysis);
};

// Whether elements from a multiple of `each` on along a counter lie side by side, the first at such a multiple, in an
// array that begins at one. Parts of the address that are no counter's are the caller's to judge.
bool liesWhole(const Address& address, const Shape& array, int32_t along, int64_t each);

}  // namespace tessera::codegen
