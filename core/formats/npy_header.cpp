// See npy_header.h.
#include "core/formats/npy_header.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/hlo/numbers.h"

namespace tessera {
namespace {

struct NamedType {
  std::string_view name;
  ElementType type;
};
// ml_dtypes' names for the types that NumPy lacks.
constexpr NamedType kSuffixes[] = {
    {"bfloat16", ElementType::BF16},
    {"float8_e5m2", ElementType::F8E5M2},
    {"float8_e4m3", ElementType::F8E4M3},
    {"float8_e4m3fn", ElementType::F8E4M3FN},
    {"float8_e4m3b11fnuz", ElementType::F8E4M3B11FNUZ},
    {"float8_e3m4", ElementType::F8E3M4},
    {"float8_e5m2fnuz", ElementType::F8E5M2FNUZ},
    {"float8_e4m3fnuz", ElementType::F8E4M3FNUZ},
    {"float8_e8m0fnu", ElementType::F8E8M0FNU},
    {"float6_e3m2fn", ElementType::F6E3M2FN},
    {"float6_e2m3fn", ElementType::F6E2M3FN},
    {"float4_e2m1fn", ElementType::F4E2M1FN},
    {"int1", ElementType::S1},
    {"int2", ElementType::S2},
    {"int4", ElementType::S4},
    {"uint1", ElementType::U1},
    {"uint2", ElementType::U2},
    {"uint4", ElementType::U4},
};
constexpr NamedType kDescriptors[] = {
    {"b1", ElementType::Pred}, {"i1", ElementType::S8},    {"i2", ElementType::S16}, {"i4", ElementType::S32},
    {"i8", ElementType::S64},  {"u1", ElementType::U8},    {"u2", ElementType::U16}, {"u4", ElementType::U32},
    {"u8", ElementType::U64},  {"f2", ElementType::F16},   {"f4", ElementType::F32}, {"f8", ElementType::F64},
    {"c8", ElementType::C64},  {"c16", ElementType::C128},
};

std::optional<ElementType> find(std::span<const NamedType> table, std::string_view name) {
  auto it = std::ranges::find(table, name, &NamedType::name);
  return it == table.end() ? std::nullopt : std::optional(it->type);
}

// The text after 'key': in the header's Python dictionary.
std::optional<std::string_view> valueAfter(std::string_view header, std::string_view key) {
  size_t at = header.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  at = header.find(':', at + key.size());
  if (at == std::string_view::npos) return std::nullopt;
  at = header.find_first_not_of(' ', at + 1);
  return at == std::string_view::npos ? std::nullopt : std::optional(header.substr(at));
}

Status parseDescriptor(std::string_view text, NpyHeader& out) {
  if (text.size() < 2 || (text[0] != '\'' && text[0] != '"')) return fail("structured arrays are not supported");
  std::string_view descriptor = text.substr(1, std::min(text.find(text[0], 1), text.size()) - 1);
  std::string_view name = descriptor;
  if (!name.empty() && std::string_view("<>|=").contains(name[0])) {
    out.bigEndian = name[0] == '>';
    name.remove_prefix(1);
  }
  auto type = find(kDescriptors, name);
  if (!type && name == "V2") type = ElementType::BF16;  // as NumPy writes ml_dtypes' only type of two bytes
  const std::string what = "arrays of type \"" + std::string(descriptor) + "\"";
  if (!type && name == "V1")
    return fail(what +
                " may be of any 8-bit type: save them as uint8, under a key that ends in __float8_e5m2 or the like");
  if (!type) return fail(what + " are not supported");
  out.type = *type;
  return {};
}

Status parseDimensions(std::string_view text, std::vector<int64_t>& out) {
  if (text.empty() || text[0] != '(') return fail("the npy header's shape does not parse");
  size_t at = 1;
  while (at < text.size() && text[at] != ')') {
    if (text[at] == ' ' || text[at] == ',' || text[at] == 'L') {
      ++at;
      continue;
    }
    int64_t size = 0;
    auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), size);
    if (error != std::errc() || size < 0) return fail("the npy header's shape does not parse");
    out.push_back(size);
    at = static_cast<size_t>(end - text.data());
  }
  return at < text.size() ? Status() : fail("the npy header's shape does not end");
}

