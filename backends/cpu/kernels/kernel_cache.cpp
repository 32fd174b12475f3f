// See kernel_cache.h. One file an entry: magic, key, checksum of the rest, the encoded code.
#include "backends/cpu/kernels/kernel_cache.h"

#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <vector>

#include <llvm/Config/llvm-config.h>
#include <llvm/Support/BLAKE3.h>
#include <llvm/TargetParser/Host.h>

namespace tessera::cpu {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "tessera kernel 1";
constexpr size_t kHead = kMagic.size() + 32 + 32;
constexpr int64_t kMaxEntryBytes = int64_t{64} << 20;
constexpr int64_t kDaySeconds = 24 * 60 * 60;

KernelCache::Key hashOf(std::string_view bytes) {
  llvm::BLAKE3 hash;
  hash.update(llvm::StringRef(bytes.data(), bytes.size()));
  return hash.final<32>();
}

// --- what code depends on beside its program

struct BuildIdSearch {
  uintptr_t address;
  std::string found;
};

std::string buildIdIn(const char* notes, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof note);
    const size_t name = (note.n_namesz + 3) / 4 * 4, content = (note.n_descsz + 3) / 4 * 4,
                 whole = sizeof note + name + content;
    if (whole > size) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes + sizeof note, "GNU", 4) == 0)
      return {notes + sizeof note + name, note.n_descsz};
    notes += whole;
    size -= whole;
  }
  return {};
}

int visitObject(dl_phdr_info* info, size_t, void* data) {
  auto& search = *static_cast<BuildIdSearch*>(data);
  bool holds = false;
  std::string id;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD) holds = holds || (search.address >= begin && search.address - begin < header.p_memsz);
    if (header.p_type == PT_NOTE && id.empty()) id = buildIdIn(reinterpret_cast<const char*>(begin), header.p_memsz);
  }
  if (holds) search.found = std::move(id);
  return holds ? 1 : 0;
}

// The linker's hash of the shared object that holds the address; "": it has none.
std::string buildIdOf(const void* address) {
  BuildIdSearch search{reinterpret_cast<uintptr_t>(address), {}};
  dl_iterate_phdr(visitObject, &search);
  return std::move(search.found);
}

// "" when it is not known which build this is; then nothing may be kept.
std::string environmentOf(const HostProcessor& host) {
  static const std::string ours = buildIdOf(reinterpret_cast<const void*>(&environmentOf));
  static const std::string theirs = buildIdOf(reinterpret_cast<const void*>(&llvm::sys::getProcessTriple));
  if (ours.empty()) return {};
  std::string out;
  for (const std::string& part : {ours, theirs, std::string(LLVM_VERSION_STRING), host.name, host.features}) {
    out += part;
    out += '\0';
  }
  return out;
}

// --- the program as bytes

class Bytes {
 public:
  void number(int64_t value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void numbers(std::span<const int64_t> values) {
    number(static_cast<int64_t>(values.size()));
    for (int64_t value : values) number(value);
  }
  void nodes(std::span<const NodeId> ids) {
    number(static_cast<int64_t>(ids.size()));
    for (NodeId id : ids) number(id.value);
  }
  void shapes(std::span<const Shape> shapes) {
    number(static_cast<int64_t>(shapes.size()));
    for (const Shape& shape : shapes) {
      number(static_cast<int64_t>(shape.type));
      numbers(shape.dimensions);
    }
  }
  std::string out;
};

void append(Bytes& out, const ElementProgram& program) {
  out.shapes(program.operands);
  out.numbers(program.outputDims);
  out.number(static_cast<int64_t>(program.nodes.size()));
  for (const Node& node : program.nodes) {
    out.number(static_cast<int64_t>(node.op) << 8 | static_cast<int64_t>(node.type));
    out.number(static_cast<int64_t>(node.firstInput) << 32 | node.inputCount);
    out.number(static_cast<int64_t>(node.bits0));
    out.number(static_cast<int64_t>(node.bits1));
  }
  out.nodes(program.inputs);
  out.number(static_cast<int64_t>(program.loops.size()));
  for (const Loop& loop : program.loops) {
    out.numbers(loop.ranges);
    out.nodes(loop.inits);
    out.nodes(loop.next);
    out.number(loop.associative);
  }
  out.nodes(program.results);
}

void append(Bytes& out, const LoopProgram& program) {
  append(out, program.body);
  out.shapes(program.outputs);
  out.numbers(program.initialOperand);
  out.number(static_cast<int64_t>(program.stores.size()));
  for (const Store& store : program.stores) {
    out.number(static_cast<int64_t>(store.output));
    out.nodes(store.indices);
    out.number(store.guard.value);
    out.number(store.value.value);
  }
  out.number(program.parallelDims);
}

void append(Bytes& out, const codegen::TileShape& tile) {
  for (int64_t value : {static_cast<int64_t>(tile.type), int64_t{tile.rows}, int64_t{tile.vectors}, int64_t{tile.lanes},
                        int64_t{tile.fused}})
    out.number(value);
}

void append(Bytes& out, const RegionProgram& region) {
  out.number(static_cast<int64_t>(region.buffers.size()));
  for (const RegionBuffer& buffer : region.buffers) {
    out.number(buffer.bytes);
    out.number(buffer.inRegister | buffer.in << 1 | buffer.out << 2);
  }
  out.number(static_cast<int64_t>(region.mayAlias.size()));
  for (const auto& [lower, higher] : region.mayAlias) out.number(static_cast<int64_t>(lower) << 32 | higher);
  out.number(static_cast<int64_t>(region.programs.size()));
  for (const LoopProgram& program : region.programs) append(out, program);
  auto numbers = [&](const std::vector<uint32_t>& values) {
    out.number(static_cast<int64_t>(values.size()));
    for (uint32_t value : values) out.number(value);
  };
  out.number(static_cast<int64_t>(region.blocks.size()));
  for (const std::vector<RegionStep>& block : region.blocks) {
    out.number(static_cast<int64_t>(block.size()));
    for (const RegionStep& step : block) {
      out.number(static_cast<int64_t>(step.kind) << 1 | step.byPredicate);
      out.number(step.program);
      out.number(step.bytes);
      numbers(step.buffers);
      numbers(step.blocks);
    }
  }
}

// --- files

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  bool isOpen() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  bool close() { return ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_;
};

// Ours alone to write: else another user could make us run code of his.
bool isSafeFolder(const std::string& folder) {
  std::error_code error;
  const fs::path path(folder);
  fs::create_directories(path.parent_path(), error);
  ::mkdir(folder.c_str(), 0700);
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  return status.st_uid == ::geteuid() && (status.st_mode & 022) == 0 &&
         ::access(folder.c_str(), R_OK | W_OK | X_OK) == 0;
}

std::optional<std::string> contentOf(const std::string& path) {
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));  // a pipe would wait for a writer
  struct stat status {};
  if (!file.isOpen() || ::fstat(file.descriptor(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size > kMaxEntryBytes)
    return std::nullopt;
  std::string content(static_cast<size_t>(status.st_size), '\0');
  size_t at = 0;
  while (at < content.size()) {
    const ssize_t n = ::read(file.descriptor(), content.data() + at, content.size() - at);
    if (n <= 0) return std::nullopt;
    at += static_cast<size_t>(n);
  }
  // Used today: the last to be thrown away.
  if (status.st_mtime + kDaySeconds < ::time(nullptr)) ::futimens(file.descriptor(), nullptr);
  return content;
}

bool writeContent(const std::string& path, std::string_view content) {
  File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.isOpen()) return false;
  while (!content.empty()) {
    const ssize_t n = ::write(file.descriptor(), content.data(), content.size());
    if (n <= 0) return false;
    content.remove_prefix(static_cast<size_t>(n));
  }
  return file.close();
}

