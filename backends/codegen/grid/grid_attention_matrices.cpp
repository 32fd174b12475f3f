// See grid_attention_emission.h: attention by tensor cores.
#include "backends/codegen/grid/grid_attention_emission.h"
#include "backends/codegen/grid/grid_emitter.h"

namespace tessera::codegen {

using llvm::Value;

namespace {

constexpr unsigned kMatrixRows = 16, kMatrixColumns = 8, kMatrixWords = 8;  // of a tensor core's product; words deep

}  // namespace

void AttentionEmission::emitByMatrices() {
  const unsigned columns = map_.tileColumns / kMatrixColumns, elements = map_.paddedWidth() / kMatrixColumns;
  Value *lane = b.CreateAnd(thread_, kWarpThreads - 1), *warp = b.CreateLShr(thread_, uint64_t{5});
  group_ = b.CreateLShr(lane, uint64_t{2}), word_ = b.CreateAnd(lane, uint64_t{3});
  Value* firstRow = b.CreateAdd(b.CreateMul(warp, b.getInt32(kMatrixRows)), group_);
  Value* pair = b.CreateShl(word_, uint64_t{1});
  Value* const rowsInTile[] = {firstRow, b.CreateAdd(firstRow, b.getInt32(8))};
  Row rows[] = {openRow(rowsInTile[0]), openRow(rowsInTile[1])};
  std::vector<Value*> results;
  for (unsigned k = 0; k < 4 * elements; ++k) results.push_back(slot(number(0)));
  forTiles([&](Value* first) {
    std::vector<Value*> scores(size_t{4} * columns, number(0));
    for (unsigned step = 0; step < map_.paddedDepth() / kMatrixRows; ++step) {
      const std::vector<Value*> left = leftWords(firstRow, step);
      for (unsigned j = 0; j < columns; ++j)
        e.multiplyMatrices(*map_.tensor, left, rightWords(keys_, j, step), std::span(scores).subspan(4 * j, 4));
    }
    Value* shrink[2];
    for (unsigned half = 0; half < 2 && !e.failure_; ++half) {
      std::vector<Value**> own;
      for (unsigned j = 0; j < columns; ++j)
        for (unsigned k = 0; k < 2; ++k) {
          Value*& score = scores[4 * j + 2 * half + k];
          Value* column = b.CreateAdd(pair, b.getInt32(j * kMatrixColumns + k));
          score = scoreOf(rows[half].number, b.CreateAdd(first, wide(column)), score);
          own.push_back(&score);
        }
      shrink[half] = takeScores(rows[half], own, 4);
    }
    if (e.failure_) return;
    std::vector<Value*> now;
    for (size_t k = 0; k < results.size(); ++k) now.push_back(b.CreateFMul(read(results[k]), shrink[k % 4 / 2]));
    for (unsigned step = 0; step < columns / 2; ++step) {
      std::vector<Value*> left;
      for (unsigned part = 0; part < 4; ++part)
        left.push_back(packed(scores[8 * step + 2 * part], scores[8 * step + 2 * part + 1]));
      for (unsigned j = 0; j < elements; ++j)
        e.multiplyMatrices(*map_.tensor, left, rightWords(values_, j, step), std::span(now).subspan(4 * j, 4));
    }
    for (size_t k = 0; k < results.size(); ++k) b.CreateStore(now[k], results[k]);
  });
  std::vector<Value*> finished;
  Value* sums[] = {joinLanes(NodeOp::Add, read(rows[0].sum), 4), joinLanes(NodeOp::Add, read(rows[1].sum), 4)};
  for (size_t k = 0; k < results.size(); ++k)
    finished.push_back(combine(NodeOp::Divide, read(results[k]), sums[k % 4 / 2]));
  storeMatrices(warp, lane, finished);
}

// Through shared memory, so that neighbours store side by side: sixteen elements of each row at a time. Lines that
// are eight words longer keep the pairs of a warp in different banks, and so two rows with one between them.
void AttentionEmission::storeMatrices(Value* warp, Value* lane, const std::vector<Value*>& results) {
  constexpr unsigned kLine = kMatrixRows + 8, kWarpWords = kMatrixRows * kLine;
  auto* shared =
      makeSharedArray(e.module_, f32_, uint64_t{map_.tileRows} * kLine, e.function_->getName().str() + "_end");
  Value* own = b.CreateMul(warp, b.getInt32(kWarpWords));
  const auto at = [&](Value* row, Value* column) {
    return b.CreateGEP(f32_, shared, b.CreateAdd(own, b.CreateAdd(b.CreateMul(row, b.getInt32(kLine)), column)));
  };
  Value* pairAt = b.CreateShl(word_, uint64_t{1});
  for (unsigned from = 0; from < map_.paddedWidth() && !e.failure_; from += kMatrixRows) {
    emitBarrier(b);
    for (unsigned k = 0; k < 4; ++k) {
      const size_t first = 4 * (from / kMatrixColumns + k / 2) + 2 * (k % 2);
      Value* pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(f32_, 2));
      for (unsigned part = 0; part < 2; ++part) pair = b.CreateInsertElement(pair, results[first + part], part);
      Value* row = b.CreateAdd(group_, b.getInt32(k % 2 * 8));
      b.CreateAlignedStore(pair, at(row, b.CreateAdd(pairAt, b.getInt32(k / 2 * kMatrixColumns))), llvm::Align(8));
    }
    emitBarrier(b);
    Value *column = b.CreateAnd(lane, kMatrixRows - 1), *half = b.CreateLShr(lane, uint64_t{4});
    for (unsigned k = 0; k < kMatrixRows / 2 && !e.failure_; ++k) {
      Value* inWarp = b.CreateAdd(b.CreateShl(half, uint64_t{1}), b.getInt32(k / 2 * 4 + k % 2));
      storeResult(b.CreateAdd(b.CreateMul(warp, b.getInt32(kMatrixRows)), inWarp),
                  b.CreateAdd(column, b.getInt32(from)), b.CreateLoad(f32_, at(inWarp, column)));
    }
  }
}

