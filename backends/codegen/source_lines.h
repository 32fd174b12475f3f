// SourceLines: a line number for each node of a program, which LLVM carries through its passes to the assembly. What
// a line means is defined by the reader (cpu/kernels/marked_assembly). Beside KernelEmitter and RegionEmitter.
#pragma once

#include <cstdint>
#include <span>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>

namespace tessera::codegen {

inline constexpr uint32_t kOwnLine = 1;  // what is no node's: loops, addresses

struct SourceLines {
  llvm::DISubprogram* function = nullptr;  // null: no lines
  std::span<const uint32_t> ofNode;
};

// Code that is emitted while it exists is in this line.
class LineScope {
 public:
  LineScope(llvm::IRBuilder<>& b, const SourceLines& lines, uint32_t node)
      : b_(b), before_(b.getCurrentDebugLocation()) {
    if (lines.function && node < lines.ofNode.size()) setLine(b, lines, lines.ofNode[node]);
  }
  ~LineScope() { b_.SetCurrentDebugLocation(before_); }
  LineScope(const LineScope&) = delete;
  LineScope& operator=(const LineScope&) = delete;
  static void setLine(llvm::IRBuilder<>& b, const SourceLines& lines, uint32_t line) {
    if (lines.function) b.SetCurrentDebugLocation(llvm::DILocation::get(b.getContext(), line, 0, lines.function));
  }

 private:
  llvm::IRBuilder<>& b_;
  llvm::DebugLoc before_;
};

}  // namespace tessera::codegen
