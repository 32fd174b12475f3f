// See grid_attention.h. Here: how large the tiles are.
#include "backends/codegen/grid/grid_attention.h"

#include <algorithm>

#include <fmt/format.h>

#include "backends/codegen/grid/grid_attention_matcher.h"
#include "backends/codegen/grid/warpgroup_products.h"

namespace tessera::codegen {

namespace {

constexpr unsigned kMostSums = 176;         // of a thread, in registers
constexpr int64_t kFewestTallBlocks = 128;  // about as many as cards have multiprocessors
constexpr unsigned kSumThreads = 256;       // sixteen along rows, sixteen along columns
// By wgmma.
constexpr unsigned kMostGroupSums = 160;  // of a thread; it has weights as left factors, too
constexpr int64_t kWidestFactor = 256, kChunkElements = kChunkBytes / 2;

// Lines of 128 bytes that hold so many elements of two bytes each.
unsigned linesOf(unsigned elements) { return (2 * elements + kMatrixLineBytes - 1) / kMatrixLineBytes; }

// Whether the factor is read by whole chunks along the counter.
bool isWhole(const LoopProgram& program, const ProgramAnalysis& analysis, NodeId factor, int32_t along) {
  const Node& node = program.body.at(factor);
  if (node.op != NodeOp::Read) return false;
  const Address& address = *analysis.addresses[factor.value];
  return address.others.empty() && address.coefficientOf(along) == 1 &&
         analysis.counters[static_cast<size_t>(along)].size % kChunkElements == 0 &&
         liesWhole(address, program.body.operands[node.bits0], along, kChunkElements);
}

}  // namespace

// Shared memory of a block, as the emission lays it out.
unsigned AttentionMap::sharedBytes() const {
  const unsigned width = paddedWidth(), rows = tileRows, columns = tileColumns;
  if (isByWarpgroups)
    return kMatrixLineBytes *
               (linesOf(products[0].paddedDepth()) * (rows + 2 * columns) + linesOf(width) * 2 * columns) +
           4 * rows * kStoredLine;
  unsigned words = 0;
  for (const AttentionMap::Product& product : products)
    words += (rows + columns) * (tensor ? product.paddedDepth() / 2 + 4 : product.paddedDepth() + 1);
  for (const AttentionMap::Sum& sum : sums) {
    if (!sum.value) continue;
    if (tensor)
      words += width * (columns / 2 + 4) + rows * kStoredLine;
    else if (!sum.sharedWith)
      words += columns * (width + 1);
  }
  if (!tensor && hasValues()) words += rows * weightsLine();
  return 4 * words;
}

// Sums that a thread has in registers: of its rows' products and results.
unsigned AttentionMap::sumsOfThread() const {
  const unsigned rows = tensor ? 1 : tileRows / 16;
  const unsigned each = tensor ? 2 : 16;  // columns among which it has one of a row
  const unsigned columns = static_cast<unsigned>(products.size() + (isOverBatch ? 1 : 0)) * tileColumns,
                 elements = static_cast<unsigned>(sums.size()) * paddedWidth();
  return rows * (columns + elements) / each;
}

// The largest tiles within the memory that every block has, else the largest within what it can ask for.
Status AttentionMap::chooseTiles(const GridTarget& target, size_t loops) {
  static constexpr std::pair<unsigned, unsigned> kTiles[] = {{64, 32}, {32, 32}, {32, 16}, {16, 16}};
  static constexpr std::pair<unsigned, unsigned> kTensorTiles[] = {{64, 64}, {64, 32}, {32, 32}, {32, 16}};
  grid.nest.lanes = 1;
  grid.sharedLoops.assign(loops, false);
  for (const unsigned most : {kStaticSharedBytes, target.sharedBytes})
    for (const auto& [rows, columns] : tensor ? kTensorTiles : kTiles) {
      tileRows = rows, tileColumns = columns;
      grid.blockThreads = tensor ? rows / kMatrixRows * kWarpThreads : kSumThreads;
      const bool isLarge = !tensor && rows == 64 && blocks() < kFewestTallBlocks;
      if (isLarge || sumsOfThread() > kMostSums || sharedBytes() > most) continue;
      dynamicSharedBytes = sharedBytes() > kStaticSharedBytes ? sharedBytes() : 0;
      return {};
    }
  return failUnsupported(fmt::format(
      "no attention by tiles: the smallest ones take {} bytes of shared memory and {} sums a thread, and there are "
      "{} bytes and room for {} sums",
      sharedBytes(), sumsOfThread(), target.sharedBytes, kMostSums));
}

// Where every factor is read by whole chunks, and there are blocks enough. Nothing changes where not.
bool AttentionMap::chooseWarpgroups(const LoopProgram& program, const ProgramAnalysis& analysis,
                                    const GridTarget& target) {
  if (!target.hasWarpgroupProducts || !tensor || !softmax || isOverBatch || !hasValues() || products.size() != 1 ||
      sums.size() != 1)
    return false;
  const Product& product = products[0];
  if (product.depthCount > kWidestFactor || widthCount > kWidestFactor || rowCount <= kGroupRows ||
      !isWhole(program, analysis, product.row.node, product.depth.back()) ||
      !isWhole(program, analysis, product.column.node, product.depth.back()) ||
      !isWhole(program, analysis, sums[0].value->node, width.back()))
    return false;
  AttentionMap out = *this;
  out.isByWarpgroups = true;
  out.tileRows = kBlockGroups * kGroupRows;
  out.grid.nest.lanes = 1;
  out.grid.sharedLoops.assign(program.body.loops.size(), false);
  out.grid.blockThreads = kBlockGroups * kGroupThreads;
  for (const unsigned columns : {128, 64}) {
    out.tileColumns = columns;
    const bool isShared = columns * out.paddedWidth() % (kChunkElements * out.grid.blockThreads) == 0 &&
                          columns * product.paddedDepth() % (kChunkElements * out.grid.blockThreads) == 0;
    if (!isShared || out.sumsOfThread() > kMostGroupSums || out.sharedBytes() > target.sharedBytes ||
        out.blocks() < kFewestGroupBlocks)
      continue;
    out.dynamicSharedBytes = out.sharedBytes();
    *this = std::move(out);
    return true;
  }
  return false;
}

int64_t AttentionMap::visitedTiles() const {
  int64_t out = 0;
  for (int64_t row = 0; row < rowCount; row += tileRows) {
    const auto [begin, end] = visible.range(row, std::min(row + tileRows, rowCount) - 1, columnCount);
    out += begin < end ? (end - 1) / tileColumns - begin / tileColumns + 1 : 1;  // a loop has a round at least
  }
  return out;
}

std::string AttentionMap::text() const {
  const char* what = isOverBatch    ? "summed scores of attention"
                     : !hasValues() ? "rows of attention"
                     : softmax      ? "attention"
                                    : "products of attention";
  return fmt::format("{} by tiles: {} {} by {} {}, {} blocks{}{}", what, tileRows, softmax ? "queries" : "rows",
                     tileColumns, softmax ? "keys" : "columns", blocks(),
                     visible.areKnown() ? fmt::format(", {} of {} tiles", visitedTiles(), tiles()) : "",
                     isByWarpgroups ? ", wgmma"
                     : tensor       ? ", tensor cores"
                                    : "");
}

Result<AttentionMap> AttentionMap::of(const LoopProgram& program, const ProgramAnalysis& analysis,
                                      const GridTarget& target) {
  std::optional<AttentionMap> out;
  Status refusal = failUnsupported("no attention by tiles");
  forAttentionMaps(program, analysis, target.isAmpere, [&](AttentionMap& map) {
    refusal =
        map.chooseWarpgroups(program, analysis, target) ? Status{} : map.chooseTiles(target, program.body.loops.size());
    if (refusal) out = std::move(map);
    return out.has_value();
  });
  if (!out) return std::unexpected(refusal.error());
  if (!out->isOverBatch) out->visible = ColumnLimits::of(program, analysis, *out);
  return *std::move(out);
}

}  // namespace tessera::codegen
