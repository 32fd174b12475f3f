// npz archives: zip by libzip, npy headers of versions 1 to 3, both element orders and both byte orders. Types that
// NumPy lacks carry a suffix on the key.
#include "core/formats/npz.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>

#include "core/base/checked_math.h"
#include "core/formats/file_content.h"
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

std::unexpected<Diagnostic> failFile(ErrorKind kind, const std::filesystem::path& path, std::string message) {
  return fail({.kind = kind, .message = std::move(message), .file = path.string()});
}

// --- npy

struct NpyHeader {
  ElementType type = ElementType::Invalid;
  bool bigEndian = false;
  bool fortranOrder = false;
  std::vector<int64_t> dimensions;
  size_t dataOffset = 0;
};

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
  if (!type) return fail("arrays of type \"" + std::string(descriptor) + "\" are not supported");
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

Result<NpyHeader> parseHeader(std::string_view npy) {
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

void swapBytes(std::span<std::byte> data, size_t width) {
  for (size_t at = 0; at + width <= data.size(); at += width)
    std::reverse(data.begin() + static_cast<std::ptrdiff_t>(at),
                 data.begin() + static_cast<std::ptrdiff_t>(at + width));
}

// Copies column-major data into row-major order.
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

// int4 and its like stand as whole bytes in the file; kept in our form (value extended to the byte).
void normaliseSubByte(ElementType type, std::span<std::byte> data) {
  if (!isSubByte(type) || !isInteger(type)) return;
  for (std::byte& b : data) storeInt(type, &b, static_cast<int8_t>(b));
}

Result<Literal> parseNpy(std::string_view npy, std::optional<ElementType> suffixType) {
  TESSERA_ASSIGN_OR_RETURN(NpyHeader header, parseHeader(npy));
  const size_t storedWidth = static_cast<size_t>(byteWidth(header.type));
  const ElementType type = suffixType.value_or(header.type);
  if (static_cast<size_t>(byteWidth(type)) != storedWidth)
    return fail("the array's type does not have the width of " + std::string(nameOf(type)));
  Shape shape = Shape::arrayRowMajor(type, header.dimensions);
  auto bytes = shape.denseBytes();
  if (!bytes || static_cast<uint64_t>(*bytes) != npy.size() - header.dataOffset)
    return fail(fmt::format("an array of shape {} does not take {} bytes", toString(shape, false),
                            npy.size() - header.dataOffset));
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(shape));
  const auto* data = reinterpret_cast<const std::byte*>(npy.data()) + header.dataOffset;
  if (header.fortranOrder && shape.dimensions.size() > 1)
    fromColumnMajor(shape, data, out.mutableBytes());
  else if (*bytes > 0)
    std::memcpy(out.mutableBytes().data(), data, static_cast<size_t>(*bytes));
  if (header.bigEndian) swapBytes(out.mutableBytes(), isComplex(type) ? storedWidth / 2 : storedWidth);
  normaliseSubByte(type, out.mutableBytes());
  return out;
}

// Suffix and descriptor under which a type is written.
struct WrittenType {
  std::string suffix, descriptor;
};
WrittenType writtenType(ElementType type) {
  for (const NamedType& known : kDescriptors)
    if (known.type == type) return {"", (byteWidth(type) == 1 ? "|" : "<") + std::string(known.name)};
  auto suffix = std::ranges::find(kSuffixes, type, &NamedType::type);
  std::string descriptor = isSigned(type) ? "|i1" : byteWidth(type) == 1 ? "|u1" : "<u2";
  return {"__" + std::string(suffix->name), descriptor};
}

std::string npyHeader(const Shape& shape, const std::string& descriptor) {
  std::string dims = fmt::format("{}", fmt::join(shape.dimensions, ", "));
  if (shape.dimensions.size() == 1) dims += ",";
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descriptor, dims);
  text.append(63 - (text.size() + 10) % 64, ' ');
  text += '\n';
  const auto length = static_cast<uint16_t>(text.size());
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(length & 0xff);
  out += static_cast<char>(length >> 8);
  return out + text;
}

