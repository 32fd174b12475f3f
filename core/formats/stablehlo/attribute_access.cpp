// Attribute values and dense elements. Floats may be written as the hexadecimal bits of their type; whole arrays as a
// string of hexadecimal bytes in little-endian order, one element repeated when it is alone.
#include "core/formats/stablehlo/attribute_access.h"

#include <algorithm>
#include <charconv>
#include <complex>
#include <cstring>

#include "core/formats/hex_digit.h"
#include "core/formats/hlo_text/lexer.h"
#include "core/hlo/numbers.h"

namespace tessera::mlir {
namespace {

using Kind = Attribute::Kind;

// Reads the scalars of a dense value one by one into memory.
class DenseReader {
 public:
  DenseReader(std::string_view text, ElementType type)
      : text_(text), type_(type), width_(static_cast<size_t>(byteWidth(type))) {}

  // Skips brackets, commas and blanks; true while a scalar follows.
  bool more() {
    while (at_ < text_.size() &&
           (text::isBlank(text_[at_]) || text_[at_] == ',' || text_[at_] == '[' || text_[at_] == ']'))
      ++at_;
    return at_ < text_.size();
  }
  bool scalar(std::byte* out) {
    if (!isComplex(type_)) return part(type_, out);
    const ElementType half = type_ == ElementType::C128 ? ElementType::F64 : ElementType::F32;
    if (text_[at_] != '(') return false;
    ++at_;
    return more() && part(half, out) && more() && part(half, out + width_ / 2) && close();
  }

 private:
  bool close() {
    while (at_ < text_.size() && text::isBlank(text_[at_])) ++at_;
    return at_ < text_.size() && text_[at_++] == ')';
  }
  bool part(ElementType type, std::byte* out) {
    std::string_view rest = text_.substr(at_);
    for (auto [word, value] : {std::pair<std::string_view, int64_t>{"true", 1}, {"false", 0}})
      if (rest.starts_with(word)) return at_ += word.size(), storeInt(type, out, value), true;
    const bool negative = rest.starts_with('-');
    std::string_view digits = rest.substr(negative ? 1 : 0);
    if (digits.starts_with("0x") || digits.starts_with("0X")) return bits(type, digits.substr(2), negative, out);
    return isFloat(type) ? decimal(type, rest, out) : whole(type, rest, out);
  }
  bool bits(ElementType type, std::string_view digits, bool negative, std::byte* out) {
    uint64_t value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc()) return false;
    if (isFloat(type))
      std::memcpy(out, &value, static_cast<size_t>(byteWidth(type)));
    else
      storeInt(type, out, static_cast<int64_t>(negative ? 0 - value : value));
    at_ = static_cast<size_t>(end - text_.data());
    return true;
  }
  bool decimal(ElementType type, std::string_view rest, std::byte* out) {
    const char* last = rest.data() + rest.size();
    std::from_chars_result read{};
    if (type == ElementType::F32) {
      float value = 0;
      read = std::from_chars(rest.data(), last, value);
      std::memcpy(out, &value, sizeof value);
    } else {
      double value = 0;
      read = std::from_chars(rest.data(), last, value);
      storeDouble(type, out, value);
    }
    at_ = static_cast<size_t>(read.ptr - text_.data());
    return read.ec == std::errc();
  }
  bool whole(ElementType type, std::string_view rest, std::byte* out) {
    const char* last = rest.data() + rest.size();
    std::from_chars_result read{};
    if (rest.starts_with('-')) {
      int64_t value = 0;
      read = std::from_chars(rest.data(), last, value);
      storeInt(type, out, value);
    } else {
      uint64_t value = 0;
      read = std::from_chars(rest.data(), last, value);
      storeInt(type, out, static_cast<int64_t>(value));
    }
    at_ = static_cast<size_t>(read.ptr - text_.data());
    return read.ec == std::errc();
  }

  std::string_view text_;
  size_t at_ = 0;
  ElementType type_;
  size_t width_;
};

std::unexpected<Diagnostic> wrongCount(const Shape& shape, size_t found) {
  return fail({.message = "a dense value does not have as many elements as its type " + toString(shape, false),
               .expected = std::to_string(shape.elementCount().value_or(-1)) + " elements",
               .found = std::to_string(found)});
}

void repeatFirst(Literal& literal, size_t width) {
  std::span<std::byte> bytes = literal.mutableBytes();
  for (size_t at = width; at + width <= bytes.size(); at += width) std::memcpy(bytes.data() + at, bytes.data(), width);
}

Result<Literal> literalOfBytes(std::string_view hex, const Shape& shape) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    const int high = hexDigit(hex[i]), low = hexDigit(hex[i + 1]);
    if (high < 0 || low < 0) return fail("a dense value has a character that is no hexadecimal digit");
    bytes.push_back(static_cast<std::byte>(high * 16 + low));
  }
  const auto count = static_cast<size_t>(shape.elementCount().value_or(-1));
  const auto width = static_cast<size_t>(byteWidth(shape.type));
  // One bit a boolean.
  if (shape.type == ElementType::Pred && count > 1 && bytes.size() == (count + 7) / 8) {
    std::vector<std::byte> unpacked(count);
    for (size_t i = 0; i < count; ++i) unpacked[i] = (bytes[i / 8] >> (i % 8)) & std::byte{1};
    bytes = std::move(unpacked);
  }
  if (bytes.size() != count * width && bytes.size() != width) return wrongCount(shape, bytes.size() / width);
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(shape));
  if (count == 0) return out;
  std::memcpy(out.mutableBytes().data(), bytes.data(), bytes.size());
  if (bytes.size() == width) repeatFirst(out, width);
  if (isSubByte(shape.type) || shape.type == ElementType::Pred)
    for (std::byte& b : out.mutableBytes()) storeInt(shape.type, &b, static_cast<int64_t>(b));
  return out;
}

}  // namespace

