// Attributes of the MLIR subset. Dense values stay text until their type is known; what is in <…> and is no list
// of name = value stays text for good. Types are read by type_parser.cpp.
#include <algorithm>
#include <charconv>
#include "core/formats/stablehlo/mlir_parser.h"

namespace tessera::mlir {

using text::kMaxDepth;

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
