// How much memory is left: /proc/meminfo, the limits of the control group, versions 1 and 2, and of the process.
#include "core/base/memory.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace tessera {
namespace {

std::optional<int64_t> numberIn(const char* path) {
  std::ifstream file(path);
  int64_t number = 0;
  if (!(file >> number)) return std::nullopt;  // "max" too
  return number;
}

std::optional<int64_t> memInfoAvailable() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  int64_t kibibytes = 0;
  while (file >> key >> kibibytes) {
    std::getline(file, unit);
    if (key == "MemAvailable:") return kibibytes * 1024;
  }
  return std::nullopt;
}

std::optional<int64_t> controlGroupLeft(const char* limitFile, const char* usageFile) {
  auto limit = numberIn(limitFile), used = numberIn(usageFile);
  if (!limit || !used) return std::nullopt;
  return std::max<int64_t>(0, *limit - *used);
}

std::optional<int64_t> addressSpaceLeft() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const auto pages = numberIn("/proc/self/statm");  // its first: all that is mapped
  if (!pages) return std::nullopt;
  return std::max<int64_t>(0, static_cast<int64_t>(limit.rlim_cur) - *pages * ::sysconf(_SC_PAGESIZE));
}

}  // namespace

int64_t availableMemoryBytes() {
  int64_t left = memInfoAvailable().value_or(std::numeric_limits<int64_t>::max());
  if (auto v2 = controlGroupLeft("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"))
    left = std::min(left, *v2);
  if (auto v1 = controlGroupLeft("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                 "/sys/fs/cgroup/memory/memory.usage_in_bytes"))
    left = std::min(left, *v1);
  if (auto process = addressSpaceLeft()) left = std::min(left, *process);
  return left;
}

bool memoryIsAvailable(int64_t bytes) {
  constexpr int64_t kUnchecked = int64_t{64} << 20;
  return bytes < kUnchecked || bytes < availableMemoryBytes();
}

std::byte* allocateForArrays(size_t bytes) {
  constexpr size_t kLine = 64, kHuge = size_t{2} << 20;
  const size_t alignment = bytes >= 2 * kHuge ? kHuge : kLine,
               rounded = (bytes + alignment - 1) / alignment * alignment;
  if (rounded < bytes) return nullptr;
  void* memory = std::aligned_alloc(alignment, rounded ? rounded : kLine);
#ifdef MADV_HUGEPAGE
  if (memory && alignment == kHuge)
    ::madvise(memory, bytes / kHuge * kHuge, MADV_HUGEPAGE);  // a wish: its failure is none
#endif
  return static_cast<std::byte*>(memory);
}

}  // namespace tessera
