// npz archives: zip by libzip, npy headers of versions 1 to 3, both element orders and both byte orders. Types that
// NumPy lacks carry a suffix on the key.
#include "core/formats/npz.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "core/formats/file_content.h"
#include "core/formats/npy_header.h"

namespace tessera {
namespace {

std::unexpected<Diagnostic> failFile(ErrorKind kind, const std::filesystem::path& path, std::string message) {
  return fail({.kind = kind, .message = std::move(message), .file = path.string()});
}

// --- npy

Result<Literal> parseNpy(std::string_view npy, std::optional<ElementType> suffixType) {
  TESSERA_ASSIGN_OR_RETURN(NpyHeader header, parseNpyHeader(npy));
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
  fromFileForm(header, type, out.mutableBytes());
  return out;
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

Result<std::pair<std::string, Literal>> readArray(zip_t* archive, zip_uint64_t index) {
  zip_stat_t stat;
  if (zip_stat_index(archive, index, 0, &stat) != 0 || !(stat.valid & ZIP_STAT_NAME) || !(stat.valid & ZIP_STAT_SIZE))
    return fail("cannot be read");
  TESSERA_ASSIGN_OR_RETURN(NpyKey key, parseNpyKey(stat.name));
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
