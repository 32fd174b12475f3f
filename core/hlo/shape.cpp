// Shapes: construction, comparison, sizes and their HLO text.
#include "core/hlo/shape.h"

#include <algorithm>
#include <functional>

#include "core/base/checked_math.h"

namespace tessera {
namespace {

void appendInts(std::string& out, const std::vector<int64_t>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (i) out += ',';
    out += std::to_string(values[i]);
  }
}

void appendTile(std::string& out, const Tile& tile) {
  out += '(';
  for (size_t i = 0; i < tile.dims.size(); ++i) {
    if (i) out += ',';
    out += tile.dims[i] == Tile::kCombine ? "*" : std::to_string(tile.dims[i]);
  }
  out += ')';
}

char letterOf(DimLevelType type) {
  switch (type) {
    case DimLevelType::Dense: return 'D';
    case DimLevelType::Compressed: return 'C';
    case DimLevelType::Singleton: return 'S';
    case DimLevelType::LooseCompressed: return 'H';
  }
  return 'D';
}

void appendDimLevels(std::string& out, const std::vector<DimLevel>& levels) {
  out += "D(";
  for (size_t i = 0; i < levels.size(); ++i) {
    if (i) out += ',';
    out += letterOf(levels[i].type);
    if (!levels[i].unique) out += '+';
    if (!levels[i].ordered) out += '~';
  }
  out += ')';
}

void appendSplitConfigs(std::string& out, const std::vector<SplitConfig>& configs) {
  out += "SC";
  for (const SplitConfig& config : configs) {
    out += '(' + std::to_string(config.dimension) + ':';
    appendInts(out, config.splitIndices);
    out += ')';
  }
}

// What follows the colon, in the fixed order of the format.
std::string layoutTail(const Layout& layout) {
  std::string out;
  if (!layout.dimLevels.empty()) appendDimLevels(out, layout.dimLevels);
  if (!layout.tiles.empty()) out += 'T';
  for (const Tile& tile : layout.tiles) appendTile(out, tile);
  if (layout.tailPaddingAlignment != 1) out += "L(" + std::to_string(layout.tailPaddingAlignment) + ')';
  if (layout.indexType != ElementType::Invalid) out += "#(" + std::string(nameOf(layout.indexType)) + ')';
  if (layout.pointerType != ElementType::Invalid) out += "*(" + std::string(nameOf(layout.pointerType)) + ')';
  if (layout.elementSizeInBits != 0) out += "E(" + std::to_string(layout.elementSizeInBits) + ')';
  if (layout.memorySpace != 0) out += "S(" + std::to_string(layout.memorySpace) + ')';
  if (!layout.splitConfigs.empty()) appendSplitConfigs(out, layout.splitConfigs);
  if (layout.dynamicShapeMetadataPrefixBytes != 0)
    out += "M(" + std::to_string(layout.dynamicShapeMetadataPrefixBytes) + ')';
  return out;
}

void appendShape(std::string& out, const Shape& shape, bool withLayout);

void appendTuple(std::string& out, const Shape& shape, bool withLayout) {
  out += '(';
  for (size_t i = 0; i < shape.elements.size(); ++i) {
    if (i) out += ", ";
    if (i && i % 5 == 0) out += "/*index=" + std::to_string(i) + "*/";
    appendShape(out, shape.elements[i], withLayout);
  }
  out += ')';
}

void appendDimensions(std::string& out, const Shape& shape) {
  out += '[';
  for (size_t i = 0; i < shape.dimensions.size(); ++i) {
    if (i) out += ',';
    if (shape.dimensions[i] == Shape::kUnbounded) {
      out += '?';
      continue;
    }
    if (shape.isDynamicDimension(static_cast<int64_t>(i))) out += "<=";
    out += std::to_string(shape.dimensions[i]);
  }
  out += ']';
}

void appendShape(std::string& out, const Shape& shape, bool withLayout) {
  if (shape.isTuple()) return appendTuple(out, shape, withLayout);
  if (shape.type == ElementType::Buffer && !shape.elements.empty()) {
    out += "b(";
    appendShape(out, shape.elements[0], withLayout);
    out += ')';
    return;
  }
  out += nameOf(shape.type);
  appendDimensions(out, shape);
  if (!withLayout || !shape.layout || (shape.rank() == 0 && shape.layout->isPlain())) return;
  const std::string layout = toString(*shape.layout);
  if (layout != "{}") out += layout;  // of a scalar whose padding is said elsewhere
}

void visitLeaves(const Shape& shape, std::vector<int64_t>& index, std::vector<ShapeLeaf>& out) {
  if (!shape.isTuple()) {
    out.push_back({index, &shape});
    return;
  }
  for (size_t i = 0; i < shape.elements.size(); ++i) {
    index.push_back(static_cast<int64_t>(i));
    visitLeaves(shape.elements[i], index, out);
    index.pop_back();
  }
}

bool sameStructure(const Shape& a, const Shape& b, bool withDynamic) {
  if (a.type != b.type || a.elements.size() != b.elements.size() || a.dimensions != b.dimensions) return false;
  if (withDynamic)
    for (int64_t d = 0; d < a.rank(); ++d)
      if (a.isDynamicDimension(d) != b.isDynamicDimension(d)) return false;
  return std::ranges::equal(a.elements, b.elements,
                            [&](const Shape& x, const Shape& y) { return sameStructure(x, y, withDynamic); });
}

void mix(size_t& seed, size_t value) { seed ^= value + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2); }

}  // namespace

