// Shape: element type, dimensions and, optionally, how the elements are in memory (Layout).
// Plain values with value equality; the IR holds interned ones. See "Shapes and layouts" in core/hlo/README.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/hlo/element_type.h"

namespace tessera {

// One tile, e.g. T(8,128): dims major to minor. kCombine ("*") merges the dimension with the next more minor one.
struct Tile {
  static constexpr int64_t kCombine = INT64_MIN;
  std::vector<int64_t> dims;
  bool operator==(const Tile&) const = default;
};

enum class DimLevelType : uint8_t { Dense, Compressed, Singleton, LooseCompressed };

struct DimLevel {
  DimLevelType type = DimLevelType::Dense;
  bool unique = true;   // "+" in text: not unique
  bool ordered = true;  // "~" in text: not ordered
  bool operator==(const DimLevel&) const = default;
};

struct SplitConfig {
  int64_t dimension = 0;
  std::vector<int64_t> splitIndices;
  bool operator==(const SplitConfig&) const = default;
};

struct Shape;

// Memory layout of one array. The defaults of the fields print as nothing.
struct Layout {
  // Not inline: they are long, and a hundred files need them.
  Layout();
  ~Layout();
  Layout(const Layout& other);
  Layout(Layout&& other) noexcept;
  Layout& operator=(const Layout& other);
  Layout& operator=(Layout&& other) noexcept;

  std::vector<int64_t> minorToMajor;
  std::vector<DimLevel> dimLevels;
  std::vector<Tile> tiles;
  int64_t tailPaddingAlignment = 1;  // elements
  ElementType indexType = ElementType::Invalid;
  ElementType pointerType = ElementType::Invalid;
  int64_t elementSizeInBits = 0;  // 0: the type's own width
  int64_t memorySpace = 0;
  std::vector<SplitConfig> splitConfigs;
  int64_t dynamicShapeMetadataPrefixBytes = 0;
  std::vector<int64_t> paddedDimensions;  // logical order; empty: none (the reference's padding)
  std::optional<double> paddingValue;
  bool operator==(const Layout&) const;

  // Row-major: minorToMajor = rank-1 … 0.
  static Layout rowMajor(int64_t rank);
  // Only an order of dimensions, nothing else set.
  bool isPlain() const;
  bool isRowMajor() const;  // plain and descending
};

struct Shape {
  // Size of an unbounded dynamic dimension ("?").
  static constexpr int64_t kUnbounded = INT64_MIN;

  // Not inline: they are long, and a hundred files need them.
  Shape();
  Shape(ElementType type, std::vector<int64_t> dimensions);
  ~Shape();
  Shape(const Shape& other);
  Shape(Shape&& other) noexcept;
  Shape& operator=(const Shape& other);
  Shape& operator=(Shape&& other) noexcept;

  ElementType type = ElementType::Invalid;
  std::vector<int64_t> dimensions;  // bounds of dynamic dimensions; kUnbounded for "?"
  std::vector<bool> dynamic;        // empty: all static; else parallel to dimensions
  std::vector<Shape> elements;      // tuple elements; for Buffer: the one array inside
  std::optional<Layout> layout;     // arrays only
  bool operator==(const Shape&) const;

  static Shape array(ElementType type, std::vector<int64_t> dimensions);          // without layout
  static Shape arrayRowMajor(ElementType type, std::vector<int64_t> dimensions);  // with default layout
  static Shape tuple(std::vector<Shape> elements);
  static Shape token() { return {ElementType::Token, {}}; }

  int64_t rank() const { return static_cast<int64_t>(dimensions.size()); }
  bool isArray() const { return isArrayElement(type); }
  bool isTuple() const { return type == ElementType::Tuple; }
  bool isToken() const { return type == ElementType::Token; }
  bool isScalar() const { return isArray() && dimensions.empty(); }
  bool isDynamicDimension(int64_t d) const { return !dynamic.empty() && dynamic[static_cast<size_t>(d)]; }
  bool hasDynamicDimensions() const;

  // Product of the dimensions; nullopt on overflow or unbounded dimensions. Arrays only.
  std::optional<int64_t> elementCount() const;
  // elementCount × byteWidth(type); for a tuple the sum of its leaves; nullopt on overflow.
  std::optional<int64_t> denseBytes() const;
};

// Equal but for layouts (and, in tuples, at every leaf).
bool sameIgnoringLayout(const Shape& a, const Shape& b);
// Equal but for layouts and dynamic flags.
bool compatible(const Shape& a, const Shape& b);
// A dimension of it, or of an array in it, is written "?".
bool isUnbounded(const Shape& shape);
// Gives every array leaf without a layout the default one.
void fillDefaultLayouts(Shape& shape);
// Shape without any layout.
Shape withoutLayout(Shape shape);

// Array leaves (tokens and opaques included) in depth-first order with their tuple index.
struct ShapeLeaf {
  std::vector<int64_t> index;
  const Shape* shape;
};
std::vector<ShapeLeaf> leavesOf(const Shape& shape);

// HLO text: "f32[2,3]{1,0:T(8,128)}". withLayout false leaves layouts out ("f32[2,3]").
// Tuples print "/*index=5*/" comments as XLA does.
std::string toString(const Shape& shape, bool withLayout = true);
std::string toString(const Layout& layout);

size_t hashValue(const Shape& shape);

}  // namespace tessera