Value* AttentionEmission::wordAt(const Tile& tile, Value* line, unsigned further, unsigned at) {
  const unsigned words = tile.line / 2;
  Value* first = b.CreateAdd(b.CreateMul(line, b.getInt32(words)), word_);
  return b.CreateLoad(b.getInt32Ty(),
                      b.CreateGEP(b.getInt32Ty(), tile.shared, b.CreateAdd(first, b.getInt32(further * words + at))));
}

std::vector<Value*> AttentionEmission::leftWords(Value* row, unsigned step) {
  std::vector<Value*> out;
  for (unsigned part = 0; part < 4; ++part)
    out.push_back(wordAt(queries_, row, 8 * (part % 2), kMatrixWords * step + 4 * (part / 2)));
  return out;
}

std::vector<Value*> AttentionEmission::rightWords(const Tile& tile, unsigned matrix, unsigned step) {
  return {wordAt(tile, group_, kMatrixColumns * matrix, kMatrixWords * step),
          wordAt(tile, group_, kMatrixColumns * matrix, kMatrixWords * step + 4)};
}

// Two numbers as narrow ones in a word.
Value* AttentionEmission::packed(Value* low, Value* high) {
  const auto narrow = [&](Value* value) {
    const Val rounded = scalars_.convert(*map_.tensor, ElementType::F32, {value});
    Value* bits = b.CreateBitCast(scalars_.toMemory(*map_.tensor, rounded).re, b.getInt16Ty());
    return b.CreateZExt(bits, b.getInt32Ty());
  };
  return b.CreateOr(narrow(low), b.CreateShl(narrow(high), uint64_t{16}));
}

}  // namespace tessera::codegen
