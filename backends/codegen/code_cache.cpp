// See code_cache.h. One file an entry: magic, key, the keyed hash of the key and of what follows, the code.
#include "backends/codegen/code_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include <llvm-c/blake3.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/TargetParser/Host.h>

#include "core/base/sorting.h"
#include "core/base/tuning_constants.h"

namespace tessera::codegen {

namespace {

constexpr std::string_view kMagic = "tessera code 1";
constexpr size_t kHead = kMagic.size() + 32 + 32;
constexpr int64_t kMaxEntryBytes = int64_t{64} << 20;
constexpr int64_t kDaySeconds = 24 * 60 * 60;

std::string_view asText(const CodeKey& key) { return {reinterpret_cast<const char*>(key.data()), key.size()}; }

std::string nameOf(const CodeKey& key) {
  std::string name;
  for (size_t i = 0; i < 20; ++i) {
    name += "0123456789abcdef"[key[i] >> 4];
    name += "0123456789abcdef"[key[i] & 15];
  }
  return name;
}

// BLAKE3 with a key is a message authentication code: without the secret none can be made.
std::array<uint8_t, 32> tagOf(const UserKey& secret, const CodeKey& key, std::string_view body) {
  llvm_blake3_hasher hasher;
  llvm_blake3_hasher_init_keyed(&hasher, secret.data());
  llvm_blake3_hasher_update(&hasher, key.data(), key.size());
  llvm_blake3_hasher_update(&hasher, body.data(), body.size());
  std::array<uint8_t, 32> out;
  llvm_blake3_hasher_finalize(&hasher, out.data(), out.size());
  return out;
}

std::optional<std::string> contentOf(int folder, const std::string& name) {
  // A pipe would wait for a writer.
  const Descriptor file(::openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!file.isOpen() || !isPrivateFile(file.get(), true) || ::fstat(file.get(), &status) != 0 ||
      status.st_size > kMaxEntryBytes)
    return std::nullopt;
  std::string content(static_cast<size_t>(status.st_size), '\0');
  size_t at = 0;
  while (at < content.size()) {
    const ssize_t n = ::read(file.get(), content.data() + at, content.size() - at);
    if (n <= 0) return std::nullopt;
    at += static_cast<size_t>(n);
  }
  // Used today: the last to be thrown away.
  if (status.st_mtime + kDaySeconds < ::time(nullptr)) ::futimens(file.get(), nullptr);
  return content;
}

bool writeContent(int folder, const std::string& name, std::string_view content) {
  Descriptor file(::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.isOpen()) return false;
  while (!content.empty()) {
    const ssize_t n = ::write(file.get(), content.data(), content.size());
    if (n <= 0) return false;
    content.remove_prefix(static_cast<size_t>(n));
  }
  return file.close();
}

// The code of a whole entry of this key that this user wrote.
std::optional<std::string> codeIn(std::string_view content, const CodeKey& key, const UserKey& secret) {
  if (content.size() < kHead || !content.starts_with(kMagic) || content.substr(kMagic.size(), 32) != asText(key))
    return std::nullopt;
  const std::string_view body = content.substr(kHead);
  if (content.substr(kMagic.size() + 32, 32) != asText(tagOf(secret, key, body))) return std::nullopt;
  return std::string(body);
}

struct Entry {
  std::string name;
  int64_t bytes, usedAt;
};

// What is in the folder; what a killed process left behind is removed.
std::vector<Entry> entriesOf(int folder) {
  std::vector<Entry> out;
  const int64_t now = ::time(nullptr);
  Descriptor listed(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::unique_ptr<DIR, int (*)(DIR*)> stream(listed.isOpen() ? ::fdopendir(listed.get()) : nullptr, &::closedir);
  if (!stream) return out;
  listed.release();
  while (const dirent* each = ::readdir(stream.get())) {
    struct stat status {};
    if (::fstatat(folder, each->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
    std::string name = each->d_name;
    if (name.starts_with("tmp-") && status.st_mtime + kDaySeconds < now)
      ::unlinkat(folder, name.c_str(), 0);
    else
      out.push_back(
          {std::move(name), status.st_size, status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1'000'000});
  }
  return out;
}

// --- which build this is

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

}  // namespace

CodeKey hashOf(std::string_view bytes) {
  llvm_blake3_hasher hasher;
  llvm_blake3_hasher_init(&hasher);
  llvm_blake3_hasher_update(&hasher, bytes.data(), bytes.size());
  CodeKey out;
  llvm_blake3_hasher_finalize(&hasher, out.data(), out.size());
  return out;
}

std::string buildIdOf(const void* address) {
  BuildIdSearch search{reinterpret_cast<uintptr_t>(address), {}};
  dl_iterate_phdr(visitObject, &search);
  return std::move(search.found);
}

std::string buildEnvironment() {
  static const std::string ours = buildIdOf(reinterpret_cast<const void*>(&buildEnvironment));
  static const std::string theirs = buildIdOf(reinterpret_cast<const void*>(&llvm::sys::getProcessTriple));
  if (ours.empty()) return {};
  std::string out;
  for (const std::string& part : {ours, theirs, std::string(LLVM_VERSION_STRING), bytesOf(tuning())}) {
    out += part;
    out += '\0';
  }
  return out;
}

CodeCache::CodeCache(const std::string& folder, int64_t mostBytes) : mostBytes_(mostBytes) {
  if (folder.empty() || buildEnvironment().empty()) return;
  auto opened = openPrivateFolder(folder);
  const auto secret = opened ? userKey("kernel_cache_key") : std::nullopt;
  if (!secret) return;
  folder_ = *std::move(opened);
  secret_ = *secret;
  on_ = true;
}

std::optional<std::string> CodeCache::find(const CodeKey& key) const {
  if (!isOn()) return std::nullopt;
  const auto content = contentOf(folder_.get(), nameOf(key));
  if (!content) return std::nullopt;
  auto code = codeIn(*content, key, secret_);
  if (!code) remove(key);
  return code;
}

void CodeCache::remove(const CodeKey& key) const { ::unlinkat(folder_.get(), nameOf(key).c_str(), 0); }

void CodeCache::store(const CodeKey& key, std::string_view code) {
  if (!isOn()) return;
  static std::atomic<uint64_t> count{0};
  const std::string name = nameOf(key);
  const std::string temporary = "tmp-" + std::to_string(::getpid()) + "-" + std::to_string(count.fetch_add(1));
  std::string content(kMagic);
  content += asText(key);
  content += asText(tagOf(secret_, key, code));
  content += code;
  if (writeContent(folder_.get(), temporary, content) &&
      ::renameat(folder_.get(), temporary.c_str(), folder_.get(), name.c_str()) == 0)
    return;
  ::unlinkat(folder_.get(), temporary.c_str(), 0);
  on_ = false;  // a full or lost disk: not tried again for each piece
}

void CodeCache::trim() const {
  if (!folder_.isOpen()) return;
  std::vector<Entry> entries = entriesOf(folder_.get());
  int64_t total = 0;
  for (const Entry& entry : entries) total += entry.bytes;
  if (total <= mostBytes_) return;
  sortBy(entries, &Entry::usedAt);
  for (const Entry& entry : entries) {
    if (total <= mostBytes_ / 4 * 3) return;
    if (::unlinkat(folder_.get(), entry.name.c_str(), 0) == 0) total -= entry.bytes;
  }
}

}  // namespace tessera::codegen