uint64_t littleEndian(std::string_view bytes) {
  uint64_t out = 0;
  for (size_t i = bytes.size(); i-- > 0;) out = out << 8 | static_cast<uint8_t>(bytes[i]);
  return out;
}

void swapBytes(std::span<std::byte> data, size_t width) {
  for (size_t at = 0; at + width <= data.size(); at += width)
    std::reverse(data.begin() + static_cast<std::ptrdiff_t>(at),
                 data.begin() + static_cast<std::ptrdiff_t>(at + width));
}

// int4 and its like stand as whole bytes in the file; kept in our form (value extended to the byte).
void normaliseSubByte(ElementType type, std::span<std::byte> data) {
  if (!isSubByte(type) || !isInteger(type)) return;
  for (std::byte& b : data) storeInt(type, &b, static_cast<int8_t>(b));
}

}  // namespace

Result<NpyHeader> parseNpyHeader(std::string_view npy) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  if (npy.size() < 10 || npy.substr(0, 6) != kMagic) return fail("this is no npy array");
  const int version = static_cast<unsigned char>(npy[6]);
  if (version < 1 || version > 3) return fail("npy version " + std::to_string(version) + " is not known");
  const size_t lengthBytes = version == 1 ? 2 : 4, start = 8 + lengthBytes;
  if (npy.size() < start) return fail("the npy header is cut off");
  const uint64_t length = littleEndian(npy.substr(8, lengthBytes));
  if (length > npy.size() - start) return fail("the npy header is cut off");
  std::string_view text = npy.substr(start, length);
  NpyHeader out;
  auto descriptor = valueAfter(text, "descr"), order = valueAfter(text, "fortran_order"),
       shape = valueAfter(text, "shape");
  if (!descriptor || !order || !shape) return fail("the npy header lacks descr, fortran_order or shape");
  TESSERA_TRY(parseDescriptor(*descriptor, out));
  TESSERA_TRY(parseDimensions(*shape, out.dimensions));
  out.fortranOrder = order->starts_with("True");
  out.dataOffset = start + length;
  return out;
}

WrittenType writtenType(ElementType type) {
  for (const NamedType& known : kDescriptors)
    if (known.type == type) return {"", (byteWidth(type) == 1 ? "|" : "<") + std::string(known.name)};
  auto suffix = std::ranges::find(kSuffixes, type, &NamedType::type);
  std::string descriptor = isSigned(type) ? "|i1" : byteWidth(type) == 1 ? "|u1" : "<u2";
  return {"__" + std::string(suffix->name), descriptor};
}

Result<NpyKey> parseNpyKey(std::string_view entry) {
  if (entry.ends_with(".npy")) entry.remove_suffix(4);
  size_t at = entry.rfind("__");
  if (at == std::string_view::npos) return NpyKey{std::string(entry), std::nullopt};
  auto type = find(kSuffixes, entry.substr(at + 2));
  if (!type) return fail("has a type that is not known: " + std::string(entry.substr(at + 2)));
  return NpyKey{std::string(entry.substr(0, at)), type};
}

void fromFileForm(const NpyHeader& header, ElementType type, std::span<std::byte> data) {
  const auto width = static_cast<size_t>(byteWidth(header.type));
  if (header.bigEndian) swapBytes(data, isComplex(type) ? width / 2 : width);
  normaliseSubByte(type, data);
}

void fromColumnMajor(const Shape& shape, const std::byte* source, std::span<std::byte> out) {
  if (out.empty()) return;  // the other dimensions may be as large as they like
  const size_t width = static_cast<size_t>(byteWidth(shape.type));
  const size_t rank = shape.dimensions.size();
  std::vector<int64_t> strides(rank, 1), index(rank, 0);
  for (size_t d = 1; d < rank; ++d) strides[d] = strides[d - 1] * shape.dimensions[d - 1];
  int64_t from = 0;
  for (size_t at = 0; at < out.size(); at += width) {
    std::memcpy(out.data() + at, source + static_cast<size_t>(from) * width, width);
    for (size_t d = rank; d-- > 0;) {
      from += strides[d];
      if (++index[d] < shape.dimensions[d]) break;
      from -= strides[d] * shape.dimensions[d];
      index[d] = 0;
    }
  }
}

std::string zipErrorText(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

}  // namespace tessera
