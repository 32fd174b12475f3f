// See kernel_cache.h. One file an entry: magic, key, the keyed hash of the key and of what follows, the encoded code.
#include "backends/cpu/kernels/kernel_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <vector>

#include <llvm-c/blake3.h>

#include "core/base/sorting.h"

namespace tessera::cpu {

namespace {

constexpr std::string_view kMagic = "tessera kernel 2";
constexpr size_t kHead = kMagic.size() + 32 + 32;
constexpr int64_t kMaxEntryBytes = int64_t{64} << 20;
constexpr int64_t kDaySeconds = 24 * 60 * 60;

std::string_view asText(const KernelCache::Key& key) { return {reinterpret_cast<const char*>(key.data()), key.size()}; }

std::string nameOf(const KernelCache::Key& key) {
  std::string name;
  for (size_t i = 0; i < 20; ++i) {
    name += "0123456789abcdef"[key[i] >> 4];
    name += "0123456789abcdef"[key[i] & 15];
  }
  return name;
}

// BLAKE3 with a key is a message authentication code: without the secret none can be made.
std::array<uint8_t, 32> tagOf(const UserKey& secret, const KernelCache::Key& key, std::string_view body) {
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
std::optional<KernelCode> codeIn(std::string_view content, const KernelCache::Key& key, const UserKey& secret) {
  if (content.size() < kHead || !content.starts_with(kMagic) || content.substr(kMagic.size(), 32) != asText(key))
    return std::nullopt;
  const std::string_view body = content.substr(kHead);
  if (content.substr(kMagic.size() + 32, 32) != asText(tagOf(secret, key, body))) return std::nullopt;
  return decoded(body);
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

}  // namespace

KernelCache::KernelCache(const std::string& folder, const HostProcessor& host, int64_t mostBytes)
    : environment_(folder.empty() ? std::string() : kernelEnvironment(host)), mostBytes_(mostBytes) {
  if (environment_.empty()) return;
  auto opened = openPrivateFolder(folder);
  const auto secret = opened ? userKey("kernel_cache_key") : std::nullopt;
  if (!secret) return;
  folder_ = *std::move(opened);
  secret_ = *secret;
  on_ = true;
}

std::optional<KernelCode> KernelCache::find(const Key& key) const {
  if (!isOn()) return std::nullopt;
  const std::string name = nameOf(key);
  const auto content = contentOf(folder_.get(), name);
  if (!content) return std::nullopt;
  auto code = codeIn(*content, key, secret_);
  if (!code) ::unlinkat(folder_.get(), name.c_str(), 0);
  return code;
}

void KernelCache::store(const Key& key, const KernelCode& code) {
  if (!isOn()) return;
  static std::atomic<uint64_t> count{0};
  const std::string body = encoded(code), name = nameOf(key);
  const std::string temporary = "tmp-" + std::to_string(::getpid()) + "-" + std::to_string(count.fetch_add(1));
  std::string content(kMagic);
  content += asText(key);
  content += asText(tagOf(secret_, key, body));
  content += body;
  if (writeContent(folder_.get(), temporary, content) &&
      ::renameat(folder_.get(), temporary.c_str(), folder_.get(), name.c_str()) == 0)
    return;
  ::unlinkat(folder_.get(), temporary.c_str(), 0);
  on_ = false;  // a full or lost disk: not tried again for each kernel
}

void KernelCache::trim() const {
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

}  // namespace tessera::cpu
