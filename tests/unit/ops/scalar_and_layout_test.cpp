// Numbers of small types, and the index maths against a definition that is written here on its own: the positions of
// all elements are found by laying the array out step by step as nested lists of cells.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "core/hlo/memory_map.h"
#include "core/hlo/numbers.h"

namespace tessera {
namespace {

using E = ElementType;

TEST(Numbers, EveryCodeOfSmallFloatsComesBack) {
  for (E type : {E::F16, E::BF16, E::F8E5M2, E::F8E4M3, E::F8E4M3FN, E::F8E4M3B11FNUZ, E::F8E3M4, E::F8E5M2FNUZ,
                 E::F8E4M3FNUZ, E::F8E8M0FNU, E::F6E3M2FN, E::F6E2M3FN, E::F4E2M1FN}) {
    for (uint32_t code = 0; code < (1u << info(type).bits); ++code) {
      const double value = smallFloatToDouble(type, code);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(smallFloatToDouble(type, doubleToSmallFloat(type, value))));
      else
        EXPECT_EQ(doubleToSmallFloat(type, value), code) << nameOf(type) << " " << value;
    }
  }
}

TEST(Numbers, RoundsToNearestEvenBetweenNeighbours) {
  for (E type : {E::F16, E::BF16, E::F8E5M2, E::F8E4M3FN, E::F8E4M3FNUZ, E::F6E2M3FN, E::F4E2M1FN}) {
    const uint32_t positive = 1u << (info(type).bits - 1);
    for (uint32_t code = 0; code + 1 < positive; ++code) {
      const double low = smallFloatToDouble(type, code), high = smallFloatToDouble(type, code + 1);
      if (!std::isfinite(low) || !std::isfinite(high)) break;
      const double middle = low + (high - low) / 2;
      EXPECT_EQ(doubleToSmallFloat(type, middle), code % 2 ? code + 1 : code) << nameOf(type) << " " << middle;
      EXPECT_EQ(doubleToSmallFloat(type, std::nextafter(middle, high)), code + 1);
      EXPECT_EQ(doubleToSmallFloat(type, std::nextafter(middle, low)), code);
    }
  }
}

TEST(Numbers, OverflowFollowsTheType) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(smallFloatToDouble(E::F8E5M2, doubleToSmallFloat(E::F8E5M2, 1e9)), infinity);
  EXPECT_TRUE(std::isnan(smallFloatToDouble(E::F8E4M3FN, doubleToSmallFloat(E::F8E4M3FN, 1e9))));
  EXPECT_TRUE(std::isnan(smallFloatToDouble(E::F8E4M3FNUZ, doubleToSmallFloat(E::F8E4M3FNUZ, -infinity))));
  EXPECT_EQ(smallFloatToDouble(E::F4E2M1FN, doubleToSmallFloat(E::F4E2M1FN, -100)), -6);
  EXPECT_EQ(smallFloatToDouble(E::F16, doubleToSmallFloat(E::F16, 65519)), 65504);
  EXPECT_EQ(smallFloatToDouble(E::F16, doubleToSmallFloat(E::F16, 65520)), infinity);
}

TEST(Numbers, FloatsToIntegersSaturateAndIntegersWrap) {
  int8_t byte = 0;
  storeDouble(E::S8, &byte, 300);
  EXPECT_EQ(byte, 127);
  storeDouble(E::S8, &byte, std::nan(""));
  EXPECT_EQ(byte, 0);
  storeInt(E::S8, &byte, 300);
  EXPECT_EQ(byte, 44);
  storeInt(E::S4, &byte, 9);
  EXPECT_EQ(loadInt(E::S4, &byte), -7);
  uint64_t wide = 0;
  storeDouble(E::U64, &wide, 1e30);
  EXPECT_EQ(wide, ~uint64_t{0});
  storeDouble(E::U64, &wide, -1);
  EXPECT_EQ(wide, 0u);
}

// --- the independent definition. A cell is an element's index or a hole; blocks nest.
using Cells = std::vector<std::vector<int64_t>>;  // empty vector: padding

// Cells of a dense array of `dims` (major to minor): `get(index)` names the cell.
template <class Get>
Cells listed(const std::vector<int64_t>& dims, const Get& get) {
  Cells out;
  std::vector<int64_t> index(dims.size(), 0);
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (size_t d = dims.size(); d-- > 0; rest /= dims[d]) index[d] = rest % dims[d];
    out.push_back(get(index));
  }
  return out;
}

