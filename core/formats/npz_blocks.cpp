// See npz_blocks.h.
#include "core/formats/npz_blocks.h"

#include <algorithm>
#include <numeric>

#include "core/formats/npy_header.h"
#include "core/formats/npz.h"
#include "core/hlo/index_math.h"

namespace tessera {
namespace {

struct EntryCloser {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Entry = std::unique_ptr<zip_file_t, EntryCloser>;

// Reads an entry forwards; what is left out is jumped over where the entry is stored as it is.
class EntryReader {
 public:
  EntryReader(zip_t* archive, zip_uint64_t index) : entry_(zip_fopen_index(archive, index, 0)) {
    zip_stat_t stat;
    isStored_ = zip_stat_index(archive, index, 0, &stat) == 0 && (stat.valid & ZIP_STAT_COMP_METHOD) &&
                stat.comp_method == ZIP_CM_STORE;
  }
  bool good() const { return entry_ != nullptr; }

  Status read(std::span<std::byte> out) {
    while (!out.empty()) {
      const zip_int64_t got = zip_fread(entry_.get(), out.data(), out.size());
      if (got < 0) return fail("is damaged: " + std::string(zip_file_strerror(entry_.get())));
      if (got == 0) return fail("is shorter than its header says");
      out = out.subspan(static_cast<size_t>(got));
      at_ += static_cast<uint64_t>(got);
    }
    return {};
  }

  Status goTo(uint64_t place) {
    if (isStored_ && place != at_ && zip_fseek(entry_.get(), static_cast<zip_int64_t>(place), SEEK_SET) == 0)
      at_ = place;
    std::vector<std::byte> thrown(std::min<uint64_t>(place - at_, size_t{1} << 20));
    while (at_ < place) TESSERA_TRY(read(std::span(thrown).first(std::min<uint64_t>(thrown.size(), place - at_))));
    return {};
  }

 private:
  Entry entry_;
  bool isStored_ = false;
  uint64_t at_ = 0;
};

struct StoredArray {
  zip_uint64_t index = 0;
  NpyHeader header;
  ElementType type = ElementType::Invalid;
};

Result<StoredArray> headerOf(zip_t* archive, zip_uint64_t index, std::optional<ElementType> suffixType) {
  EntryReader reader(archive, index);
  if (!reader.good()) return fail(std::string("cannot be unpacked: ") + zip_strerror(archive));
  // Magic, version and the header's length; then the header.
  std::string text(12, '\0');
  TESSERA_TRY(reader.read(std::as_writable_bytes(std::span(text))));
  const bool isFirst = text[6] == 1;
  const auto byteAt = [&](size_t at) { return static_cast<size_t>(static_cast<unsigned char>(text[at])); };
  const size_t length = 8 + (isFirst ? 2 + byteAt(8) + (byteAt(9) << 8)
                                     : 4 + byteAt(8) + (byteAt(9) << 8) + (byteAt(10) << 16) + (byteAt(11) << 24));
  constexpr size_t kLongest = size_t{1} << 20;
  if (length > kLongest) return fail("this is no npy array");
  const size_t before = std::min(text.size(), length);
  text.resize(length);
  TESSERA_TRY(reader.read(std::as_writable_bytes(std::span(text)).subspan(before)));
  TESSERA_ASSIGN_OR_RETURN(NpyHeader header, parseNpyHeader(text));
  StoredArray out{index, header, suffixType.value_or(header.type)};
  if (byteWidth(out.type) != byteWidth(header.type))
    return fail("the array's type does not have the width of " + std::string(nameOf(out.type)));
  return out;
}

}  // namespace

struct NpzBlocks::State {
  std::filesystem::path path;
  Archive archive;
  std::map<std::string, StoredArray> arrays;
  std::map<std::string, Shape> shapes;

