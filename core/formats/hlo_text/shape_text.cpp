// Reading shapes: element type, dimensions, tuple, buffer, and the layout's components in their fixed order.
#include "core/formats/hlo_text/shape_text.h"

#include <algorithm>

namespace tessera::text {
namespace {

bool readInts(Lexer& lexer, std::vector<int64_t>& out, std::string_view what) {
  do {
    int64_t value = 0;
    if (!lexer.integer(value, what)) return false;
    out.push_back(value);
  } while (lexer.accept(','));
  return true;
}

bool readDimension(Lexer& lexer, Shape& out) {
  if (lexer.accept('?')) {
    out.dimensions.push_back(Shape::kUnbounded);
    out.dynamic.push_back(true);
    return true;
  }
  out.dynamic.push_back(lexer.accept("<="));
  const size_t at = lexer.offset();
  int64_t size = 0;
  if (!lexer.integer(size, "a dimension")) return false;
  if (size < 0) return lexer.failAt(at, "a dimension is negative or does not fit 63 bits", "a size of 0 or more");
  out.dimensions.push_back(size);
  return true;
}

bool readDimensions(Lexer& lexer, Shape& out) {
  if (!lexer.expect('[', "after the element type")) return false;
  if (lexer.accept(']')) return true;
  do {
    if (!readDimension(lexer, out)) return false;
  } while (lexer.accept(','));
  if (std::ranges::none_of(out.dynamic, [](bool b) { return b; })) out.dynamic.clear();
  return lexer.expect(']', "after the dimensions");
}

bool readTile(Lexer& lexer, Tile& out) {
  if (!lexer.expect('(', "before a tile")) return false;
  do {
    if (lexer.accept('*')) {
      out.dims.push_back(Tile::kCombine);
      continue;
    }
    const size_t at = lexer.offset();
    int64_t size = 0;
    if (!lexer.integer(size, "a tile size or *")) return false;
    if (size <= 0) return lexer.failAt(at, "a tile size must be positive");
    out.dims.push_back(size);
  } while (lexer.accept(','));
  return lexer.expect(')', "after a tile");
}

bool readDimLevels(Lexer& lexer, std::vector<DimLevel>& out) {
  if (!lexer.expect('(', "after D")) return false;
  do {
    DimLevel level;
    switch (lexer.peek()) {
      case 'D': level.type = DimLevelType::Dense; break;
      case 'C': level.type = DimLevelType::Compressed; break;
      case 'S': level.type = DimLevelType::Singleton; break;
      case 'H': level.type = DimLevelType::LooseCompressed; break;
      default: return lexer.failExpected("D, C, S or H");
    }
    lexer.bump();
    if (lexer.accept('+')) level.unique = false;
    if (lexer.accept('~')) level.ordered = false;
    out.push_back(level);
  } while (lexer.accept(','));
  return lexer.expect(')', "after the dimension levels");
}

bool readNumberInParens(Lexer& lexer, int64_t& out, std::string_view what) {
  return lexer.expect('(', "in the layout") && lexer.integer(out, what) && lexer.expect(')', "in the layout");
}

bool readTypeInParens(Lexer& lexer, ElementType& out) {
  if (!lexer.expect('(', "in the layout")) return false;
  lexer.skipBlanks();
  const size_t at = lexer.offset();
  auto type = elementTypeFromName(lexer.word());
  if (!type || !isUnsigned(*type)) return lexer.failAt(at, "an index or pointer type must be an unsigned integer type");
  out = *type;
  return lexer.expect(')', "in the layout");
}

bool readSplitConfigs(Lexer& lexer, std::vector<SplitConfig>& out) {
  while (lexer.accept('(')) {
    SplitConfig config;
    if (!lexer.integer(config.dimension, "a dimension number") || !lexer.expect(':', "in the split configuration") ||
        !readInts(lexer, config.splitIndices, "a split index") || !lexer.expect(')', "after the split configuration"))
      return false;
    out.push_back(std::move(config));
  }
  return true;
}

bool readMemoryParts(Lexer& lexer, Layout& out) {
  if (lexer.accept('#') && !readTypeInParens(lexer, out.indexType)) return false;
  if (lexer.accept('*') && !readTypeInParens(lexer, out.pointerType)) return false;
  if (lexer.accept('E') && !readNumberInParens(lexer, out.elementSizeInBits, "an element size in bits")) return false;
  if (lexer.accept("S(")) {
    if (!lexer.integer(out.memorySpace, "a memory space") || !lexer.expect(')', "in the layout")) return false;
  }
  if (lexer.accept("SC") && !readSplitConfigs(lexer, out.splitConfigs)) return false;
  if (lexer.peek() == 'P') return lexer.fail("physical shapes are not allowed for dense arrays");
  if (lexer.accept('M')) return readNumberInParens(lexer, out.dynamicShapeMetadataPrefixBytes, "a number of bytes");
  return true;
}

bool readLayoutTail(Lexer& lexer, Layout& out) {
  if (lexer.accept('D') && !readDimLevels(lexer, out.dimLevels)) return false;
  if (lexer.accept('T')) {
    do {
      if (!readTile(lexer, out.tiles.emplace_back())) return false;
    } while (lexer.peek() == '(');
  }
  if (lexer.accept('L') && !readNumberInParens(lexer, out.tailPaddingAlignment, "a number of elements")) return false;
  return readMemoryParts(lexer, out);
}

bool checkOrder(Lexer& lexer, size_t at, const Layout& layout, int64_t rank) {
  if (static_cast<int64_t>(layout.minorToMajor.size()) != rank)
    return lexer.failAt(at,
                        "the layout's minor_to_major has " + std::to_string(layout.minorToMajor.size()) +
                            " entries and the shape has rank " + std::to_string(rank),
                        std::to_string(rank) + " entries");
  std::vector<bool> seen(static_cast<size_t>(rank), false);
  for (int64_t d : layout.minorToMajor) {
    if (d < 0 || d >= rank || seen[static_cast<size_t>(d)])
      return lexer.failAt(at, "the layout's minor_to_major is not a permutation of the dimensions",
                          "each of 0 to " + std::to_string(rank - 1) + " once");
    seen[static_cast<size_t>(d)] = true;
  }
  return true;
}

bool readLayout(Lexer& lexer, Shape& shape) {
  const size_t at = lexer.offset();
  lexer.bump();  // '{'
  Layout layout;
  if (lexer.peek() != ':' && lexer.peek() != '}' && !readInts(lexer, layout.minorToMajor, "a dimension number"))
    return false;
  if (lexer.accept(':') && !readLayoutTail(lexer, layout)) return false;
  if (!lexer.expect('}', "after the layout") || !checkOrder(lexer, at, layout, shape.rank())) return false;
  shape.layout = std::move(layout);
  return true;
}

// A brace behind a shape is its layout only when a digit or a colon follows.
bool layoutFollows(Lexer& lexer) {
  const size_t before = lexer.offset();
  bool follows = false;
  if (lexer.peek() == '{') {
    const size_t brace = lexer.offset();
    lexer.bump();
    char next = lexer.peek();
    follows = isDigit(next) || next == ':' || (next == '-' && isDigit(lexer.raw(1)));
    lexer.seek(follows ? brace : before);
  } else {
    lexer.seek(before);
  }
  return follows;
}

bool readTuple(Lexer& lexer, Shape& out, bool fillLayouts, int depth) {
  out.type = ElementType::Tuple;
  lexer.bump();  // '('
  if (lexer.accept(')')) return true;
  do {
    if (!readShape(lexer, out.elements.emplace_back(), fillLayouts, depth + 1)) return false;
  } while (lexer.accept(','));
  return lexer.expect(')', "after the tuple's shapes");
}

}  // namespace

bool shapeStartsHere(Lexer& lexer) {
  if (lexer.peek() == '(') return true;
  const size_t before = lexer.offset();
  std::string_view word = lexer.word();
  const char next = lexer.peek();  // "f32 [4]" too
  lexer.seek(before);
  return !word.empty() && (next == '[' || (word == "b" && next == '('));
}

bool readShape(Lexer& lexer, Shape& out, bool fillLayouts, int depth) {
  if (depth > kMaxDepth)
    return lexer.fail("the shape is nested too deeply", "at most " + std::to_string(kMaxDepth) + " levels");
  if (lexer.peek() == '(') return readTuple(lexer, out, fillLayouts, depth);
  const size_t at = lexer.offset();
  std::string_view word = lexer.word();
  if (word.empty()) return lexer.failExpected("a shape");
  if (word == "b" && lexer.accept('(')) {
    out.type = ElementType::Buffer;
    if (!readShape(lexer, out.elements.emplace_back(), fillLayouts, depth + 1)) return false;
    if (!out.elements[0].isArray()) return lexer.failAt(at, "a buffer type holds one array shape");
    return lexer.expect(')', "after the buffer's shape");
  }
  auto type = elementTypeFromName(word);
  if (!type || *type == ElementType::Tuple || *type == ElementType::Buffer)
    return lexer.failAt(at, "unknown element type " + std::string(word), "an element type such as f32");
  out.type = *type;
  if (!readDimensions(lexer, out)) return false;
  if (!out.isArray()) return out.dimensions.empty() || lexer.failAt(at, std::string(word) + " has no dimensions");
  if (layoutFollows(lexer)) return readLayout(lexer, out);
  if (fillLayouts) out.layout = Layout::rowMajor(out.rank());
  return true;
}

size_t shapeTextEnd(std::string_view text, size_t begin) {
  constexpr size_t kNone = std::string_view::npos;
  size_t i = begin;
  if (i < text.size() && text[i] == '(') {
    for (int depth = 0; i < text.size() && text[i] != '\n'; ++i) {
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      if (depth == 0) return i + 1;
    }
    return kNone;
  }
  while (i < text.size() && isNameChar(text[i])) ++i;
  if (i == begin || i >= text.size() || text[i] != '[') return kNone;
  while (i < text.size() && text[i] != ']' && text[i] != '\n') ++i;
  if (i >= text.size() || text[i] != ']') return kNone;
  ++i;
  if (i >= text.size() || text[i] != '{') return i;
  if (i + 1 >= text.size() || !(isDigit(text[i + 1]) || text[i + 1] == ':')) return i;
  while (i < text.size() && text[i] != '}' && text[i] != '\n') ++i;
  return i < text.size() && text[i] == '}' ? i + 1 : kNone;
}

}  // namespace tessera::text