struct Array {
  std::vector<int64_t> dims;
  Cells cells;
  std::vector<int64_t> at(const std::vector<int64_t>& index) const {
    int64_t linear = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (index[d] >= dims[d]) return {};
      linear = linear * dims[d] + index[d];
    }
    return cells[static_cast<size_t>(linear)];
  }
};

Array tiled(const Array& in, const std::vector<int64_t>& tile) {
  const size_t first = in.dims.size() - tile.size();
  Array out;
  out.dims = in.dims;
  for (size_t i = 0; i < tile.size(); ++i) out.dims[first + i] = (in.dims[first + i] + tile[i] - 1) / tile[i];
  out.dims.insert(out.dims.end(), tile.begin(), tile.end());
  out.cells = listed(out.dims, [&](const std::vector<int64_t>& index) {
    std::vector<int64_t> from(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(in.dims.size()));
    for (size_t i = 0; i < tile.size(); ++i) from[first + i] = from[first + i] * tile[i] + index[in.dims.size() + i];
    return in.at(from);
  });
  return out;
}

Cells definition(const Shape& shape) {
  const Layout& layout = *shape.layout;
  const auto padded = layout.paddedDimensions.empty() ? shape.dimensions : layout.paddedDimensions;
  std::vector<int64_t> order(layout.minorToMajor.rbegin(), layout.minorToMajor.rend());
  Array array;
  for (int64_t d : order) array.dims.push_back(padded[static_cast<size_t>(d)]);
  array.cells = listed(array.dims, [&](const std::vector<int64_t>& physical) -> std::vector<int64_t> {
    std::vector<int64_t> logical(physical.size());
    for (size_t i = 0; i < physical.size(); ++i) {
      const auto d = static_cast<size_t>(order[i]);
      if (physical[i] >= shape.dimensions[d]) return {};
      logical[d] = physical[i];
    }
    return logical;
  });
  for (const Tile& tile : layout.tiles) array = tiled(array, tile.dims);
  return array.cells;
}

void expectSame(const Shape& shape) {
  const auto map = MemoryMap::of(shape);
  ASSERT_TRUE(map) << map.error().message;
  const Cells cells = definition(shape);
  ASSERT_EQ(map->positions(), static_cast<int64_t>(cells.size())) << toString(shape);
  for (size_t i = 0; i < cells.size(); ++i) {
    const auto index = map->index(static_cast<int64_t>(i));
    ASSERT_EQ(index.has_value(), !cells[i].empty()) << toString(shape) << " at " << i;
    if (!index) continue;
    ASSERT_EQ(*index, cells[i]) << toString(shape) << " at " << i;
    ASSERT_EQ(map->linearIndex(*index), static_cast<int64_t>(i)) << toString(shape);
  }
}

TEST(IndexMath, ThousandsOfRandomShapes) {
  std::mt19937 random(7);
  const auto upTo = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  for (int round = 0; round < 4000; ++round) {
    const int64_t rank = 1 + upTo(4);
    Shape shape = Shape::array(E::F32, {});
    Layout layout = Layout::rowMajor(rank);
    for (int64_t d = 0; d < rank; ++d) shape.dimensions.push_back(1 + upTo(5));
    std::shuffle(layout.minorToMajor.begin(), layout.minorToMajor.end(), random);
    if (upTo(3) == 0)
      for (int64_t d : shape.dimensions) layout.paddedDimensions.push_back(d + upTo(3));
    int64_t cut = rank;
    for (int64_t tiles = upTo(3); tiles > 0; --tiles) {
      Tile tile;
      cut = 1 + upTo(cut);
      for (int64_t i = 0; i < cut; ++i) tile.dims.push_back(1 + upTo(4));
      layout.tiles.push_back(tile);
    }
    shape.layout = layout;
    expectSame(shape);
    if (HasFatalFailure()) return;
  }
}

TEST(IndexMath, TheReferencesExample) {  // 2x3 in 3x5: a d 0 b e 0 c f 0 0 0 0 0 0 0
  Shape shape = Shape::array(E::F32, {2, 3});
  shape.layout = Layout{};
  shape.layout->minorToMajor = {0, 1};
  shape.layout->paddedDimensions = {3, 5};
  const auto map = MemoryMap::of(shape);
  ASSERT_TRUE(map);
  std::string text;
  for (int64_t i = 0; i < map->positions(); ++i) {
    const auto index = map->index(i);
    text += index ? "abcdef"[(*index)[0] * 3 + (*index)[1]] : '0';
  }
  EXPECT_EQ(text, "ad0be0cf0000000");
  EXPECT_EQ(map->wasteBytes(), 9 * 4);
}

