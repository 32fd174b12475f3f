// See physical.h. Without combined dimensions in its tiles a position is a sum of one number a dimension (each step of
// index_math cuts single dimensions into digits), so that tables replace the walk through the tiles.
#include "core/hlo/physical.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/hlo/memory_map.h"
#include "core/hlo/numbers.h"

namespace tessera {
namespace {

constexpr int64_t kBitsPerByte = 8;

bool separable(const Shape& shape) {
  if (!shape.layout) return true;
  return std::ranges::none_of(shape.layout->tiles,
                              [](const Tile& tile) { return std::ranges::count(tile.dims, Tile::kCombine) > 0; });
}

// Positions of all elements in row-major logical order, one after the other.
class Positions {
 public:
  Positions(const MemoryMap& map, const Shape& shape) : map_(map), dims_(shape.dimensions), index_(dims_.size(), 0) {
    if (std::ranges::count(dims_, 0) > 0) return;  // there is nothing to place
    if (!shape.layout || shape.layout->tiles.empty())
      makeStrides();
    else if (separable(shape))
      makeTables();
  }

  int64_t current() const {
    int64_t sum = 0;
    for (size_t d = 0; d < strides_.size(); ++d) sum += strides_[d] * index_[d];
    if (!strides_.empty()) return sum;
    if (tables_.empty()) return map_.linearIndex(index_);
    for (size_t d = 0; d < dims_.size(); ++d) sum += tables_[d][static_cast<size_t>(index_[d])];
    return sum;
  }
  void next() {
    for (size_t d = dims_.size(); d-- > 0;) {
      if (++index_[d] < dims_[d]) return;
      index_[d] = 0;
    }
  }

 private:
  // Without tiles a step along a dimension is always the same way in memory.
  void makeStrides() {
    std::vector<int64_t> at(dims_.size(), 0);
    for (size_t d = 0; d < dims_.size(); ++d) {
      at[d] = dims_[d] > 1 ? 1 : 0;
      strides_.push_back(map_.linearIndex(at));
      at[d] = 0;
    }
  }
  void makeTables() {
    std::vector<int64_t> at(dims_.size(), 0);
    for (size_t d = 0; d < dims_.size(); ++d) {
      auto& table = tables_.emplace_back();
      table.reserve(static_cast<size_t>(dims_[d]));
      for (at[d] = 0; at[d] < dims_[d]; ++at[d]) table.push_back(map_.linearIndex(at));
      at[d] = 0;
    }
  }

  const MemoryMap& map_;
  const std::vector<int64_t>& dims_;
  std::vector<int64_t> index_;
  std::vector<int64_t> strides_;              // by dimension; empty: there are tiles
  std::vector<std::vector<int64_t>> tables_;  // by dimension; both empty: ask the map
};

// Bits of an element in memory: whole bytes as wide as a literal's, or a part of a byte.
Result<int64_t> elementBits(const Shape& shape) {
  const int64_t own = kBitsPerByte * byteWidth(shape.type);
  const int64_t wanted = shape.layout ? shape.layout->elementSizeInBits : 0;
  if (wanted == 0 || wanted == own) return own;
  const bool part = wanted < kBitsPerByte && kBitsPerByte % wanted == 0 && wanted >= info(shape.type).bits;
  if (part) return wanted;
  return fail("elements of " + std::to_string(wanted) + " bits hold no " + std::string(info(shape.type).name));
}

// Writes and reads elements at positions; parts of bytes go from the low bits up.
class Cells {
 public:
  Cells(const MemoryMap& map, int64_t bits) : map_(map), bits_(bits) {}
  void store(std::byte* buffer, int64_t position, const std::byte* element) const {
    std::byte* at = buffer + map_.byteOffset(position);
    if (bits_ >= kBitsPerByte) {
      std::memcpy(at, element, static_cast<size_t>(bits_ / kBitsPerByte));
      return;
    }
    const int shift = static_cast<int>(position * bits_ % kBitsPerByte);
    const auto mask = static_cast<std::byte>(((1 << bits_) - 1) << shift);
    *at = (*at & ~mask) | ((*element << shift) & mask);
  }
  void load(const std::byte* buffer, int64_t position, std::byte* element, bool extends) const {
    const std::byte* at = buffer + map_.byteOffset(position);
    if (bits_ >= kBitsPerByte) {
      std::memcpy(element, at, static_cast<size_t>(bits_ / kBitsPerByte));
      return;
    }
    const int shift = static_cast<int>(position * bits_ % kBitsPerByte);
    int value = (std::to_integer<int>(*at) >> shift) & ((1 << bits_) - 1);
    if (extends && (value >> (bits_ - 1))) value -= 1 << bits_;
    *element = static_cast<std::byte>(value);
  }

