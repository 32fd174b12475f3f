// GridScan: prefix sums along rows of memory on a GPU. A block of threads scans one piece of a row through shared
// memory: each thread sums a few consecutive elements, a warp combines its lanes by shuffles, a block its warps. The
// prefix of each piece is computed beforehand. The order of operations depends on the length alone.
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
  bool isReversed = false;   // from the last element to the first
  bool isExclusive = false;  // element i of the result: the sum of the elements before i
  unsigned threads = 256;    // of a block: whole warps

  int64_t piece() const { return int64_t{threads} * kEach; }
  int64_t pieces() const { return (length + piece() - 1) / piece(); }
  int64_t blocks() const { return lines * pieces(); }
  std::string text() const;
  std::string key() const;

  // Whether the kernel takes a scan: elements of 4 or 8 bytes that are not complex, rows of at least a warp.
  static bool fits(ElementType type, int64_t length);
  static unsigned threadsFor(int64_t length);  // as many as a row needs, 256 at most
};

// A kernel of three arrays: the input [lines, length], the prefix of each piece [lines, pieces], the result
// [lines, length], which may be the input's memory. With one piece a line, the prefix is one scalar for all lines.
// ErrorKind::Unsupported where the operation has no neutral element in the type.
Status emitScanKernel(llvm::Module& module, const std::string& name, const ScanMap& map);

}  // namespace tessera::codegen
