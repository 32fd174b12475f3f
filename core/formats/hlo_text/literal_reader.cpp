// Reading literals: braces that match the rank, then one number an element, straight into the literal's buffer.
#include "core/formats/hlo_text/literal_text.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "core/formats/hlo_text/shape_text.h"
#include "core/formats/hlo_text/special_floats.h"
#include "core/hlo/numbers.h"

namespace tessera::text {
namespace {

bool outOfRange(Lexer& lexer, size_t at, ElementType type, std::string_view what) {
  return lexer.failAt(at, std::string(what) + " does not fit " + std::string(nameOf(type)),
                      "a value of type " + std::string(nameOf(type)));
}

bool readPred(Lexer& lexer, std::byte* data) {
  bool value = false;
  if (isDigit(lexer.peek()) || lexer.raw() == '-') {
    int64_t number = 0;
    if (!lexer.integer(number, "a pred value")) return false;
    value = number != 0;
  } else if (!lexer.boolean(value)) {
    return false;
  }
  *data = static_cast<std::byte>(value);
  return true;
}

// In 64 bits whatever the lexer takes: more than INT64_MAX wraps in s64, less than 0 in u64, as in XLA's reader.
bool fits(ElementType type, int64_t value, bool negative) {
  const int bits = info(type).bits;
  if (bits == 64) return true;
  if (isUnsigned(type)) return (!negative || value == 0) && static_cast<uint64_t>(value) < (uint64_t{1} << bits);
  if (!negative && value < 0) return false;  // more than INT64_MAX
  const int64_t limit = int64_t{1} << (bits - 1);
  return value >= -limit && value < limit;
}

bool readInteger(Lexer& lexer, ElementType type, std::byte* data) {
  if (lexer.acceptWord("true")) return storeInt(type, data, 1), true;
  if (lexer.acceptWord("false")) return storeInt(type, data, 0), true;
  const bool negative = lexer.peek() == '-';
  const size_t at = lexer.offset();
  int64_t value = 0;
  if (!lexer.integer(value, "an integer")) return false;
  const char next = lexer.raw();
  if (next == '.' || next == 'e' || next == 'E')
    return lexer.failAt(at, "a floating-point number is no value of type " + std::string(nameOf(type)), "an integer");
  if (!fits(type, value, negative)) return outOfRange(lexer, at, type, "the integer");
  storeInt(type, data, value);
  return true;
}

// nan, -nan, nan(0x7) behind the sign.
bool readNan(Lexer& lexer, ElementType type, bool negative, std::byte* data) {
  const size_t at = lexer.offset();
  uint64_t payload = 0;
  if (lexer.raw() == '(') {
    lexer.bump();
    if (!lexer.expect("0x", "in the NaN's payload")) return false;
    const char* first = lexer.text().data() + lexer.offset();
    auto [end, ec] = std::from_chars(first, lexer.text().data() + lexer.text().size(), payload, 16);
    if (ec != std::errc() || payload == 0)
      return lexer.fail("a NaN's payload must be a hexadecimal number other than 0");
    lexer.bump(static_cast<size_t>(end - first));
    if (!lexer.expect(')', "after the NaN's payload")) return false;
  }
  constexpr uint64_t kDoublesQuietBit = uint64_t{1} << 51;  // XLA reads every NaN as a double: this one carries nothing
  if (payload == kDoublesQuietBit) payload = 0;
  if (!storeNan(type, data, negative, payload)) return outOfRange(lexer, at, type, "the NaN's payload");
  return true;
}

bool readFloat(Lexer& lexer, ElementType type, std::byte* data) {
  lexer.skipBlanks();
  const size_t at = lexer.offset();
  const bool negative = lexer.raw() == '-';
  const char first = lexer.raw(negative ? 1 : 0);
  if (isNameStart(first)) {
    lexer.bump(negative ? 1 : 0);
    if (lexer.acceptWord("nan")) return readNan(lexer, type, negative, data);
    if (!lexer.acceptWord("inf")) return lexer.seek(at), lexer.failExpected("a number");
    storeInfinity(type, data, negative);
    return true;
  }
  double value = 0;
  if (!lexer.number(value, "a number")) return false;
  if (type == ElementType::F32) {
    const auto narrow = static_cast<float>(value);
    if (std::isinf(narrow)) return outOfRange(lexer, at, type, "the number");
    std::memcpy(data, &narrow, sizeof narrow);
    return true;
  }
  if (type == ElementType::F64) return std::memcpy(data, &value, sizeof value), true;
  storeDouble(type, data, value);
  if (!std::isfinite(loadDouble(type, data))) return outOfRange(lexer, at, type, "the number");
  return true;
}

bool readComplex(Lexer& lexer, ElementType type, std::byte* data) {
  const ElementType part = type == ElementType::C64 ? ElementType::F32 : ElementType::F64;
  const auto width = static_cast<size_t>(byteWidth(part));
  if (!lexer.accept('(')) {  // a real number alone
    std::memset(data, 0, 2 * width);
    return readFloat(lexer, part, data);
  }
  if (!readFloat(lexer, part, data)) return false;
  lexer.accept(',');
  return readFloat(lexer, part, data + width) && lexer.expect(')', "after a complex number");
}

bool readElement(Lexer& lexer, ElementType type, std::byte* data) {
  switch (info(type).klass) {
    case ElementClass::Pred: return readPred(lexer, data);
    case ElementClass::Signed:
    case ElementClass::Unsigned: return readInteger(lexer, type, data);
    case ElementClass::Float: return readFloat(lexer, type, data);
    case ElementClass::Complex: return readComplex(lexer, type, data);
    case ElementClass::Special: break;
  }
  return lexer.fail("a literal has no elements of type " + std::string(nameOf(type)));
}

// One dimension's braces with what is in them; advances `data`.
bool readDimension(Lexer& lexer, const Shape& shape, size_t dimension, std::byte*& data, Literal& out) {
  if (dimension == shape.dimensions.size()) {
    if (!readElement(lexer, shape.type, data)) return false;
    data += byteWidth(shape.type);
    return true;
  }
  if (!lexer.expect('{', "in a literal of shape " + toString(shape, false))) return false;
  if (dimension == 0 && lexer.accept("...")) {
    out.setElided(true);
    return lexer.expect('}', "after ...");
  }
  const int64_t size = shape.dimensions[dimension];
  for (int64_t i = 0; i < size; ++i) {
    if (lexer.peek() == '}')
      return lexer.fail("the literal has " + std::to_string(i) + " elements in dimension " + std::to_string(dimension) +
                            " of " + toString(shape, false),
                        std::to_string(size) + " elements");
    if (!readDimension(lexer, shape, dimension + 1, data, out)) return false;
    lexer.accept(',');
  }
  if (lexer.accept('}')) return true;
  if (lexer.atEnd()) return lexer.failExpected("'}'", "after the literal");
  return lexer.fail(
      "the literal has too many elements in dimension " + std::to_string(dimension) + " of " + toString(shape, false),
      std::to_string(size) + " elements");
}

// {...}: values that were left out.
bool acceptElided(Lexer& lexer) {
  const size_t before = lexer.offset();
  if (lexer.accept('{') && lexer.accept("...") && lexer.accept('}')) return true;
  lexer.seek(before);
  return false;
}

Result<Literal> elidedLiteral(const Shape& shape) {
  if (shape.isTuple()) {
    std::vector<Literal> elements;
    for (const Shape& each : shape.elements) {
      TESSERA_ASSIGN_OR_RETURN(Literal element, elidedLiteral(each));
      elements.push_back(std::move(element));
    }
    Literal out = Literal::tuple(std::move(elements));
    out.setElided(true);
    return out;
  }
  if (shape.isToken()) return Literal::token();
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::zeros(shape));
  out.setElided(true);
  return out;
}

bool readTuple(Lexer& lexer, const Shape& shape, Literal& out, int depth) {
  if (lexer.peek() == '{' && acceptElided(lexer)) {
    auto elided = elidedLiteral(shape);
    if (!elided) return lexer.fail(elided.error().message);
    out = std::move(*elided);
    return true;
  }
  if (!lexer.expect('(', "before a tuple literal")) return false;
  std::vector<Literal> elements(shape.elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i) lexer.accept(',');
    if (!readLiteral(lexer, shape.elements[i], elements[i], depth + 1)) return false;
  }
  out = Literal::tuple(std::move(elements));
  return lexer.expect(')', "after the tuple literal");
}

