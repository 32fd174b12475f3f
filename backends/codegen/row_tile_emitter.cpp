// See row_tile_emitter.h. A tile holds, element by element of a row, what the lanes read: tile[at · lanes + lane].
#include "backends/codegen/row_tile_emitter.h"

#include <algorithm>

#include "backends/codegen/kernel_function.h"

namespace tessera::codegen {

using llvm::Value;

// By whole vectors; one step needs no loop.
void RowTileEmitter::inSteps(int64_t to, const std::function<void(Value*)>& body) {
  if (to <= static_cast<int64_t>(width_))
    body(int64(0));
  else
    emitRange(b, int64(0), int64(to), width_, body);
}

void RowTileEmitter::open(const std::vector<ElementType>& types) {
  types_ = types;
  auto& block = b.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> entry(&block, block.begin());
  for (size_t t = 0; t < nest_.tiles.size(); ++t) {
    const int64_t columns = (nest_.tiles[t].length + width_ - 1) / width_ * width_;
    auto* place = entry.CreateAlloca(scalars_.memoryType(types_[t]), int64(columns * nest_.lanes));
    place->setAlignment(llvm::Align(64));
    places_.push_back(place);
  }
}

// Transposition of a square by halves: pairs of rows change blocks of 1, 2, 4 … columns.
void RowTileEmitter::transpose(std::vector<Value*>& rows) {
  const auto width = static_cast<int>(width_);
  for (int step = 1; step < width; step *= 2) {
    std::vector<int> upper, lower;
    for (int j = 0; j < width; ++j) {
      upper.push_back(j & step ? width + j - step : j);
      lower.push_back(j & step ? width + j : j + step);
    }
    for (int r = 0; r < width; ++r) {
      if (r & step) continue;
      Value *&x = rows[static_cast<size_t>(r)], *&y = rows[static_cast<size_t>(r + step)];
      Value* transposed = b.CreateShuffleVector(x, y, upper);
      y = b.CreateShuffleVector(x, y, lower);
      x = transposed;
    }
  }
}

// Lanes behind the last row read that row once more.
void RowTileEmitter::fillSquare(size_t t, const ArrayBase& base, Value* lane, Value* top, Value* column, int64_t rows) {
  const RowTile& tile = nest_.tiles[t];
  auto* element = scalars_.memoryType(types_[t]);
  auto* vector = llvm::FixedVectorType::get(element, width_);
  Value* mask = nullptr;
  if (tile.length % width_ != 0)
    mask = b.CreateICmpSLT(memory_.iota(b.getInt64Ty(), width_),
                           b.CreateVectorSplat(width_, b.CreateSub(int64(tile.length), column)));
  std::vector<Value*> square;
  for (unsigned r = 0; r < width_; ++r) {
    Value* row = b.CreateAdd(top, int64(r));
    if (rows % nest_.lanes != 0) row = b.CreateSelect(b.CreateICmpSLT(row, int64(rows)), row, int64(rows - 1));
    Value* at = b.CreateGEP(element, base.pointer, b.CreateAdd(b.CreateMul(row, int64(tile.pitch)), column));
    llvm::Instruction* loaded = nullptr;
    if (mask)
      loaded = b.CreateMaskedLoad(vector, at, alignOf(t), mask, llvm::Constant::getNullValue(vector));
    else
      loaded = b.CreateAlignedLoad(vector, at, alignOf(t));
    base.scope.mark(loaded);
    square.push_back(loaded);
  }
  transpose(square);
  for (unsigned c = 0; c < std::min<int64_t>(width_, tile.length); ++c) {
    Value* to = b.CreateAdd(b.CreateMul(b.CreateAdd(column, int64(c)), int64(nest_.lanes)), lane);
    b.CreateAlignedStore(square[c], b.CreateGEP(element, places_[t], to), llvm::Align(alignOf(t).value() * width_));
  }
}

void RowTileEmitter::fill(size_t t, const ArrayBase& base, Value* first, int64_t rows) {
  inSteps(nest_.lanes, [&](Value* lane) {
    Value* top = b.CreateAdd(first, lane);
    inSteps(nest_.tiles[t].length, [&](Value* column) { fillSquare(t, base, lane, top, column, rows); });
  });
}

Val RowTileEmitter::load(size_t t, Value* at) {
  auto* element = scalars_.memoryType(types_[t]);
  Value* from = b.CreateGEP(element, places_[t], b.CreateMul(at, int64(nest_.lanes)));
  auto* lanes = llvm::FixedVectorType::get(element, nest_.lanes);
  return scalars_.fromMemory(types_[t], {b.CreateAlignedLoad(lanes, from, llvm::Align(alignOf(t).value() * width_))});
}

}  // namespace tessera::codegen
