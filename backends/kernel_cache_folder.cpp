// Entries are known by their names: forty hexadecimal digits, or "tmp-" while they are written.
#include "backends/kernel_cache_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

#include "core/base/safe_files.h"

namespace tessera {
namespace {

constexpr size_t kNameLength = 40;

bool isEntry(std::string_view name) {
  const auto isHex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return name.starts_with("tmp-") || (name.size() == kNameLength && std::ranges::all_of(name, isHex));
}

// visit(name, bytes) for each entry.
template <class Visit>
void forEachEntry(int folder, Visit&& visit) {
  Descriptor listed(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(listed.isOpen() ? ::fdopendir(listed.get()) : nullptr, &::closedir);
  if (!stream) return;
  (void)listed.release();
  while (const dirent* each = ::readdir(stream.get())) {
    struct stat status {};
    if (isEntry(each->d_name) && ::fstatat(folder, each->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode))
      visit(each->d_name, static_cast<int64_t>(status.st_size));
  }
}

}  // namespace

int64_t kernelCacheBytes(const std::string& folder) {
  int64_t total = 0;
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.isOpen()) forEachEntry(opened.get(), [&](const char*, int64_t bytes) { total += bytes; });
  return total;
}

Result<int64_t> emptyKernelCache(const std::string& folder) {
  if (folder.empty()) return 0;
  const auto opened = openPrivateFolder(folder);
  if (!opened) return fail(ErrorKind::Output, folder + " cannot be emptied: " + std::strerror(opened.error()));
  int64_t freed = 0;
  forEachEntry(opened->get(), [&](const char* name, int64_t bytes) {
    if (::unlinkat(opened->get(), name, 0) == 0) freed += bytes;
  });
  return freed;
}

}  // namespace tessera