TEST(IndexMath, BytesOfTiledBfloat16AndPackedInt4) {
  Shape shape = Shape::array(E::BF16, {3, 130});
  shape.layout = Layout::rowMajor(2);
  shape.layout->tiles = {Tile{{8, 128}}, Tile{{2, 1}}};
  const auto map = MemoryMap::of(shape);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->positions(), 8 * 256);
  EXPECT_EQ(map->linearIndex(std::vector<int64_t>{1, 0}), 1);
  EXPECT_EQ(map->linearIndex(std::vector<int64_t>{0, 1}), 2);
  EXPECT_EQ(map->linearIndex(std::vector<int64_t>{2, 0}), 256);
  EXPECT_EQ(map->linearIndex(std::vector<int64_t>{0, 128}), 1024);
  Shape packed = Shape::arrayRowMajor(E::S4, {5});
  packed.layout->elementSizeInBits = 4;
  EXPECT_EQ(MemoryMap::of(packed)->bytes(), 3);
  EXPECT_EQ(MemoryMap::of(packed)->byteOffset(3), 1);
}

TEST(IndexMath, CombinedDimensions) {  // T(*,4) of 3x5: 15 elements in tiles of 4
  Shape shape = Shape::arrayRowMajor(E::F32, {3, 5});
  shape.layout->tiles = {Tile{{Tile::kCombine, 4}}};
  const auto map = MemoryMap::of(shape);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->positions(), 16);
  EXPECT_EQ(map->linearIndex(std::vector<int64_t>{2, 4}), 14);
  EXPECT_FALSE(map->index(15));
}

TEST(IndexMath, LaterTilesCutTheWholeShapeSoFar) {  // bf16[300]{0:T(1024)(128)(2,1)}: pairs of rows of 128
  Shape shape = Shape::arrayRowMajor(E::BF16, {300});
  shape.layout->tiles = {Tile{{1024}}, Tile{{128}}, Tile{{2, 1}}};
  expectSame(shape);
  const auto map = MemoryMap::of(shape);
  EXPECT_EQ(map->positions(), 1024);
  EXPECT_EQ(map->linearIndex(std::vector<int64_t>{128}), 1);
  EXPECT_EQ(map->linearIndex(std::vector<int64_t>{1}), 2);
}

TEST(IndexMath, ATileOfMoreDimensionsThanTheShape) {  // f32[]{:T(128)}, f32[5]{0:T(2,4)}
  Shape scalar = Shape::arrayRowMajor(E::F32, {});
  scalar.layout->tiles = {Tile{{128}}};
  const auto map = MemoryMap::of(scalar);
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_EQ(map->bytes(), 512);
  EXPECT_EQ(map->wasteBytes(), 508);
  EXPECT_EQ(map->linearIndex({}), 0);
  EXPECT_TRUE(map->index(0));
  EXPECT_FALSE(map->index(1));
  Shape row = Shape::arrayRowMajor(E::F32, {5});
  row.layout->tiles = {Tile{{2, 4}}};
  const auto rows = MemoryMap::of(row);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->positions(), 16);
  EXPECT_EQ(rows->linearIndex(std::vector<int64_t>{4}), 8);
  EXPECT_FALSE(rows->index(4));
}

TEST(IndexMath, SizesUpToTheLastAddressableByte) {
  const Shape bytes = Shape::arrayRowMajor(E::S8, {int64_t{1} << 62});
  const auto map = MemoryMap::of(bytes);
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_EQ(map->bytes(), int64_t{1} << 62);
  EXPECT_EQ(map->byteOffset((int64_t{1} << 62) - 1), (int64_t{1} << 62) - 1);
  EXPECT_FALSE(MemoryMap::of(Shape::arrayRowMajor(E::F64, {int64_t{1} << 61})));
}

TEST(IndexMath, RefusesWhatHasNoSize) {
  EXPECT_FALSE(MemoryMap::of(Shape::array(E::F32, {int64_t{1} << 62, 8})));
  EXPECT_FALSE(MemoryMap::of(Shape::array(E::F32, {Shape::kUnbounded})));
  EXPECT_FALSE(MemoryMap::of(Shape::token()));
}

}  // namespace
}  // namespace tessera