// --- zip

struct ArchiveCloser {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, ArchiveCloser>;

std::string zipErrorText(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

Result<std::string> readEntry(zip_t* archive, zip_uint64_t index, uint64_t size) {
  auto closer = [](zip_file_t* file) { zip_fclose(file); };
  std::unique_ptr<zip_file_t, decltype(closer)> file(zip_fopen_index(archive, index, 0), closer);
  if (!file) return fail(std::string("cannot be unpacked: ") + zip_strerror(archive));
  std::string out;
  constexpr size_t kStep = 1u << 24;  // grows with what is really there, whatever the directory claims
  while (out.size() < size) {
    const size_t step = std::min<uint64_t>(kStep, size - out.size()), before = out.size();
    out.resize(before + step);
    zip_int64_t got = zip_fread(file.get(), out.data() + before, step);
    if (got < 0) return fail("is damaged: " + std::string(zip_file_strerror(file.get())));
    out.resize(before + static_cast<size_t>(got));
    if (got == 0) return fail("is shorter than the archive says");
  }
  return out;
}

struct Key {
  std::string name;
  std::optional<ElementType> type;
};
Result<Key> parseKey(std::string_view entry) {
  if (entry.ends_with(".npy")) entry.remove_suffix(4);
  size_t at = entry.rfind("__");
  if (at == std::string_view::npos) return Key{std::string(entry), std::nullopt};
  auto type = find(kSuffixes, entry.substr(at + 2));
  if (!type) return fail("has a type that is not known: " + std::string(entry.substr(at + 2)));
  return Key{std::string(entry.substr(0, at)), type};
}

Result<std::pair<std::string, Literal>> readArray(zip_t* archive, zip_uint64_t index) {
  zip_stat_t stat;
  if (zip_stat_index(archive, index, 0, &stat) != 0 || !(stat.valid & ZIP_STAT_NAME) || !(stat.valid & ZIP_STAT_SIZE))
    return fail("cannot be read");
  TESSERA_ASSIGN_OR_RETURN(Key key, parseKey(stat.name));
  TESSERA_ASSIGN_OR_RETURN(std::string npy, readEntry(archive, index, stat.size));
  TESSERA_ASSIGN_OR_RETURN(Literal literal, parseNpy(npy, key.type));
  return std::pair(std::move(key.name), std::move(literal));
}

}  // namespace

Result<std::string> npyBytes(const Literal& literal) {
  if (!literal.shape().isArray())
    return fail("only arrays can be written as npy, not " + toString(literal.shape(), false));
  std::string npy = npyHeader(literal.shape(), writtenType(literal.shape().type).descriptor);
  npy.append(reinterpret_cast<const char*>(literal.bytes().data()), literal.bytes().size());
  return npy;
}

namespace {

Status addArray(zip_t* archive, const std::string& name, const Literal& literal, std::vector<std::string>& buffers) {
  WrittenType type = writtenType(literal.shape().type);
  TESSERA_ASSIGN_OR_RETURN(std::string bytes, npyBytes(literal));
  std::string& npy = buffers.emplace_back(std::move(bytes));
  zip_source_t* source = zip_source_buffer(archive, npy.data(), npy.size(), 0);
  if (!source) return fail(std::string(zip_strerror(archive)));
  zip_int64_t index = zip_file_add(archive, (name + type.suffix + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return fail(std::string(zip_strerror(archive)));
  }
  constexpr zip_uint16_t kDate = (1 << 5) | 1;  // 1980-01-01: the same values give the same file
  constexpr zip_uint32_t kFastest = 1;
  zip_file_set_dostime(archive, static_cast<zip_uint64_t>(index), 0, kDate, 0);
  zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_DEFLATE, kFastest);
  return {};
}

Result<NamedArrays> readArrays(zip_t* archive, const std::filesystem::path& path) {
  NamedArrays out;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    auto array = readArray(archive, static_cast<zip_uint64_t>(i));
    const char* name = zip_get_name(archive, static_cast<zip_uint64_t>(i), 0);
    if (!array) return failFile(ErrorKind::Input, path, std::string(name ? name : "?") + " " + array.error().message);
    out.insert(std::move(*array));
  }
  return out;
}

struct SourceCloser {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Source = std::unique_ptr<zip_source_t, SourceCloser>;

// A zip archive without entries: only the record that ends its directory.
constexpr std::string_view kEmptyArchive("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);

// The finished archive that the source holds.
Result<std::string> bytesOf(zip_source_t* source) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_source_stat(source, &stat) != 0 || zip_source_open(source) != 0) return fail("the archive cannot be made");
  std::string bytes(stat.size, '\0');
  const zip_int64_t got = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  if (got != static_cast<zip_int64_t>(bytes.size())) return fail("the archive cannot be made");
  return bytes;
}

Result<std::string> archiveOf(const NamedArrays& arrays) {
  if (arrays.empty()) return std::string(kEmptyArchive);  // libzip makes no archive without entries
  zip_error_t error;
  zip_error_init(&error);
  Source source(zip_source_buffer_create(nullptr, 0, 0, &error));
  if (!source) return fail(std::string(zip_error_strerror(&error)));
  zip_source_keep(source.get());  // the archive takes one reference, we read by the other
  zip_t* opened = zip_open_from_source(source.get(), ZIP_CREATE | ZIP_TRUNCATE, &error);
  if (!opened) {
    zip_source_free(source.get());
    return fail(std::string(zip_error_strerror(&error)));
  }
  Archive archive(opened);
  std::vector<std::string> buffers;  // alive until the archive is closed
  buffers.reserve(arrays.size());
  for (const auto& [name, literal] : arrays) TESSERA_TRY(addArray(archive.get(), name, literal, buffers));
  zip_t* whole = archive.release();
  if (zip_close(whole) != 0) {
    archive.reset(whole);  // still ours
    return fail(std::string(zip_strerror(whole)));
  }
  return bytesOf(source.get());
}

}  // namespace

