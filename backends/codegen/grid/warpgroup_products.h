// What kernels by wgmma (sm_90a) have in common: how matrices lie in shared memory, and inline PTX, since LLVM has no
// intrinsics for it. Lines are 128 bytes long; each line's chunks of 16 bytes are permuted within eight lines. Used by
// grid_warpgroup_emission and grid_attention_warpgroups.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <llvm/IR/IRBuilder.h>

#include "core/hlo/element_type.h"

namespace tessera::codegen {

inline constexpr unsigned kMatrixLineBytes = 128, kChunkBytes = 16, kPatternLines = 8;
inline constexpr unsigned kLineChunks = kMatrixLineBytes / kChunkBytes;
inline constexpr unsigned kPatternBytes = kPatternLines * kMatrixLineBytes;  // matrices begin at multiples of this
inline constexpr unsigned kProductBytes = 32;                                // of a line: as deep as a product is
inline constexpr unsigned kGroupRows = 64, kGroupThreads = 128;
// Kernels have blocks of two groups; fewer blocks leave most multiprocessors without.
inline constexpr unsigned kBlockGroups = 2;
inline constexpr int64_t kFewestGroupBlocks = 64;
inline constexpr const char* kWaitForProducts = "wgmma.wait_group.sync.aligned 0;";

// "bf16", as PTX names it.
const char* productTypeName(ElementType type);
// Bytes from the beginning of lines to a chunk of one; both i32, chunk: in its line.
llvm::Value* emitChunkPlace(llvm::IRBuilder<>& b, llvm::Value* line, llvm::Value* chunk);
// The descriptor of a matrix that begins `further` bytes (i32) behind an address in shared memory. acrossBytes: where
// lines do not go along the depth, from 64 rows (or columns) to the next.
llvm::Value* emitDescriptor(llvm::IRBuilder<>& b, llvm::Value* shared, llvm::Value* further,
                            std::optional<unsigned> acrossBytes);
// PTX whose operands $0 … are `count` sums (f32) as results, then those before it, if given, then the operands (i32
// and i64). Gives the results.
std::vector<llvm::Value*> emitOnSums(llvm::IRBuilder<>& b, const std::string& text, size_t count,
                                     std::span<llvm::Value* const> before, std::span<llvm::Value* const> operands);
void emitText(llvm::IRBuilder<>& b, const std::string& text);
// "$3, $4", of so many operands.
std::string operandList(size_t first, size_t count);
// What threads have written to shared memory becomes visible to products; a barrier is to follow.
void emitFenceForProducts(llvm::IRBuilder<>& b);

}  // namespace tessera::codegen
