// GridScan: running totals along lines of memory on a GPU: a block takes a piece of a line, through shared memory; each
// thread totals a few elements in order, a warp those of its lanes by shuffles, a block those of its warps. What stands
// before each piece is computed beforehand. The order of operations follows from the length alone.
#pragma once

#include <string>

#include <llvm/IR/Module.h>

#include "core/base/result.h"
#include "core/element/element_program.h"

namespace tessera::codegen {

struct ScanMap {
  static constexpr unsigned kEach = 8;  // elements of a thread

  NodeOp operation = NodeOp::Add;
  ElementType type = ElementType::F32;
  int64_t length = 1, lines = 1;
  bool isReversed = false;   // from the last element to the first
  bool isExclusive = false;  // what stands before an element, without it
  unsigned threads = 256;    // of a block: whole warps

  int64_t piece() const { return int64_t{threads} * kEach; }
  int64_t pieces() const { return (length + piece() - 1) / piece(); }
  int64_t blocks() const { return lines * pieces(); }
  std::string text() const;
  std::string key() const;

  // Elements of 4 or 8 bytes, in a block as large as the line needs.
  static bool has(ElementType type);
  static unsigned threadsFor(int64_t length);
};

// A kernel (the lines, what stands before each piece [lines, pieces], the totals). With one piece a line, what stands
// before is one number for all lines.
Status emitScanKernel(llvm::Module& module, const std::string& name, const ScanMap& map);

}  // namespace tessera::codegen