Layout::Layout() = default;
Layout::~Layout() = default;
Layout::Layout(const Layout& other) = default;
Layout::Layout(Layout&& other) noexcept = default;
Layout& Layout::operator=(const Layout& other) = default;
Layout& Layout::operator=(Layout&& other) noexcept = default;
bool Layout::operator==(const Layout&) const = default;

Shape::Shape() = default;
Shape::~Shape() = default;
Shape::Shape(const Shape& other) = default;
Shape::Shape(Shape&& other) noexcept = default;
Shape& Shape::operator=(const Shape& other) = default;
Shape& Shape::operator=(Shape&& other) noexcept = default;
Shape::Shape(ElementType elementType, std::vector<int64_t> sizes) : type(elementType), dimensions(std::move(sizes)) {}
bool Shape::operator==(const Shape&) const = default;

Layout Layout::rowMajor(int64_t rank) {
  Layout out;
  for (int64_t d = rank - 1; d >= 0; --d) out.minorToMajor.push_back(d);
  return out;
}

bool Layout::isPlain() const {
  return dimLevels.empty() && tiles.empty() && tailPaddingAlignment == 1 && indexType == ElementType::Invalid &&
         pointerType == ElementType::Invalid && elementSizeInBits == 0 && memorySpace == 0 && splitConfigs.empty() &&
         dynamicShapeMetadataPrefixBytes == 0 && paddedDimensions.empty() && !paddingValue;
}

bool Layout::isRowMajor() const { return isPlain() && *this == rowMajor(static_cast<int64_t>(minorToMajor.size())); }

Shape Shape::array(ElementType type, std::vector<int64_t> dimensions) { return {type, std::move(dimensions)}; }

Shape Shape::arrayRowMajor(ElementType type, std::vector<int64_t> dimensions) {
  Shape out = array(type, std::move(dimensions));
  out.layout = Layout::rowMajor(out.rank());
  return out;
}

Shape Shape::tuple(std::vector<Shape> elements) {
  Shape out(ElementType::Tuple, {});
  out.elements = std::move(elements);
  return out;
}

bool Shape::hasDynamicDimensions() const {
  return std::ranges::any_of(dynamic, [](bool b) { return b; }) ||
         std::ranges::any_of(elements, [](const Shape& e) { return e.hasDynamicDimensions(); });
}

std::optional<int64_t> Shape::elementCount() const {
  if (std::ranges::any_of(dimensions, [](int64_t d) { return d < 0; })) return std::nullopt;
  if (std::ranges::any_of(dimensions, [](int64_t d) { return d == 0; })) return 0;
  int64_t count = 1;
  for (int64_t d : dimensions) {
    auto product = checkedMul(count, d);
    if (!product) return std::nullopt;
    count = *product;
  }
  return count;
}

std::optional<int64_t> Shape::denseBytes() const {
  if (isArray()) {
    auto count = elementCount();
    return count ? checkedMul(*count, byteWidth(type)) : std::nullopt;
  }
  int64_t total = 0;
  for (const Shape& element : elements) {
    auto bytes = element.denseBytes();
    auto sum = bytes ? checkedAdd(total, *bytes) : std::nullopt;
    if (!sum) return std::nullopt;
    total = *sum;
  }
  return total;
}

bool sameIgnoringLayout(const Shape& a, const Shape& b) { return sameStructure(a, b, true); }
bool compatible(const Shape& a, const Shape& b) { return sameStructure(a, b, false); }

bool isUnbounded(const Shape& shape) {
  return std::ranges::count(shape.dimensions, Shape::kUnbounded) > 0 ||
         std::ranges::any_of(shape.elements, isUnbounded);
}

void fillDefaultLayouts(Shape& shape) {
  for (Shape& element : shape.elements) fillDefaultLayouts(element);
  if (shape.isArray() && !shape.layout) shape.layout = Layout::rowMajor(shape.rank());
}

Shape withoutLayout(Shape shape) {
  shape.layout.reset();
  for (Shape& element : shape.elements) element = withoutLayout(std::move(element));
  return shape;
}

std::vector<ShapeLeaf> leavesOf(const Shape& shape) {
  std::vector<ShapeLeaf> out;
  std::vector<int64_t> index;
  visitLeaves(shape, index, out);
  return out;
}

std::string toString(const Layout& layout) {
  std::string out = "{";
  appendInts(out, layout.minorToMajor);
  std::string tail = layoutTail(layout);
  if (!tail.empty()) out += ':' + tail;
  return out + '}';
}

std::string toString(const Shape& shape, bool withLayout) {
  std::string out;
  appendShape(out, shape, withLayout);
  return out;
}

size_t hashValue(const Shape& shape) {
  size_t seed = static_cast<size_t>(shape.type);
  for (int64_t d : shape.dimensions) mix(seed, static_cast<size_t>(d));
  for (bool d : shape.dynamic) mix(seed, d);
  for (const Shape& element : shape.elements) mix(seed, hashValue(element));
  if (shape.layout) {
    for (int64_t d : shape.layout->minorToMajor) mix(seed, static_cast<size_t>(d) + 7);
    if (!shape.layout->isPlain()) mix(seed, std::hash<std::string>()(layoutTail(*shape.layout)));
  }
  return seed;
}

}  // namespace tessera
