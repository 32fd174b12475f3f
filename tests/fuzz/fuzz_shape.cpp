// Shape and layout text: what parses prints and parses to the same; and where the memory image is small,
// multidimensional and linear index are each other's inverse.
#include "core/formats/hlo_text.h"
#include "core/hlo/memory_map.h"
#include "tests/fuzz/expect.h"

using namespace tessera;

static void walkMemory(const Shape& shape) {
  constexpr int64_t kMost = 4096;
  const auto map = MemoryMap::of(shape);
  if (!map) return;
  expect(map->positions() >= 0 && map->bytes() >= 0 && map->wasteBytes() >= 0 && map->wasteBytes() <= map->bytes(),
         "a memory image has a size", toString(shape));
  if (map->positions() > kMost) return;
  int64_t elements = 0;
  for (int64_t linear = 0; linear < map->positions(); ++linear) {
    const auto index = map->index(linear);
    if (!index) continue;
    ++elements;
    expect(map->linearIndex(*index) == linear, "index and linearIndex are inverse", toString(shape));
  }
  expect(elements == shape.elementCount(), "each element has one position", toString(shape));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto shape = parseShape(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!shape) {
    expect(!shape.error().message.empty(), "a refused shape has a message");
    return 0;
  }
  const std::string printed = toString(*shape);
  const auto again = parseShape(printed);
  expect(again.has_value(), "what was printed parses again", printed);
  expect(*again == *shape, "and is the same shape", printed + "\n" + toString(*again));
  shape->denseBytes();
  if (shape->isArray()) walkMemory(*shape);
  return 0;
}
