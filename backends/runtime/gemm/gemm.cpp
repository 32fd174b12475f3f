// See gemm.h. For each block of the right side, small enough for the second cache, all rows; within it tile by tile,
// the left side read where it lies. Where several tiles of rows read the block, its first ones leave it packed.
#include "backends/runtime/gemm/gemm.h"

#include <algorithm>

#include "core/base/tuning.h"

namespace tessera::cpu {

namespace {

template <class Real>
constexpr int64_t kBlockSteps = 2048 / sizeof(Real);
constexpr int64_t kBlockColumns = 32, kWideColumns = 128;  // of a packed block: 64 KiB, on the stack, or 256 KiB

constexpr int64_t pieces(int64_t size, int64_t each) { return (size + each - 1) / each; }
constexpr int64_t rounded(int64_t size, int64_t unit) { return pieces(size, unit) * unit; }

// Few sums along neighbours on both sides: nothing is worth packing.
template <class Real>
bool areDots(const Gemm<Real>& p, const GemmTiles<Real>& tiles) {
  const bool along = !p.leftView.transposed && (p.rightView.transposed || (p.n == 1 && p.rightView.ld == 1));
  const int64_t few = std::min(p.m, p.n);
  return along && few <= tiles.rows && (few <= tuning().products.fewDots || p.k >= tuning().products.longDots);
}

template <class Real>
bool isSmall(int64_t n, int64_t k) {
  return n * k <= tuning().products.directBytes / static_cast<int64_t>(sizeof(Real));
}

template <class Real>
class Product {
 public:
  // block: of kBlockSteps × blockColumns.
  Product(const Gemm<Real>& product, const GemmTiles<Real>& tiles, Real* block, int64_t blockColumns)
      : p_(product),
        tiles_(tiles),
        packed_(block),
        rowTiles_(pieces(product.m, tiles.rows)),
        isTransposed_(product.rightView.column() != 1),
        packs_(isTransposed_ || (rowTiles_ > 1 && !isSmall<Real>(product.n, product.k))),
        blockColumns_(packs_ ? blockColumns : kWideColumns) {}

  void run() const {
    const int64_t blocks = pieces(p_.k, kBlockSteps<Real>);
    for (int64_t b = 0; b < blocks; ++b)
      for (int64_t column = 0; column < p_.n; column += blockColumns_)
        runBlock({p_.k * b / blocks, p_.k * (b + 1) / blocks, column, std::min(column + blockColumns_, p_.n)});
  }

 private:
  struct Block {
    int64_t step, stepEnd, column, columnEnd;
    int64_t steps() const { return stepEnd - step; }
  };

  void runBlock(const Block& block) const {
    if (isTransposed_) transpose(block);
    for (int64_t i = 0; i < rowTiles_; ++i) runRow(block, p_.m * i / rowTiles_, p_.m * (i + 1) / rowTiles_);
  }

  const Real* rightAt(int64_t step, int64_t column) const {
    return p_.right + step * p_.rightView.row() + column * p_.rightView.column();
  }
  // Columns of whole vectors that the tile at `column` covers: more of them where the rows are few.
  int64_t width(const Block& block, int64_t column) const {
    const int64_t most = isTransposed_ ? 0 : tiles_.mostVectors(rowTiles_ == 1 ? p_.m : tiles_.rows) * tiles_.lanes;
    if (most > tiles_.columns() && most <= block.columnEnd - column) return most;
    return std::min(tiles_.columns(), rounded(block.columnEnd - column, tiles_.lanes));
  }

  void transpose(const Block& block) const {
    Real* to = packed_;
    for (int64_t column = block.column; column < block.columnEnd; column += tiles_.columns()) {
      const int64_t columns = width(block, column);
      for (int64_t j = 0; j < columns; j += tiles_.lanes)
        tiles_.transpose(rightAt(block.step, column + j), p_.rightView.column(),
                         std::min(tiles_.lanes, block.columnEnd - column - j), block.steps(), to + j, columns);
      to += block.steps() * columns;
    }
  }

  // All tiles of the block in rows [begin, end).
  void runRow(const Block& block, int64_t begin, int64_t end) const {
    const bool readsPacked = isTransposed_ || (packs_ && begin > 0);
    GemmTile<Real> tile;
    tile.left = p_.left + begin * p_.leftView.row() + block.step * p_.leftView.column();
    tile.leftRow = p_.leftView.row();
    tile.leftStep = p_.leftView.column();
    tile.outRow = p_.outRow;
    tile.steps = block.steps();
    tile.adds = block.step > 0;
    Real* packed = packed_;
    for (int64_t column = block.column, columns; column < block.columnEnd; column += columns) {
      columns = width(block, column);
      tile.right = readsPacked ? packed : rightAt(block.step, column);
      tile.rightStep = readsPacked ? columns : p_.rightView.row();
      tile.packed = packs_ && !readsPacked ? packed : nullptr;
      tile.out = p_.out + begin * p_.outRow + column;
      tile.lastColumns = std::min(tiles_.lanes, block.columnEnd - column - (columns - tiles_.lanes));
      tiles_.run(tile, end - begin, columns / tiles_.lanes);
      packed += block.steps() * columns;
    }
  }

  Gemm<Real> p_;
  const GemmTiles<Real>& tiles_;
  Real* packed_;
  int64_t rowTiles_;
  bool isTransposed_, packs_;
  int64_t blockColumns_;
};

}  // namespace

template <class Real>
int64_t gemmScratch(int64_t n, int64_t k) {
  const int64_t wide = tuning().products.wideBytes / static_cast<int64_t>(sizeof(Real));
  return n * k > wide ? kBlockSteps<Real> * kWideColumns : 0;
}

template <class Real>
void gemm(const Gemm<Real>& product, GemmVectors vectors, Real* scratch) {
  const GemmTiles<Real>& tiles = gemmTiles<Real>(vectors);
  const Gemm<Real>& p = product;
  if (areDots(p, tiles))
    return tiles.dots({p.left, p.leftView.ld, p.right, p.rightView.ld, p.out, p.outRow, p.k}, p.m, p.n);
  alignas(64) Real block[kBlockSteps<Real> * kBlockColumns];
  Real* const packed = scratch ? scratch : block;
  const int64_t columns = scratch ? kWideColumns : kBlockColumns;
  if (p.n == 1 && p.leftView.transposed && p.outRow == 1)  // a row of sums, the other way around
    return Product<Real>({1, p.m, p.k, p.right, p.left, {true, p.rightView.row()}, {false, p.leftView.ld}, p.out, p.m},
                         tiles, packed, columns)
        .run();
  Product<Real>(p, tiles, packed, columns).run();
}

template int64_t gemmScratch<float>(int64_t, int64_t);
template int64_t gemmScratch<double>(int64_t, int64_t);
template void gemm(const Gemm<float>&, GemmVectors, float*);
template void gemm(const Gemm<double>&, GemmVectors, double*);

}  // namespace tessera::cpu
