// See grid_attention_emission.h: attention by tensor cores.
#include "backends/codegen/grid/grid_attention_emission.h"
#include "backends/codegen/grid/grid_emitter.h"

namespace tessera::codegen {

using llvm::Value;

namespace {

constexpr unsigned kMatrixColumns = 8, kMatrixWords = 8;  // of a tensor core's product; words deep

}  // namespace

void AttentionEmission::emitByMatrices() {
  const unsigned columns = map_.tileColumns / kMatrixColumns, elements = map_.paddedWidth() / kMatrixColumns;
  Value *lane = b.CreateAnd(thread_, kWarpThreads - 1), *warp = b.CreateLShr(thread_, uint64_t{5});
  group_ = b.CreateLShr(lane, uint64_t{2}), word_ = b.CreateAnd(lane, uint64_t{3});
  Value* firstRow = b.CreateAdd(b.CreateMul(warp, b.getInt32(kMatrixRows)), group_);
  Value* pair = b.CreateShl(word_, uint64_t{1});
  Value* const rowsInTile[] = {firstRow, b.CreateAdd(firstRow, b.getInt32(8))};
  Row rows[] = {openRow(rowsInTile[0], size_t{2} * columns), openRow(rowsInTile[1], size_t{2} * columns)};
  Values columnsInTile;
  for (unsigned j = 0; j < columns; ++j)
    for (unsigned k = 0; k < 2; ++k) columnsInTile.push_back(b.CreateAdd(pair, b.getInt32(j * kMatrixColumns + k)));
  std::vector<Values> results(valueTiles_.size());
  for (Values& each : results)
    for (unsigned k = 0; k < 4 * elements; ++k) each.push_back(slot(number(0)));
  forTiles([&](Value* first) {
    std::vector<Values> products, weights(map_.sums.size(), Values(size_t{4} * columns));
    for (size_t p = 0; p < map_.products.size(); ++p)
      products.push_back(map_.isByWarpgroups ? warpgroupProducts(first, warp) : matrixProducts(p, firstRow));
    if (copiesColumns()) copyColumnsBehind(first);
    Value* shrink[2] = {};
    for (unsigned half = 0; half < 2 && !e.failure_; ++half) {
      std::vector<size_t> ofRow;
      for (unsigned j = 0; j < columns; ++j)
        for (unsigned k = 0; k < 2; ++k) {
          ofRow.push_back(4 * j + 2 * half + k);
          Values at;
          for (const Values& product : products) at.push_back(product[ofRow.back()]);
          at = weightsAt(rows[half].number, b.CreateAdd(first, wide(columnsInTile[2 * j + k])), at);
          for (size_t s = 0; s < weights.size(); ++s) weights[s][ofRow.back()] = at[s];
        }
      shrink[half] = takeWeights(rows[half], weights, ofRow, 4);
    }
    for (size_t s = 0; s < valueTiles_.size() && !e.failure_; ++s) {
      Values now;
      for (size_t k = 0; k < results[s].size(); ++k) {
        now.push_back(read(results[s][k]));
        if (Value* by = shrink[k % 4 / 2]) now.back() = b.CreateFMul(now.back(), by);
      }
      if (map_.isByWarpgroups)
        now = addByWarpgroups(first, weights[s], now);
      else
        addMatrices(valueTiles_[s], weights[s], now);
      for (size_t k = 0; k < now.size(); ++k) b.CreateStore(now[k], results[s][k]);
    }
  });
  if (e.failure_) return;
  if (map_.isOverBatch) {
    for (unsigned half = 0; half < 2; ++half) storeScores(rows[half], rowsInTile[half], columnsInTile);
    return;
  }
  if (!map_.hasValues()) {
    for (unsigned half = 0; half < 2; ++half) storeTotals(rows[half], rowsInTile[half], word_, 4);
    return;
  }
  Value* sums[2] = {};
  for (unsigned half = 0; half < 2 && map_.softmax; ++half)
    sums[half] = joinLanes(NodeOp::Add, read(rows[half].sum), 4);
  for (Values& each : results)
    for (size_t k = 0; k < each.size(); ++k) each[k] = finished(read(each[k]), sums[k % 4 / 2]);
  storeMatrices(warp, lane, results);
}

// The sums of a tile's products, by four of each eight columns.
AttentionEmission::Values AttentionEmission::matrixProducts(size_t p, Value* firstRow) {
  const unsigned columns = map_.tileColumns / kMatrixColumns;
  Values sums(size_t{4} * columns, number(0));
  for (unsigned step = 0; step < map_.products[p].paddedDepth() / kMatrixRows; ++step) {
    const Values left = leftWords(rowTiles_[p], firstRow, step);
    for (unsigned j = 0; j < columns; ++j)
      e.multiplyMatrices(*map_.tensor, left, rightWords(columnTiles_[p], j, step),
                         std::span(sums).subspan(size_t{4} * j, 4));
  }
  return sums;
}

// Sums of products are, as they lie, what the next product wants of its left factor: words of sixteen columns.
AttentionEmission::Values AttentionEmission::packedWeights(const Values& weights, unsigned step) {
  Values out;
  for (unsigned part = 0; part < 4; ++part)
    out.push_back(packed(weights[8 * step + 2 * part], weights[8 * step + 2 * part + 1]));
  return out;
}

// Adds the weighted values.
void AttentionEmission::addMatrices(const Tile& values, const Values& weights, std::span<Value*> sums) {
  for (unsigned step = 0; step < weights.size() / 8; ++step) {
    const Values left = packedWeights(weights, step);
    for (unsigned j = 0; j < sums.size() / 4; ++j)
      e.multiplyMatrices(*map_.tensor, left, rightWords(values, j, step), sums.subspan(size_t{4} * j, 4));
  }
}

// Through shared memory, so that neighbours store side by side: sixteen elements of each row at a time.
void AttentionEmission::storeMatrices(Value* warp, Value* lane, const std::vector<Values>& results) {
  constexpr unsigned kWarpWords = kMatrixRows * kStoredLine;
  Values shared;
  for (size_t s = 0; s < results.size(); ++s)
    shared.push_back(share(f32_, uint64_t{map_.tileRows} * kStoredLine, e.function_->getName().str() + "_end"));
  Value* own = b.CreateMul(warp, b.getInt32(kWarpWords));
  const auto at = [&](size_t s, Value* row, Value* column) {
    return b.CreateGEP(f32_, shared[s],
                       b.CreateAdd(own, b.CreateAdd(b.CreateMul(row, b.getInt32(kStoredLine)), column)));
  };
  Value* pairAt = b.CreateShl(word_, uint64_t{1});
  for (unsigned from = 0; from < map_.paddedWidth() && !e.failure_; from += kMatrixRows) {
    emitBarrier(b);
    for (size_t s = 0; s < results.size(); ++s)
      for (unsigned k = 0; k < 4; ++k) {
        const size_t first = 4 * (from / kMatrixColumns + k / 2) + 2 * (k % 2);
        Value* pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(f32_, 2));
        for (unsigned part = 0; part < 2; ++part) pair = b.CreateInsertElement(pair, results[s][first + part], part);
        Value* row = b.CreateAdd(group_, b.getInt32(k % 2 * 8));
        b.CreateAlignedStore(pair, at(s, row, b.CreateAdd(pairAt, b.getInt32(k / 2 * kMatrixColumns))), llvm::Align(8));
      }
    emitBarrier(b);
    Value *column = b.CreateAnd(lane, kMatrixRows - 1), *half = b.CreateLShr(lane, uint64_t{4});
    for (unsigned k = 0; k < kMatrixRows / 2 && !e.failure_; ++k) {
      Value* inWarp = b.CreateAdd(b.CreateShl(half, uint64_t{1}), b.getInt32(k / 2 * 4 + k % 2));
      Values found;
      for (size_t s = 0; s < results.size(); ++s) found.push_back(b.CreateLoad(f32_, at(s, inWarp, column)));
      storeResult(b.CreateAdd(b.CreateMul(warp, b.getInt32(kMatrixRows)), inWarp),
                  b.CreateAdd(column, b.getInt32(from)), found);
    }
  }
}

Value* AttentionEmission::wordAt(const Tile& tile, Value* line, unsigned further, unsigned at) {
  const unsigned words = tile.line / 2;
  Value* first = b.CreateAdd(b.CreateMul(line, b.getInt32(words)), word_);
  return b.CreateLoad(b.getInt32Ty(),
                      b.CreateGEP(b.getInt32Ty(), tile.shared, b.CreateAdd(first, b.getInt32(further * words + at))));
}

AttentionEmission::Values AttentionEmission::leftWords(const Tile& tile, Value* row, unsigned step) {
  Values out;
  for (unsigned part = 0; part < 4; ++part)
    out.push_back(wordAt(tile, row, 8 * (part % 2), kMatrixWords * step + 4 * (part / 2)));
  return out;
}

AttentionEmission::Values AttentionEmission::rightWords(const Tile& tile, unsigned matrix, unsigned step) {
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
