// MemAvailable from /proc/meminfo.
#include "core/base/memory.h"

#include <cstdio>
#include <limits>

namespace tessera {

int64_t availableMemoryBytes() {
  int64_t kilobytes = -1;
  if (std::FILE* file = std::fopen("/proc/meminfo", "r")) {
    char line[128];
    while (kilobytes < 0 && std::fgets(line, sizeof line, file)) {
      long long value = 0;
      if (std::sscanf(line, "MemAvailable: %lld kB", &value) == 1) kilobytes = value;
    }
    std::fclose(file);
  }
  return kilobytes < 0 ? std::numeric_limits<int64_t>::max() : kilobytes * 1024;
}

bool memoryIsAvailable(int64_t bytes) {
  constexpr int64_t kUnchecked = int64_t{64} << 20;
  return bytes < kUnchecked || bytes < availableMemoryBytes();
}

}  // namespace tessera
