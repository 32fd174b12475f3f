// Asks core/base/memory.h before a value is made.
#include "core/evaluate/memory.h"

#include <optional>

#include "core/base/memory.h"

namespace tessera {
namespace {

constexpr int64_t kSmall = 16 << 20;  // below this nobody asks

std::optional<int64_t> leafBytes(const Shape& shape) {
  if (shape.isTuple() || shape.isArray()) return shape.denseBytes();
  return 0;
}

}  // namespace

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
