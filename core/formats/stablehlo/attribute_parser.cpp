// Types and attributes of the MLIR subset. Dense values stay text until their type is known; what stands in <…> and is
// no list of name = value stays text for good.
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

bool startsType(std::string_view word) {
  return word == "tensor" || word == "tuple" || word == "complex" || word == "none" || elementTypeNamed(word);
}

}  // namespace

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

bool Parser::number(Attribute& out, bool withType) {
  lexer_.skipBlanks();
  const size_t begin = lexer_.offset();
  const char* first = lexer_.text().data() + begin;
  const char* last = lexer_.text().data() + lexer_.text().size();
  if (lexer_.raw() == '0' && (lexer_.raw(1) == 'x' || lexer_.raw(1) == 'X')) {
    uint64_t bits = 0;
    auto end = std::from_chars(first + 2, last, bits, 16).ptr;
    out.kind = Attribute::Kind::Int;
    out.integer = static_cast<int64_t>(bits);
    lexer_.bump(static_cast<size_t>(end - first));
  } else {
    auto [intEnd, intError] = std::from_chars(first, last, out.integer);
    auto [end, error] = std::from_chars(first, last, out.number);
    const bool isFloat = end > intEnd || intError != std::errc();
    if (error != std::errc()) return lexer_.failExpected("a number");
    out.kind = isFloat ? Attribute::Kind::Float : Attribute::Kind::Int;
    if (!isFloat) out.number = static_cast<double>(out.integer);
    lexer_.bump(static_cast<size_t>(end - first));
  }
  out.text = std::string(lexer_.text().substr(begin, lexer_.offset() - begin));
  if (withType && lexer_.accept(':')) return type(out.type.emplace());
  return true;
}

// The text from '<' to its '>', which is consumed; strings and "->" are skipped as units.
bool Parser::rawAngles(std::string_view& out) {
  if (!lexer_.expect('<', "before a value in angle brackets")) return false;
  const size_t begin = lexer_.offset();
  int depth = 1;
  while (lexer_.offset() < lexer_.text().size()) {
    const char c = lexer_.raw();
    if (c == '"') {
      std::string ignored;
      if (!string(ignored)) return false;
      continue;
    }
    if (c == '-' && lexer_.raw(1) == '>') {
      lexer_.bump(2);
      continue;
    }
    if (c == '<') ++depth;
    if (c == '>' && --depth == 0) {
      out = lexer_.text().substr(begin, lexer_.offset() - begin);
      lexer_.bump();
      return true;
    }
    lexer_.bump();
  }
  return lexer_.failAt(begin, "a '<' has no matching '>'");
}

// The text of a bracketed value with its brackets.
bool Parser::rawBrackets(std::string_view& out) {
  lexer_.skipBlanks();
  const size_t begin = lexer_.offset();
  int depth = 0;
  do {
    const char c = lexer_.raw();
    if (lexer_.offset() >= lexer_.text().size()) return lexer_.failAt(begin, "a bracket has no matching bracket");
    if (c == '"') {
      std::string ignored;
      if (!string(ignored)) return false;
      continue;
    }
    if (c == '[' || c == '{' || c == '<' || c == '(') ++depth;
    if (c == ']' || c == '}' || c == '>' || c == ')') --depth;
    lexer_.bump();
  } while (depth > 0);
  out = lexer_.text().substr(begin, lexer_.offset() - begin);
  return true;
}

bool Parser::dense(Attribute& out, bool withType) {
  std::string_view raw;
  if (!rawAngles(raw)) return false;
  out.kind = Attribute::Kind::Dense;
  out.text = std::string(raw);
  if (withType && lexer_.accept(':')) return type(out.type.emplace());
  return true;
}

bool Parser::array(Attribute& out, int depth) {
  out.kind = Attribute::Kind::Array;
  if (!lexer_.expect('[', "before an array")) return false;
  while (!lexer_.accept(']')) {
    if (!out.items.empty() && !lexer_.expect(',', "between the elements of an array")) return false;
    if (!attribute(out.items.emplace_back(), true, depth + 1)) return false;
  }
  return true;
}

// array<i64: 1, 2>
bool Parser::typedArray(Attribute& out) {
  out.kind = Attribute::Kind::Array;
  ElementType element{};
  if (!lexer_.expect('<', "after array") || !elementType(element)) return false;
  if (lexer_.accept('>')) return true;
  if (!lexer_.expect(':', "after the array's type")) return false;
  while (!lexer_.accept('>')) {
    if (!out.items.empty() && !lexer_.expect(',', "between the elements of an array")) return false;
    if (!attribute(out.items.emplace_back(), false)) return false;
  }
  return true;
}

