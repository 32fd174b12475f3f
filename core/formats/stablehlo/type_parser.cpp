// Names, strings and types of the MLIR subset: element types, tensors with dynamic sizes and bounds, tuples and tokens.
#include <algorithm>
#include <charconv>

#include "core/formats/hex_digit.h"
#include "core/formats/stablehlo/mlir_parser.h"

namespace tessera::mlir {
namespace {

using text::kMaxDepth;

struct TypeName {
  std::string_view name;
  ElementType type;
};
constexpr TypeName kTypeNames[] = {
    {"f32", ElementType::F32},
    {"f64", ElementType::F64},
    {"f16", ElementType::F16},
    {"bf16", ElementType::BF16},
    {"i1", ElementType::Pred},
    {"i2", ElementType::S2},
    {"i4", ElementType::S4},
    {"i8", ElementType::S8},
    {"i16", ElementType::S16},
    {"i32", ElementType::S32},
    {"i64", ElementType::S64},
    {"index", ElementType::S64},
    {"si2", ElementType::S2},
    {"si4", ElementType::S4},
    {"si8", ElementType::S8},
    {"si16", ElementType::S16},
    {"si32", ElementType::S32},
    {"si64", ElementType::S64},
    {"ui1", ElementType::U1},
    {"ui2", ElementType::U2},
    {"ui4", ElementType::U4},
    {"ui8", ElementType::U8},
    {"ui16", ElementType::U16},
    {"ui32", ElementType::U32},
    {"ui64", ElementType::U64},
    {"f8E5M2", ElementType::F8E5M2},
    {"f8E4M3", ElementType::F8E4M3},
    {"f8E4M3FN", ElementType::F8E4M3FN},
    {"f8E4M3B11FNUZ", ElementType::F8E4M3B11FNUZ},
    {"f8E3M4", ElementType::F8E3M4},
    {"f8E5M2FNUZ", ElementType::F8E5M2FNUZ},
    {"f8E4M3FNUZ", ElementType::F8E4M3FNUZ},
    {"f8E8M0FNU", ElementType::F8E8M0FNU},
    {"f6E3M2FN", ElementType::F6E3M2FN},
    {"f6E2M3FN", ElementType::F6E2M3FN},
    {"f4E2M1FN", ElementType::F4E2M1FN},
};

std::optional<ElementType> elementTypeNamed(std::string_view name) {
  for (const TypeName& t : kTypeNames)
    if (t.name == name) return t.type;
  return std::nullopt;
}

}  // namespace

bool Parser::startsType(std::string_view word) {
  return word == "tensor" || word == "tuple" || word == "complex" || word == "none" || elementTypeNamed(word);
}

// Letters, digits and "_.$".
std::string_view Parser::identifier() {
  lexer_.skipBlanks();
  const size_t begin = lexer_.offset();
  while (text::isNameStart(lexer_.raw()) || text::isDigit(lexer_.raw()) || lexer_.raw() == '.' || lexer_.raw() == '$')
    lexer_.bump();
  return lexer_.text().substr(begin, lexer_.offset() - begin);
}

// @name or @"name", behind the '@'.
std::string_view Parser::symbolName() {
  if (lexer_.raw() != '"') {
    const size_t begin = lexer_.offset();
    while (text::isNameChar(lexer_.raw()) || lexer_.raw() == '$') lexer_.bump();
    return lexer_.text().substr(begin, lexer_.offset() - begin);
  }
  lexer_.bump();
  const size_t begin = lexer_.offset();
  while (lexer_.raw() != '"' && lexer_.raw() != '\0') lexer_.bump();
  std::string_view name = lexer_.text().substr(begin, lexer_.offset() - begin);
  lexer_.accept('"');
  return name;
}

// MLIR escapes bytes as \n, \t, \", \\ and two hexadecimal digits.
bool Parser::string(std::string& out) {
  if (!lexer_.expect('"', "before a string")) return false;
  while (lexer_.offset() < lexer_.text().size() && lexer_.raw() != '"') {
    char c = lexer_.raw();
    if (c == '\\') {
      const int high = hexDigit(lexer_.raw(1)), low = hexDigit(lexer_.raw(2));
      const char next = lexer_.raw(1);
      if (high >= 0 && low >= 0) {
        c = static_cast<char>(high * 16 + low);
        lexer_.bump(2);
      } else {
        c = next == 'n' ? '\n' : next == 't' ? '\t' : next;
        lexer_.bump();
      }
    }
    out += c;
    lexer_.bump();
  }
  if (lexer_.offset() >= lexer_.text().size()) return lexer_.fail("a string does not end");
  lexer_.bump();
  return true;
}

bool Parser::elementType(ElementType& out) {
  lexer_.skipBlanks();
  const size_t at = lexer_.offset();
  std::string_view name = identifier();
  if (name == "complex") {
    ElementType part{};
    if (!lexer_.expect('<', "after complex") || !elementType(part) || !lexer_.expect('>', "after the complex type"))
      return false;
    out = part == ElementType::F64 ? ElementType::C128 : ElementType::C64;
    return part == ElementType::F32 || part == ElementType::F64 ||
           lexer_.failAt(at, "complex numbers are of f32 or f64");
  }
  auto type = elementTypeNamed(name);
  if (name.empty() && lexer_.raw() == '!')
    return lexer_.failAt(at, "a type of another dialect, as a quantized one, has no HLO form", "f32, i32, ui8 …");
  if (!type)
    return lexer_.failAt(at, "unknown element type " + std::string(name.empty() ? lexer_.tokenAt(at) : name),
                         "f32, i32, ui8 …");
  out = *type;
  return true;
}

// 2x?x3x
bool Parser::tensorDimensions(Shape& out) {
  lexer_.skipBlanks();
  while (text::isDigit(lexer_.raw()) || lexer_.raw() == '?') {
    const size_t at = lexer_.offset();
    int64_t size = Shape::kUnbounded;
    if (lexer_.raw() == '?') {
      lexer_.bump();
    } else {
      const char* begin = lexer_.text().data() + at;
      auto [end, error] = std::from_chars(begin, lexer_.text().data() + lexer_.text().size(), size);
      if (error != std::errc()) return lexer_.failAt(at, "a dimension does not fit 64 bits");
      lexer_.bump(static_cast<size_t>(end - begin));
    }
    out.dimensions.push_back(size);
    out.dynamic.push_back(size == Shape::kUnbounded);
    if (lexer_.raw() != 'x') return lexer_.failExpected("x", "after a dimension");
    lexer_.bump();
  }
  if (std::ranges::find(out.dynamic, true) == out.dynamic.end()) out.dynamic.clear();
  return true;
}

// #stablehlo.bounds<?, 4>, or any other encoding, which is skipped.
bool Parser::bounds(Shape& out) {
  Attribute encoding;
  const size_t at = lexer_.offset();
  if (!attribute(encoding, false)) return false;
  if (encoding.dialect != "stablehlo.bounds" && encoding.dialect != "mhlo.type_extensions") return true;
  text::Lexer list(encoding.text);
  for (size_t d = 0; d < out.dimensions.size(); ++d) {
    if (d && !list.accept(',')) return lexer_.failAt(at, "the bounds do not match the rank");
    if (list.accept('?')) continue;
    if (!list.integer(out.dimensions[d], "a bound") || out.dimensions[d] < 0)
      return lexer_.failAt(at, "a bound is no size");
  }
  return true;
}

bool Parser::tensorType(Shape& out) {
  if (!lexer_.expect('<', "after tensor")) return false;
  if (lexer_.peek() == '*') return lexer_.fail("unranked tensors have no HLO shape");
  ElementType element{};
  if (!tensorDimensions(out) || !elementType(element)) return false;
  out.type = element;
  if (lexer_.accept(',') && !bounds(out)) return false;
  out.layout = Layout::rowMajor(out.rank());
  return lexer_.expect('>', "after the tensor type");
}

bool Parser::type(Shape& out, int depth) {
  if (depth > kMaxDepth) return lexer_.fail("types are nested too deeply");
  lexer_.skipBlanks();
  const size_t at = lexer_.offset();
  if (lexer_.accept('!')) {
    std::string_view name = identifier();
    if (name != "stablehlo.token" && name != "mhlo.token")
      return lexer_.failAt(at, "unknown type !" + std::string(name));
    out = Shape::token();
    return true;
  }
  std::string_view name = identifier();
  if (name == "tensor") return tensorType(out);
  if (name == "tuple") {
    std::vector<Shape> elements;
    if (!lexer_.expect('<', "after tuple")) return false;
    while (!lexer_.accept('>')) {
      if (!elements.empty() && !lexer_.expect(',', "between types")) return false;
      if (!type(elements.emplace_back(), depth + 1)) return false;
    }
    out = Shape::tuple(std::move(elements));
    return true;
  }
  lexer_.seek(at);
  if (name != "none" && name != "complex" && !elementTypeNamed(name)) return lexer_.failExpected("a type");
  if (name == "none") return identifier(), out = Shape::tuple({}), true;
  ElementType element{};
  if (!elementType(element)) return false;
  out = Shape::arrayRowMajor(element, {});
  return true;
}

// (T, T) or T, T
bool Parser::typeList(std::vector<Shape>& out) {
  if (lexer_.accept('(')) {
    while (!lexer_.accept(')')) {
      if (!out.empty() && !lexer_.expect(',', "between types")) return false;
      if (!type(out.emplace_back())) return false;
      if (lexer_.peek() == '{') {
        Attribute ignored;
        if (!attribute(ignored, false)) return false;
      }
    }
    return true;
  }
  do {
    if (!type(out.emplace_back())) return false;
  } while (lexer_.accept(','));
  return true;
}

}  // namespace tessera::mlir