 private:
  const MemoryMap& map_;
  int64_t bits_;
};

Status checkMemory(const MemoryMap& map) {
  if (map.bytes() <= (int64_t{1} << 40)) return {};
  return fail(ErrorKind::Runtime, "a buffer of " + std::to_string(map.bytes()) + " bytes does not fit into memory");
}

// One element with the layout's padding value, or nothing when that is zero bytes.
Result<std::vector<std::byte>> paddingElement(const Shape& shape) {
  const auto value = shape.layout ? shape.layout->paddingValue : std::nullopt;
  if (!value) return std::vector<std::byte>();
  TESSERA_ASSIGN_OR_RETURN(Literal element, Literal::allocate(Shape::arrayRowMajor(shape.type, {})));
  storeDouble(shape.type, element.mutableBytes().data(), *value);
  std::vector<std::byte> out(element.bytes().begin(), element.bytes().end());
  if (std::ranges::all_of(out, [](std::byte b) { return b == std::byte(0); })) out.clear();
  return out;
}

}  // namespace

Result<std::vector<std::byte>> packLiteral(const Literal& value, const Shape& shape) {
  if (!compatible(value.shape(), shape))
    return fail(toString(value.shape(), false) + " cannot be laid out as " + toString(shape));
  TESSERA_ASSIGN_OR_RETURN(const MemoryMap map, MemoryMap::of(shape));
  TESSERA_ASSIGN_OR_RETURN(const int64_t bits, elementBits(shape));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<std::byte> padding, paddingElement(shape));
  TESSERA_TRY(checkMemory(map));
  std::vector<std::byte> out(static_cast<size_t>(map.bytes()));
  const Cells cells(map, bits);
  if (!padding.empty())
    for (int64_t i = 0; i < map.positions(); ++i) cells.store(out.data(), i, padding.data());
  const auto width = static_cast<size_t>(byteWidth(shape.type));
  Positions positions(map, shape);
  for (size_t i = 0; i < value.bytes().size(); i += width, positions.next())
    cells.store(out.data(), positions.current(), value.bytes().data() + i);
  return out;
}

Result<Literal> unpackLiteral(std::span<const std::byte> buffer, const Shape& shape) {
  TESSERA_ASSIGN_OR_RETURN(const MemoryMap map, MemoryMap::of(shape));
  TESSERA_ASSIGN_OR_RETURN(const int64_t bits, elementBits(shape));
  if (static_cast<int64_t>(buffer.size()) != map.bytes()) {
    return fail({.message = "the buffer of " + toString(shape) + " has another size",
                 .expected = std::to_string(map.bytes()) + " bytes",
                 .found = std::to_string(buffer.size())});
  }
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(shape));
  const auto width = static_cast<size_t>(byteWidth(shape.type));
  const bool extends = isSigned(shape.type);
  const Cells cells(map, bits);
  Positions positions(map, shape);
  const std::span<std::byte> bytes = out.mutableBytes();
  for (size_t i = 0; i < bytes.size(); i += width, positions.next())
    cells.load(buffer.data(), positions.current(), bytes.data() + i, extends);
  return out;
}

}  // namespace tessera