bool Parser::entries(Dictionary& out, char close, int depth) {
  for (bool first = true; !lexer_.accept(close); first = false) {
    if (!first && !lexer_.expect(',', "between attributes")) return false;
    auto& [name, value] = out.emplace_back();
    lexer_.skipBlanks();
    if (lexer_.raw() == '"') {
      if (!string(name)) return false;
    } else {
      name = std::string(identifier());
    }
    if (name.empty()) return lexer_.failExpected("an attribute's name");
    if (lexer_.accept('=') && !attribute(value, true, depth + 1)) return false;
  }
  return true;
}

// <name = value, …> as a dictionary, anything else as its text.
bool Parser::angles(Attribute& out, int depth) {
  const size_t begin = lexer_.offset();
  lexer_.expect('<', "");
  const bool named = !identifier().empty() && lexer_.peek() == '=';
  lexer_.seek(begin);
  if (named) {
    lexer_.accept('<');
    out.kind = Attribute::Kind::Dictionary;
    return entries(out.entries, '>', depth);
  }
  std::string_view raw;
  if (!rawAngles(raw)) return false;
  out.kind = Attribute::Kind::Raw;
  out.text = std::string(raw);
  return true;
}

// #dialect.name<…>, #dialect<…>, #alias
bool Parser::hash(Attribute& out, int depth) {
  lexer_.accept('#');
  out.dialect = std::string(identifier());
  out.kind = Attribute::Kind::Raw;
  return lexer_.raw() != '<' || angles(out, depth);
}

// (T) -> T as an attribute: only skipped, the region says the same.
bool Parser::functionTypeAttribute(Attribute& out) {
  std::vector<Shape> ignored, results;
  out.kind = Attribute::Kind::Type;
  if (!typeList(ignored) || !lexer_.expect("->", "in a function type")) return false;
  return lexer_.peek() == '(' ? typeList(results) : type(results.emplace_back());
}

bool Parser::word(Attribute& out, bool withType, int depth) {
  const size_t at = lexer_.offset();
  std::string_view name = identifier();
  if (name.empty()) return lexer_.failExpected("an attribute value");
  if (name == "true" || name == "false") {
    out.kind = Attribute::Kind::Bool;
    out.boolean = name == "true";
    return true;
  }
  if (name == "dense" || name == "dense_resource") return out.dialect = std::string(name), dense(out, withType);
  if (name == "array" && lexer_.peek() == '<') return typedArray(out);
  if (name == "unit") return true;
  if (name == "loc" && lexer_.peek() == '(') {
    std::string_view raw;
    return rawBrackets(raw);
  }
  if (startsType(name)) {
    lexer_.seek(at);
    out.kind = Attribute::Kind::Type;
    return type(out.type.emplace(), depth);
  }
  out.kind = Attribute::Kind::Word;
  out.text = std::string(name);
  return lexer_.raw() != '<' || angles(out, depth);
}

bool Parser::attribute(Attribute& out, bool withType, int depth) {
  if (depth > kMaxDepth) return lexer_.fail("attributes are nested too deeply");
  const char c = lexer_.peek();
  out.offset = lexer_.offset();
  switch (c) {
    case '"':
      out.kind = Attribute::Kind::String;
      if (!string(out.text)) return false;
      return !withType || !lexer_.accept(':') || type(out.type.emplace());
    case '[': return array(out, depth);
    case '{':
      lexer_.accept('{');
      out.kind = Attribute::Kind::Dictionary;
      if (!entries(out.entries, '}', depth)) return false;
      out.text = std::string(lexer_.text().substr(out.offset, lexer_.offset() - out.offset));
      return true;
    case '@':
      lexer_.accept('@');
      out.kind = Attribute::Kind::Symbol;
      out.text = std::string(symbolName());
      return true;
    case '#': return hash(out, depth);
    case '<': return angles(out, depth);
    case '(': return functionTypeAttribute(out);
    case '!': return out.kind = Attribute::Kind::Type, type(out.type.emplace(), depth);
    default: break;
  }
  if (c == '-' || text::isDigit(c)) return number(out, withType);
  return word(out, withType, depth);
}

}  // namespace tessera::mlir