// A number where braces are expected. XLA's reader takes it for the first element and leaves all others 0.
bool startsBareNumber(Lexer& lexer, const Shape& shape) {
  const char next = lexer.peek();
  return !shape.dimensions.empty() && shape.elementCount().value_or(0) > 0 &&
         info(shape.type).klass != ElementClass::Complex && (isDigit(next) || next == '-' || isNameStart(next));
}

bool readBareNumber(Lexer& lexer, const Shape& shape, std::byte* data) {
  const size_t at = lexer.offset();
  if (!readElement(lexer, shape.type, data)) return false;
  lexer.warn(at, "a literal of shape " + toString(shape, false) + " is one number: its first element, all others are 0",
             "'{'");
  return true;
}

// A literal can have no more elements than the text that is left, unless it is elided.
bool plausible(Lexer& lexer, const Shape& shape) {
  auto count = shape.elementCount();
  if (!count) return lexer.fail("the literal's shape " + toString(shape, false) + " has no size that fits 63 bits");
  const size_t before = lexer.offset();
  const bool elided = lexer.accept('{') && lexer.accept("...");
  lexer.seek(before);
  if (elided || static_cast<size_t>(*count) <= lexer.text().size() - before) return true;
  return lexer.fail("the literal has fewer elements than its shape " + toString(shape, false),
                    std::to_string(*count) + " elements");
}

}  // namespace

