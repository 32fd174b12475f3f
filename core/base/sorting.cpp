// See sorting.h.
#include "core/base/sorting.h"

#include <algorithm>
#include <numeric>

namespace tessera {

std::vector<uint32_t> sortedOrder(size_t count, bool (*less)(const void* items, uint32_t a, uint32_t b),
                                  const void* items) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return less(items, a, b); });
  return order;
}

}  // namespace tessera