std::string_view asText(const KernelCache::Key& key) { return {reinterpret_cast<const char*>(key.data()), key.size()}; }

// The code of a whole and undamaged entry of this key.
std::optional<KernelCode> codeIn(std::string_view content, const KernelCache::Key& key) {
  if (content.size() < kHead || !content.starts_with(kMagic) || content.substr(kMagic.size(), 32) != asText(key))
    return std::nullopt;
  const std::string_view body = content.substr(kHead);
  if (content.substr(kMagic.size() + 32, 32) != asText(hashOf(body))) return std::nullopt;
  return decoded(body);
}

struct Kept {
  std::string path;
  int64_t bytes, usedAt;
};

}  // namespace

KernelCache::KernelCache(std::string folder, const HostProcessor& host, int64_t mostBytes)
    : folder_(std::move(folder)),
      environment_(folder_.empty() ? std::string() : environmentOf(host)),
      mostBytes_(mostBytes) {
  on_ = !environment_.empty() && isSafeFolder(folder_);
}

KernelCache::Key KernelCache::keyOf(const KernelSource& source) const {
  Bytes bytes;
  bytes.out = environment_;
  bytes.number(source.tile ? 1 : source.region ? 2 : 0);
  if (source.tile)
    append(bytes, *source.tile);
  else if (source.region)
    append(bytes, *source.region);
  else
    append(bytes, source.program);
  bytes.number(source.streams ? 1 : 0);
  return hashOf(bytes.out);
}

std::string KernelCache::pathOf(const Key& key) const {
  std::string name = folder_ + "/";
  for (size_t i = 0; i < 20; ++i) {
    name += "0123456789abcdef"[key[i] >> 4];
    name += "0123456789abcdef"[key[i] & 15];
  }
  return name;
}

std::optional<KernelCode> KernelCache::find(const Key& key) const {
  if (!isOn()) return std::nullopt;
  const std::string path = pathOf(key);
  auto content = contentOf(path);
  if (!content) return std::nullopt;
  auto code = codeIn(*content, key);
  if (!code) ::unlink(path.c_str());
  return code;
}

void KernelCache::store(const Key& key, const KernelCode& code) {
  if (!isOn()) return;
  static std::atomic<uint64_t> count{0};
  const std::string body = encoded(code), path = pathOf(key);
  const std::string temporary =
      folder_ + "/tmp-" + std::to_string(::getpid()) + "-" + std::to_string(count.fetch_add(1));
  std::string content(kMagic);
  content += asText(key);
  content += asText(hashOf(body));
  content += body;
  if (writeContent(temporary, content) && ::rename(temporary.c_str(), path.c_str()) == 0) return;
  ::unlink(temporary.c_str());
  on_ = false;  // a full or lost disk: not tried again for each kernel
}

void KernelCache::trim() const {
  std::error_code error;
  std::vector<Kept> kept;
  int64_t total = 0;
  const int64_t now = ::time(nullptr);
  for (auto at = fs::directory_iterator(folder_, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    const std::string path = at->path().string();
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    const bool left = at->path().filename().string().starts_with("tmp-") && status.st_mtime + kDaySeconds < now;
    if (left)
      ::unlink(path.c_str());  // of a process that was killed
    else
      kept.push_back({path, status.st_size, status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1'000'000});
    total += left ? 0 : status.st_size;
  }
  if (total <= mostBytes_) return;
  std::ranges::sort(kept, {}, &Kept::usedAt);
  for (const Kept& entry : kept) {
    if (total <= mostBytes_ / 4 * 3) return;
    if (::unlink(entry.path.c_str()) == 0) total -= entry.bytes;
  }
}

}  // namespace tessera::cpu
