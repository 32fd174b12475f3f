// Printing literals on one line: braces by rank, comments with the index from rank 4, numbers by XLA's rules
// (%.6g or %.15g when that reads back to the same value, else %.9g or %.17g; narrow floats with max_digits10).
#include "core/formats/hlo_text.h"
#include "core/formats/hlo_text/literal_text.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "core/formats/hlo_text/special_floats.h"
#include "core/hlo/numbers.h"

namespace tessera::text {
namespace {

template <class T>
void appendInteger(std::string& out, T value) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

void appendGeneral(std::string& out, double value, int digits) {
  char buffer[40];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr);
}

template <class T>
void appendShortest(std::string& out, T value, int few, int many) {
  char buffer[40];
  auto [end, ec] =
      std::to_chars(buffer, buffer + sizeof buffer, static_cast<double>(value), std::chars_format::general, few);
  double back = 0;
  auto read = std::from_chars(buffer, end, back);
  if (read.ec == std::errc() && static_cast<T>(back) == value)
    out.append(buffer, end);
  else
    appendGeneral(out, static_cast<double>(value), many);
}

int maxDigits10(ElementType type) {
  switch (type) {
    case ElementType::F16: return 5;
    case ElementType::BF16: return 4;
    case ElementType::F8E4M3:
    case ElementType::F8E4M3FN:
    case ElementType::F8E4M3B11FNUZ:
    case ElementType::F8E4M3FNUZ:
    case ElementType::F8E3M4:
    case ElementType::F6E2M3FN: return 3;
    default: return 2;
  }
}

void appendNan(std::string& out, ElementType type, const std::byte* data) {
  NanText nan = nanText(type, data);
  out += nan.negative ? "-nan" : "nan";
  if (nan.payload == 0) return;
  char buffer[20];
  out += "(0x";
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, nan.payload, 16).ptr);
  out += ')';
}

void appendFloat(std::string& out, ElementType type, const std::byte* data) {
  double value = 0;
  if (type == ElementType::F32) {
    float narrow = 0;
    std::memcpy(&narrow, data, sizeof narrow);
    value = static_cast<double>(narrow);
  } else if (type == ElementType::F64) {
    std::memcpy(&value, data, sizeof value);
  } else {
    value = loadDouble(type, data);
  }
  if (std::isnan(value)) return appendNan(out, type, data);
  if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
    return;
  }
  if (type == ElementType::F32) return appendShortest(out, static_cast<float>(value), 6, 9);
  if (type == ElementType::F64) return appendShortest(out, value, 15, 17);
  appendGeneral(out, value, maxDigits10(type));
}

void appendElement(std::string& out, const Shape& shape, const std::byte* data) {
  const ElementType type = shape.type;
  switch (info(type).klass) {
    case ElementClass::Pred: {
      const bool value = *data != std::byte{0};
      out += shape.dimensions.empty() ? (value ? "true" : "false") : (value ? "1" : "0");
      return;
    }
    case ElementClass::Signed: return appendInteger(out, loadInt(type, data));
    case ElementClass::Unsigned: return appendInteger(out, static_cast<uint64_t>(loadInt(type, data)));
    case ElementClass::Float: return appendFloat(out, type, data);
    case ElementClass::Complex: {
      const ElementType part = type == ElementType::C64 ? ElementType::F32 : ElementType::F64;
      out += '(';
      appendFloat(out, part, data);
      out += ", ";
      appendFloat(out, part, data + byteWidth(part));
      out += ')';
      return;
    }
    case ElementClass::Special: return;
  }
}

// index: the place in the enclosing dimension, for the comments.
void appendDimension(std::string& out, const Shape& shape, size_t dimension, int64_t index, const std::byte*& data) {
  const size_t rank = shape.dimensions.size();
  if (dimension == rank) {
    appendElement(out, shape, data);
    data += byteWidth(shape.type);
    return;
  }
  const int64_t size = shape.dimensions[dimension];
  const bool innermost = dimension + 1 == rank;
  const bool spaced = innermost ? rank > 1 && size > 1 : true;
  out += '{';
  const bool commented = !innermost && rank > 3 && dimension > 0;
  if (commented) out += " /*i" + std::to_string(dimension - 1) + '=' + std::to_string(index) + "*/";
  if (spaced) out += ' ';
  for (int64_t i = 0; i < size; ++i) {
    if (i) out += ", ";
    appendDimension(out, shape, dimension + 1, i, data);
  }
  if (spaced && !(commented && size == 0)) out += ' ';
  out += '}';
}

void appendTuple(std::string& out, const Literal& literal, void (*element)(std::string&, const Literal&)) {
  out += "( ";
  for (size_t i = 0; i < literal.elements().size(); ++i) {
    if (i) out += ", ";
    element(out, literal.elements()[i]);
  }
  out += literal.elements().empty() ? ")" : " )";
}

}  // namespace

void appendLiteral(std::string& out, const Literal& literal) {
  const Shape& shape = literal.shape();
  if (literal.elided()) {
    out += "{...}";
    return;
  }
  if (shape.isTuple()) return appendTuple(out, literal, appendLiteral);
  if (!shape.isArray()) return;
  const std::byte* data = literal.bytes().data();
  appendDimension(out, shape, 0, 0, data);
}

void appendShapedLiteral(std::string& out, const Literal& literal) {
  if (literal.shape().isTuple()) return appendTuple(out, literal, appendShapedLiteral);
  out += toString(literal.shape());
  out += ' ';
  appendLiteral(out, literal);
}

}  // namespace tessera::text

namespace tessera {

std::string printLiteral(const Literal& literal) {
  std::string out;
  text::appendLiteral(out, literal);
  return out;
}

}  // namespace tessera
