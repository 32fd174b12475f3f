// See grid_attention_emission.h: attention by wgmma. Two groups of four warps have 64 rows each. Of columns and values
// two tiles each are in shared memory: one is multiplied while the next is on its way (cp.async).
#include <algorithm>

#include <fmt/format.h>

#include "backends/codegen/grid/grid_attention_emission.h"
#include "backends/codegen/grid/grid_emitter.h"
#include "backends/codegen/grid/warpgroup_products.h"

namespace tessera::codegen {

using llvm::Value;

namespace {

constexpr unsigned kTilesAtOnce = 2;  // in shared memory
constexpr unsigned kProductDepth = 16, kProductsOfLine = kMatrixLineBytes / kProductBytes;

}  // namespace

// Of the first 128 bytes of all lines of a tile.
unsigned AttentionEmission::panelBytes(const Tile& tile) {
  return (tile.linesAreAlong ? tile.acrossSize : tile.alongSize) * kMatrixLineBytes;
}

unsigned AttentionEmission::pieceBytes(const Tile& tile) {
  const unsigned bytes = 2 * (tile.linesAreAlong ? tile.alongSize : tile.acrossSize);
  return (bytes + kMatrixLineBytes - 1) / kMatrixLineBytes * panelBytes(tile);
}

void AttentionEmission::openWarpgroups(const std::string& name) {
  llvm::GlobalVariable* shared = dynamicSharedMemory(e.module_);
  shared->setAlignment(std::max(shared->getAlign().valueOrOne(), llvm::Align(kPatternBytes)));
  const auto open = [&](Tile& tile, unsigned pieces) {
    tile.each = kChunkBytes / 2;
    tile.shared = share(b.getInt8Ty(), uint64_t{pieces} * pieceBytes(tile), name);
  };
  valueTiles_[0].linesAreAlong = false;
  open(rowTiles_[0], 1);
  open(columnTiles_[0], kTilesAtOnce);
  open(valueTiles_[0], kTilesAtOnce);
}

// Where the tile of the columns from `first` on lies.
Value* AttentionEmission::pieceAt(Value* first, const Tile& tile) {
  Value* number = b.CreateURem(b.CreateUDiv(first, int64(map_.tileColumns)), int64(kTilesAtOnce));
  return b.CreateGEP(b.getInt8Ty(), tile.shared, b.CreateMul(number, int64(pieceBytes(tile))));
}

// A group of copies, empty behind the last column.
void AttentionEmission::copyPiece(const Tile& tile, Value* first) {
  Tile piece = tile;
  piece.shared = pieceAt(first, tile);
  emitIf(b, b.CreateICmpULT(first, endColumn_), [&] { copyTile(piece, first); });
  emitCommitCopies(b);
}

// Waits for the tile of the columns from `first` on, and has the next one of its kind copied. The newest group of
// copies is of the other kind.
void AttentionEmission::takePiece(const Tile& tile, Value* first) {
  emitWaitForCopies(b, 1);
  emitFenceForProducts(b);
  emitBarrier(b);
  copyPiece(tile, b.CreateAdd(first, int64(map_.tileColumns)));
}

void AttentionEmission::forWarpgroupTiles(const std::function<void(Value*)>& body) {
  const auto [begin, end] = visibleColumns();
  endColumn_ = end;
  copyTile(rowTiles_[0], firstRow_);
  copyPiece(columnTiles_[0], begin);
  copyPiece(valueTiles_[0], begin);
  e.forRange(begin, end, map_.tileColumns, body);
  emitWaitForCopies(b, 0);
}

// The sums of a tile's products, as matrixProducts gives them.
AttentionEmission::Values AttentionEmission::warpgroupProducts(Value* first, Value* warp) {
  const Tile &rows = rowTiles_[0], &columns = columnTiles_[0];
  takePiece(columns, first);
  const size_t sums = map_.tileColumns / 2;
  std::string text =
      "{\n.reg .pred begins, adds;\n.reg .b64 left, right;\nsetp.eq.u32 begins, 0, 1;\nsetp.eq.u32 adds, 1, 1;\n"
      "wgmma.fence.sync.aligned;\n";
  for (unsigned step = 0; step < map_.products[0].paddedDepth() / kProductDepth; ++step) {
    const auto placeIn = [&](const Tile& tile) {
      return (step / kProductsOfLine * panelBytes(tile) + step % kProductsOfLine * kProductBytes) / kChunkBytes;
    };
    text += fmt::format(
        "add.u64 left, ${}, {};\nadd.u64 right, ${}, {};\n"
        "wgmma.mma_async.sync.aligned.m64n{}k16.f32.{}.{} {{{}}}, left, right, {}, 1, 1, 0, 0;\n",
        sums, placeIn(rows), sums + 1, placeIn(columns), map_.tileColumns, productTypeName(*map_.tensor),
        productTypeName(*map_.tensor), operandList(0, sums), step == 0 ? "begins" : "adds");
  }
  text += fmt::format("wgmma.commit_group.sync.aligned;\n{}\n}}", kWaitForProducts);
  Value* group = b.CreateLShr(warp, static_cast<uint64_t>(llvm::Log2_32(kGroupThreads / kWarpThreads)));
  Value* const descriptors[] = {
      emitDescriptor(b, rows.shared, b.CreateMul(group, b.getInt32(kGroupRows * kMatrixLineBytes)), std::nullopt),
      emitDescriptor(b, pieceAt(first, columns), b.getInt32(0), std::nullopt)};
  return emitOnSums(b, text, sums, {}, descriptors);
}

// The sums and the weighted values of a tile. Weights are left factors in registers.
AttentionEmission::Values AttentionEmission::addByWarpgroups(Value* first, const Values& weights, const Values& sums) {
  const Tile& values = valueTiles_[0];
  takePiece(values, first);
  const unsigned steps = map_.tileColumns / kProductDepth;
  Values operands;
  for (unsigned step = 0; step < steps; ++step)
    for (Value* word : packedWeights(weights, step)) operands.push_back(word);
  operands.push_back(emitDescriptor(b, pieceAt(first, values), b.getInt32(0), panelBytes(values)));
  const size_t firstOperand = 2 * sums.size(), descriptor = firstOperand + operands.size() - 1;
  std::string text = "{\n.reg .pred adds;\n.reg .b64 right;\nsetp.eq.u32 adds, 1, 1;\nwgmma.fence.sync.aligned;\n";
  for (unsigned step = 0; step < steps; ++step)
    text += fmt::format(
        "add.u64 right, ${}, {};\n"
        "wgmma.mma_async.sync.aligned.m64n{}k16.f32.{}.{} {{{}}}, {{{}}}, right, adds, 1, 1, 1;\n",
        descriptor, step * kProductDepth * kLineChunks, map_.paddedWidth(), productTypeName(*map_.tensor),
        productTypeName(*map_.tensor), operandList(0, sums.size()), operandList(firstOperand + 4 * step, 4));
  text += fmt::format("wgmma.commit_group.sync.aligned;\n{}\n}}", kWaitForProducts);
  return emitOnSums(b, text, sums.size(), sums, operands);
}

}  // namespace tessera::codegen
