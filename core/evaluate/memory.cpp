// How much memory is left: /proc/meminfo and the limits of the control group, version 1 and 2.
#include "core/evaluate/memory.h"

#include <algorithm>
#include <fstream>
#include <optional>

namespace tessera {
namespace {

constexpr int64_t kSmall = 16 << 20;  // below this nobody asks

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

std::optional<int64_t> leafBytes(const Shape& shape) {
  if (shape.isTuple() || shape.isArray()) return shape.denseBytes();
  return 0;
}

}  // namespace

int64_t availableMemoryBytes() {
  int64_t left = memInfoAvailable().value_or(INT64_MAX);
  if (auto v2 = controlGroupLeft("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current")) left = std::min(left, *v2);
  if (auto v1 = controlGroupLeft("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"))
    left = std::min(left, *v1);
  return left;
}

Status requireMemoryFor(const Shape& shape, const std::string& what) {
  std::optional<int64_t> bytes = leafBytes(shape);
  if (bytes && *bytes <= kSmall) return {};
  int64_t left = availableMemoryBytes();
  if (bytes && *bytes <= left) return {};
  Diagnostic d;
  d.fault = Fault::Runtime;
  d.message = "not enough memory for " + what + " of shape " + toString(shape, false);
  d.expected = "at most " + std::to_string(left) + " bytes";
  d.found = bytes ? std::to_string(*bytes) + " bytes" : "more than 2^63 bytes";
  return std::unexpected(std::move(d));
}

}  // namespace tessera
