// GridRadix: one pass of a stable radix sort of the lines of an array on a GPU, by eight bits of unsigned keys. Two
// kernels with prefix sums between them (grid_scan): how often each digit is in each tile of a line; then every key's
// place, from how many come before it: of smaller digits, of its digit in earlier tiles, in earlier warps of its tile,
// in its warp. Nothing depends on which block is first.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace llvm {
class Module;
}

namespace tessera::codegen {

struct RadixMap {
  static constexpr unsigned kThreads = 256, kEach = 8;  // of a block, keys of a thread
  static constexpr int64_t kDigits = 256, kTile = int64_t{kThreads} * kEach;

  unsigned keyBits = 32;  // 32 or 64
  unsigned shift = 0;     // of the digit
  int64_t length = 1, lines = 1;
  bool isFirst = false;  // the order before is that of the places
  bool isLast = false;   // nobody needs the keys any more

  int64_t tiles() const { return (length + kTile - 1) / kTile; }
  int64_t blocks() const { return lines * tiles(); }
  std::string countText() const;
  std::string placeText() const;
  std::string key() const;
};

// Of the arrays keys [lines, length], counts u32 [lines, digits, tiles].
Status emitRadixCount(llvm::Module& module, const std::string& name, const RadixMap& map);
// Of keys, unless it is the first pass the order u32 [lines, length], counts, their prefix sums along a line, each with
// its own; then, unless it is the last pass, the keys in their new places, and the order there.
Status emitRadixPlaces(llvm::Module& module, const std::string& name, const RadixMap& map);

}  // namespace tessera::codegen
