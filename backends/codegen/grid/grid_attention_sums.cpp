// See grid_attention_emission.h: attention by multiply-adds.
#include "backends/codegen/grid/grid_attention_emission.h"
#include "backends/codegen/grid/grid_emitter.h"

namespace tessera::codegen {

using llvm::Value;

namespace {

constexpr unsigned kThreadSide = 16;  // threads along rows and along columns
constexpr unsigned kDepthStep = 8;    // products of a sum that are written out

}  // namespace

// Thread (x, y) has the rows y, y + 16 …, of them the columns and elements x, x + 16 …

void AttentionEmission::emitBySums() {
  const unsigned rows = map_.tileRows / kThreadSide, columns = map_.tileColumns / kThreadSide,
                 elements = map_.paddedWidth() / kThreadSide;
  Value *y = b.CreateLShr(thread_, uint64_t{4}), *x = b.CreateAnd(thread_, kThreadSide - 1);
  const unsigned line = map_.weightsLine();
  Value* shared = !map_.hasValues()
                      ? nullptr
                      : share(f32_, uint64_t{map_.tileRows} * line, e.function_->getName().str() + "_weights");
  const auto rowAt = [&](unsigned i) { return b.CreateAdd(y, b.getInt32(i * kThreadSide)); };
  const auto columnAt = [&](unsigned j) { return b.CreateAdd(x, b.getInt32(j * kThreadSide)); };
  const auto weightAt = [&](Value* row, Value* column) {
    return b.CreateGEP(f32_, shared, b.CreateAdd(b.CreateMul(row, b.getInt32(line)), column));
  };
  const auto storeWeights = [&](const Values& weights, unsigned i) {
    for (unsigned j = 0; j < columns; ++j) b.CreateStore(weights[i * columns + j], weightAt(rowAt(i), columnAt(j)));
  };
  std::vector<Row> own;
  std::vector<Values> results(valueTiles_.size());
  for (unsigned i = 0; i < rows; ++i) {
    own.push_back(openRow(rowAt(i), columns));
    for (Values& each : results)
      for (unsigned k = 0; k < elements; ++k) each.push_back(slot(number(0)));
  }
  forTiles([&](Value* first) {
    std::vector<Values> products, weights(map_.sums.size());
    for (size_t p = 0; p < map_.products.size(); ++p)
      products.push_back(sumProducts(
          map_.products[p].paddedDepth(), rows, columns,
          [&](unsigned i, Value* k) { return loadShared(rowTiles_[p], rowAt(i), k); },
          [&](unsigned j, Value* k) { return loadShared(columnTiles_[p], columnAt(j), k); }, {}));
    for (unsigned i = 0; i < rows && !e.failure_; ++i) {
      std::vector<size_t> ofRow;
      for (unsigned j = 0; j < columns; ++j) {
        ofRow.push_back(i * columns + j);
        Values at;
        for (const Values& product : products) at.push_back(read(product[ofRow.back()]));
        at = weightsAt(own[i].number, b.CreateAdd(first, wide(columnAt(j))), at);
        for (size_t s = 0; s < weights.size(); ++s) weights[s].push_back(at[s]);
      }
      Value* shrink = takeWeights(own[i], weights, ofRow, kThreadSide);
      if (map_.hasValues()) storeWeights(weights[0], i);
      for (unsigned k = 0; k < elements && shrink; ++k) {
        Value* at = results[0][i * elements + k];
        b.CreateStore(b.CreateFMul(read(at), shrink), at);
      }
    }
    for (size_t s = 0; s < valueTiles_.size() && !e.failure_; ++s) {
      if (s > 0) {
        emitBarrier(b);
        for (unsigned i = 0; i < rows; ++i) storeWeights(weights[s], i);
      }
      emitBarrier(b);
      sumProducts(
          map_.tileColumns, rows, elements,
          [&](unsigned i, Value* k) { return b.CreateLoad(f32_, weightAt(rowAt(i), k)); },
          [&](unsigned j, Value* k) { return loadShared(valueTiles_[s], k, columnAt(j)); }, results[s]);
    }
  });
  for (unsigned i = 0; i < rows && !e.failure_; ++i) {
    if (map_.isOverBatch) {
      Values columnsInTile;
      for (unsigned j = 0; j < columns; ++j) columnsInTile.push_back(columnAt(j));
      storeScores(own[i], rowAt(i), columnsInTile);
      continue;
    }
    if (!map_.hasValues()) {
      storeTotals(own[i], rowAt(i), x, kThreadSide);
      continue;
    }
    Value* sum = map_.softmax ? joinLanes(NodeOp::Add, read(own[i].sum), kThreadSide) : nullptr;
    for (unsigned k = 0; k < elements && !e.failure_; ++k) {
      Values found;
      for (const Values& each : results) found.push_back(finished(read(each[i * elements + k]), sum));
      storeResult(rowAt(i), columnAt(k), found);
    }
  }
}

Value* AttentionEmission::loadShared(const Tile& tile, Value* line, Value* place) {
  return b.CreateLoad(f32_,
                      b.CreateGEP(f32_, tile.shared, b.CreateAdd(b.CreateMul(line, b.getInt32(tile.line)), place)));
}

// rows × columns sums of `depth` products on top of what the slots hold; no slots: of new ones.
AttentionEmission::Values AttentionEmission::sumProducts(unsigned depth, unsigned rows, unsigned columns,
                                                         const std::function<Value*(unsigned, Value*)>& left,
                                                         const std::function<Value*(unsigned, Value*)>& right,
                                                         Values slots) {
  if (slots.empty())
    for (unsigned s = 0; s < rows * columns; ++s) slots.push_back(slot(number(0)));
  e.forRange(int64(0), int64(depth), kDepthStep, [&](Value* from) {
    std::vector<Value*> now;
    for (Value* each : slots) now.push_back(read(each));
    Value* first = b.CreateTrunc(from, b.getInt32Ty());
    for (unsigned step = 0; step < kDepthStep; ++step) {
      Value* k = b.CreateAdd(first, b.getInt32(step));
      std::vector<Value*> ofRows, ofColumns;
      for (unsigned i = 0; i < rows; ++i) ofRows.push_back(left(i, k));
      for (unsigned j = 0; j < columns; ++j) ofColumns.push_back(right(j, k));
      for (unsigned i = 0; i < rows; ++i)
        for (unsigned j = 0; j < columns; ++j)
          now[i * columns + j] =
              b.CreateIntrinsic(llvm::Intrinsic::fma, {f32_}, {ofRows[i], ofColumns[j], now[i * columns + j]});
    }
    for (size_t s = 0; s < slots.size(); ++s) b.CreateStore(now[s], slots[s]);
  });
  return slots;
}

}  // namespace tessera::codegen