  std::unexpected<Diagnostic> fails(const std::string& key, const std::string& message) const {
    return fail({.kind = ErrorKind::Input, .message = key + " " + message, .file = path.string()});
  }
};

NpzBlocks::NpzBlocks(std::unique_ptr<State> state) : state_(std::move(state)) {}
NpzBlocks::NpzBlocks(NpzBlocks&&) noexcept = default;
NpzBlocks& NpzBlocks::operator=(NpzBlocks&&) noexcept = default;
NpzBlocks::~NpzBlocks() = default;
const std::map<std::string, Shape>& NpzBlocks::shapes() const { return state_->shapes; }

Result<NpzBlocks> NpzBlocks::open(const std::filesystem::path& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  int code = 0;
  state->archive.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (!state->archive)
    return fail(
        {.kind = ErrorKind::Input, .message = "cannot be opened as npz: " + zipErrorText(code), .file = path.string()});
  const zip_int64_t count = zip_get_num_entries(state->archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    const char* name = zip_get_name(state->archive.get(), index, 0);
    auto key = parseNpyKey(name ? name : "");
    if (!key) return state->fails(name ? name : "?", key.error().message);
    auto array = headerOf(state->archive.get(), index, key->type);
    if (!array) return state->fails(name ? name : "?", array.error().message);
    state->shapes[key->name] = Shape::arrayRowMajor(array->type, array->header.dimensions);
    state->arrays[key->name] = *array;
  }
  return NpzBlocks(std::move(state));
}

Result<Literal> NpzBlocks::whole(const std::string& key) const {
  const Shape& shape = state_->shapes.at(key);
  return block(key, std::vector<int64_t>(shape.dimensions.size(), 0), shape.dimensions);
}

Result<Literal> NpzBlocks::block(const std::string& key, std::span<const int64_t> start,
                                 std::span<const int64_t> sizes) const {
  const StoredArray& array = state_->arrays.at(key);
  std::vector<int64_t> dims = array.header.dimensions, from(start.begin(), start.end()),
                       part(sizes.begin(), sizes.end());
  // An array in column-major order is the transposed one in row-major order.
  if (array.header.fortranOrder)
    for (auto* each : {&dims, &from, &part}) std::ranges::reverse(*each);
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(Shape::arrayRowMajor(array.type, part)));
  EntryReader reader(state_->archive.get(), array.index);
  if (!reader.good()) return state_->fails(key, "cannot be unpacked");
  // The last dimensions that are taken whole make one run with the one before them.
  size_t outer = dims.size();
  while (outer > 0 && part[outer - 1] == dims[outer - 1]) --outer;
  if (outer > 0) --outer;
  const int64_t width = byteWidth(array.type);
  const auto run = static_cast<size_t>(productOf(std::span(part).subspan(outer)) * width);
  const IndexVector strides = rowMajorStrides(dims);
  std::vector<int64_t> index(outer, 0);
  for (std::span<std::byte> rest = out.mutableBytes(); run > 0 && !rest.empty(); rest = rest.subspan(run)) {
    int64_t place = 0;
    for (size_t d = 0; d < dims.size(); ++d) place += (from[d] + (d < outer ? index[d] : 0)) * strides[d];
    Status got = reader.goTo(array.header.dataOffset + static_cast<uint64_t>(place * width));
    if (got) got = reader.read(rest.first(run));
    if (!got) return state_->fails(key, got.error().message);
    for (size_t d = outer; d-- > 0;) {
      if (++index[d] < part[d]) break;
      index[d] = 0;
    }
  }
  fromFileForm(array.header, array.type, out.mutableBytes());
  if (!array.header.fortranOrder || dims.size() < 2) return out;
  TESSERA_ASSIGN_OR_RETURN(Literal rowMajor, Literal::allocate(Shape::arrayRowMajor(
                                                 array.type, std::vector<int64_t>(sizes.begin(), sizes.end()))));
  fromColumnMajor(rowMajor.shape(), out.bytes().data(), rowMajor.mutableBytes());
  return rowMajor;
}

}  // namespace tessera