Result<NamedArrays> readNpz(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return failFile(ErrorKind::Input, path, "is a directory");
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (!archive) return failFile(ErrorKind::Input, path, "cannot be opened as npz: " + zipErrorText(code));
  return readArrays(archive.get(), path);
}

Result<NamedArrays> readNpz(Descriptor file, const std::filesystem::path& path) {
  int code = 0;
  Archive archive(zip_fdopen(file.get(), 0, &code));
  if (!archive) return failFile(ErrorKind::Input, path, "cannot be opened as npz: " + zipErrorText(code));
  file.release();  // the archive closes it
  return readArrays(archive.get(), path);
}

Result<std::string> npzBytes(const NamedArrays& arrays) { return archiveOf(arrays); }

Result<Literal> readNpyBytes(std::string_view bytes) { return parseNpy(bytes, std::nullopt); }

Result<NamedArrays> readNpzBytes(std::string_view bytes) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (!source)
    return failFile(ErrorKind::Input, "", "cannot be opened as npz: " + std::string(zip_error_strerror(&error)));
  Archive archive(zip_open_from_source(source, ZIP_RDONLY, &error));
  if (archive) return readArrays(archive.get(), "");
  zip_source_free(source);
  return failFile(ErrorKind::Input, "", "cannot be opened as npz: " + std::string(zip_error_strerror(&error)));
}

Status writeNpz(const std::filesystem::path& path, const NamedArrays& arrays) {
  auto bytes = archiveOf(arrays);
  if (!bytes) return failFile(ErrorKind::Output, path, "cannot be written: " + bytes.error().message);
  return writeFileAtomically(path, *bytes);
}

}  // namespace tessera
