// GridScan: prefix sums along rows of memory on a GPU. A block of threads scans one piece of a row through shared
// memory: each thread sums a few consecutive elements, a warp combines its lanes by shuffles, a block its warps. Rows
// of several pieces are scanned in one pass (decoupled look-back, Merrill and Garland): blocks take pieces in the order
// in which they begin, publish their totals and wait for those of earlier pieces, whose blocks run already. What is
// combined with what depends on the length alone, not on who was first: a group of 32 pieces on the prefix of the group
// before it, a piece on that prefix and the totals of its own group.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/element/element_program.h"

namespace llvm {
class Module;
}

namespace tessera::codegen {

struct ScanMap {
  static constexpr unsigned kEach = 8;  // elements of a thread

  NodeOp operation = NodeOp::Add;
  ElementType type = ElementType::F32;
  int64_t length = 1, lines = 1;
  bool isReversed = false;  // from the last element to the first
  unsigned threads = 256;   // of a block: whole warps

  int64_t piece() const { return int64_t{threads} * kEach; }
  int64_t pieces() const { return (length + piece() - 1) / piece(); }
  int64_t blocks() const { return lines * pieces(); }
  bool hasState() const { return pieces() > 1; }
  int64_t stateWords() const;  // of 64 bits
  std::string text() const;
  std::string key() const;

  // Whether the kernel takes a scan: elements of 4 or 8 bytes that are not complex, rows of at least a warp.
  static bool fits(ElementType type, int64_t length);
  static unsigned threadsFor(int64_t length);  // as many as a row needs, 256 at most
};

// A kernel of these arrays: the input [lines, length], the first value, a scalar, the result [lines, length], which may
// be the input's memory, and where it hasState() words through which blocks speak, all of them zero at the beginning.
// ErrorKind::Unsupported where the operation has no neutral element in the type.
Status emitScanKernel(llvm::Module& module, const std::string& name, const ScanMap& map);

}  // namespace tessera::codegen
