// See contraction.h: which tile a contraction runs on, and which way around.
#include "backends/cpu/library/contraction.h"

#include <algorithm>
#include <bit>

#include "core/base/tuning.h"

namespace tessera::cpu {

namespace {

using codegen::TileShape;

// Sums of small floats are kept in f32, of integers modulo the result's width.
ElementType sumTypeOf(ElementType result) {
  if (result == ElementType::Pred) return ElementType::S32;
  if (isInteger(result)) return info(result).bits <= 32 ? ElementType::S32 : ElementType::S64;
  return isFloat(result) && info(result).bits < 32 ? ElementType::F32 : result;
}

int64_t rounded(int64_t size, int64_t unit) { return (size + unit - 1) / unit * unit; }

// The register tile for rows × columns sums: as many sums as registers hold, with as little of it past the edges. Few
// columns take shorter vectors, so that panels are not mostly padding.
TileShape tileFor(ElementType sums, bool pairs, int64_t rows, int64_t columns, const codegen::Target& target) {
  TileShape tile;
  tile.type = sums;
  tile.pairs = pairs;
  tile.fused = target.fusedMultiplyAdd;
  constexpr int64_t kFewestLanes = 4;
  const auto lanes = static_cast<int64_t>(target.vectorBytes) / tile.partBytes();
  tile.lanes = static_cast<unsigned>(
      std::min(lanes, std::max(kFewestLanes, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(columns))))));
  bool wide = target.vectorBytes == 64;
  int64_t mostRows = (wide ? 8 : 4) / tile.parts();
  unsigned mostVectors = wide && tile.parts() == 1 ? 3 : 2;
  tile.rows = static_cast<unsigned>(std::clamp<int64_t>(rows, 1, mostRows));
  tile.vectors = 1;
  double best = 0;
  for (unsigned v = 1; v <= mostVectors; ++v) {
    // A step loads v vectors and `rows` scalars for v · rows products.
    double perProduct = 1.0 + 0.5 / v + 0.5 / tile.rows;
    double cost = static_cast<double>(rounded(columns, static_cast<int64_t>(v) * tile.lanes)) * perProduct;
    if (v == 1 || cost < best) {
      best = cost;
      tile.vectors = v;
    }
  }
  return tile;
}

double paddedSums(const TileShape& tile, int64_t rows, int64_t columns) {
  return static_cast<double>(rounded(rows, tile.rows)) * static_cast<double>(rounded(columns, tile.columns()));
}

void swapSides(Contraction& c) {
  std::swap(c.lhs, c.rhs);
  std::swap(c.lhsSlot, c.rhsSlot);
  std::swap(c.outRows, c.outColumns);
}

}  // namespace

Result<StepPtr> planContraction(LibraryContext& context, Contraction contraction) {
  ElementType sums = sumTypeOf(contraction.resultType);
  if (contraction.resultType == ElementType::F8E8M0FNU || contraction.lhs.windows.size() > kMaxSpatial)
    return StepPtr{};
  if (!PanelPacker::converts(contraction.lhs.type, sums) || !PanelPacker::converts(contraction.rhs.type, sums))
    return StepPtr{};
  const codegen::Target& target = context.kernels.target();
  int64_t rows = contraction.lhs.outerSize(), columns = contraction.rhs.outerSize();
  const bool pairs = sums == ElementType::S32 && PanelPacker::fitsPairs(contraction.lhs.type) &&
                     PanelPacker::fitsPairs(contraction.rhs.type);
  TileShape tile = tileFor(sums, pairs, rows, columns, target), swapped = tileFor(sums, pairs, columns, rows, target);
  if (paddedSums(swapped, columns, rows) * tuning().products.swappedSums < paddedSums(tile, rows, columns)) {
    swapSides(contraction);
    tile = swapped;
  }
  auto step = std::make_unique<ContractionStep>(contraction, tile);
  auto bytes = step->packedBytes(context.threads);
  if (!bytes) return StepPtr{};
  TESSERA_ASSIGN_OR_RETURN(step->packed, context.scratch(*bytes));
  step->kernelIndex = static_cast<int>(context.kernels.addTile(tile));
  return step;
}

}  // namespace tessera::cpu