const Attribute* findAny(const Operation& op, Names names) {
  for (std::string_view name : names)
    if (const Attribute* found = op.find(name)) return found;
  return nullptr;
}

std::vector<int64_t> integersOf(const Attribute* attribute) {
  std::vector<int64_t> out;
  if (!attribute) return out;
  if (attribute->kind == Kind::Int) return {attribute->integer};
  if (attribute->kind == Kind::Bool) return {attribute->boolean ? 1 : 0};
  for (const Attribute& item : attribute->items) out.push_back(item.kind == Kind::Bool ? item.boolean : item.integer);
  if (attribute->kind != Kind::Dense || !attribute->type) return out;
  Shape shape = *attribute->type;
  constexpr int64_t kMaxNumbers = 1 << 20;
  if (!shape.isArray() || shape.elementCount().value_or(kMaxNumbers + 1) > kMaxNumbers) return out;
  if (auto literal = denseLiteral(attribute->text, shape))
    for (int64_t i = 0; i < literal->elementCount(); ++i)
      out.push_back(loadInt(shape.type, literal->bytes().data() + i * byteWidth(shape.type)));
  return out;
}

std::vector<int64_t> integers(const Operation& op, Names names) { return integersOf(findAny(op, names)); }

int64_t integer(const Operation& op, Names names, int64_t otherwise) {
  const Attribute* found = findAny(op, names);
  return found && found->kind == Kind::Int ? found->integer : otherwise;
}

bool boolean(const Operation& op, Names names, bool otherwise) {
  const Attribute* found = findAny(op, names);
  if (!found) return otherwise;
  return found->kind == Kind::Unit || (found->kind == Kind::Bool ? found->boolean : found->integer != 0);
}

double real(const Operation& op, Names names, double otherwise) {
  const Attribute* found = findAny(op, names);
  return found && (found->kind == Kind::Float || found->kind == Kind::Int) ? found->number : otherwise;
}

std::string wordOf(const Attribute* attribute) {
  if (!attribute) return {};
  std::string_view text = attribute->text;
  if (attribute->kind == Kind::Raw && text.rfind(' ') != std::string_view::npos)
    text.remove_prefix(text.rfind(' ') + 1);
  return std::string(text);
}

std::string word(const Operation& op, Names names) { return wordOf(findAny(op, names)); }

std::vector<std::vector<int64_t>> integerRows(const Attribute* attribute) {
  std::vector<std::vector<int64_t>> out;
  if (!attribute) return out;
  for (const Attribute& row : attribute->items) out.push_back(integersOf(&row));
  if (attribute->kind != Kind::Dense || !attribute->type || attribute->type->rank() != 2) return out;
  const std::vector<int64_t> flat = integersOf(attribute);
  const auto width = static_cast<size_t>(attribute->type->dimensions[1]);
  for (size_t at = 0; width != 0 && at + width <= flat.size(); at += width)
    out.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(at),
                     flat.begin() + static_cast<std::ptrdiff_t>(at + width));
  return out;
}

Result<Literal> denseLiteral(std::string_view text, const Shape& shape) {
  if (!shape.isArray() || !shape.elementCount()) return fail("a dense value has the type " + toString(shape));
  while (!text.empty() && text::isBlank(text.front())) text.remove_prefix(1);
  if (text.starts_with("\"0x")) {
    text.remove_prefix(3);
    return literalOfBytes(text.substr(0, text.find('"')), shape);
  }
  DenseReader reader(text, shape.type);
  const bool alone = !text.starts_with('[');
  const auto width = static_cast<size_t>(byteWidth(shape.type));
  const auto count = static_cast<size_t>(*shape.elementCount());
  // A list cannot have more elements than characters: nothing is allocated for a hostile type.
  if (!alone && count > text.size()) return wrongCount(shape, text.size());
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(shape));
  std::byte scratch[16];
  size_t found = 0;
  for (; reader.more(); ++found) {
    std::byte* to = found < count ? out.mutableBytes().data() + found * width : scratch;
    if (!reader.scalar(to))
      return fail("element " + std::to_string(found) + " of a dense value is no " + std::string(nameOf(shape.type)));
  }
  if (alone && found == 1 && count > 1) return repeatFirst(out, width), out;
  if (found != count && !(alone && found == 1 && count == 0)) return wrongCount(shape, found);
  return out;
}

Result<Literal> resourceLiteral(std::string_view hexadecimal, const Shape& shape) {
  if (!shape.isArray() || !shape.elementCount()) return fail("a dense resource has the type " + toString(shape));
  constexpr size_t kAlignmentDigits = 8;
  if (!hexadecimal.starts_with("0x") || hexadecimal.size() < 2 + kAlignmentDigits)
    return fail("a dense resource is no string of bytes");
  return literalOfBytes(hexadecimal.substr(2 + kAlignmentDigits), shape);
}

}  // namespace tessera::mlir