bool readLiteral(Lexer& lexer, const Shape& shape, Literal& out, int depth) {
  if (depth > kMaxDepth) return lexer.fail("the literal is nested too deeply");
  lexer.skipBlanks();
  if (shape.isTuple()) return readTuple(lexer, shape, out, depth);
  if (shape.isToken()) return out = Literal::token(), true;
  if (!shape.isArray()) return lexer.fail("there is no literal of shape " + toString(shape));
  if (shape.dimensions.size() > static_cast<size_t>(kMaxDepth)) return lexer.fail("the literal's rank is too large");
  const bool bare = startsBareNumber(lexer, shape);
  if (!bare && !plausible(lexer, shape)) return false;
  auto storage = Literal::zeros(shape);
  if (!storage) return lexer.fail(storage.error().message);
  out = std::move(*storage);
  std::byte* data = out.mutableBytes().data();
  return bare ? readBareNumber(lexer, shape, data) : readDimension(lexer, shape, 0, data, out);
}

bool readShapedLiteral(Lexer& lexer, Literal& out, int depth) {
  if (depth > kMaxDepth) return lexer.fail("the literal is nested too deeply");
  if (lexer.peek() != '(') {
    Shape shape;
    return readShape(lexer, shape) && readLiteral(lexer, shape, out, depth);
  }
  lexer.bump();
  std::vector<Literal> elements;
  while (lexer.peek() != ')') {
    if (!elements.empty() && !lexer.expect(',', "between the tuple's literals")) return false;
    if (!readShapedLiteral(lexer, elements.emplace_back(), depth + 1)) return false;
  }
  lexer.bump();
  out = Literal::tuple(std::move(elements));
  return true;
}

}  // namespace tessera::text
