// Sorts whose loop is compiled once. std::ranges::sort and stable_sort compile anew for each type and each order, 0.2
// to 0.4 seconds a call; here a call adds a comparison and the moves of its elements. For lists whose sort is not what
// a program waits for; sorts of values at run time use the standard library's.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace tessera {

// The numbers 0 … count - 1 in order: `less(items, a, b)` says whether item a comes before item b. Stable. At most
// 2^32 - 1 items.
std::vector<uint32_t> sortedOrder(size_t count, bool (*less)(const void* items, uint32_t a, uint32_t b),
                                  const void* items);

// Sorts so that less(a, b) holds of no later a and earlier b. Equal elements keep their order.
template <class Items, class Less>
void sortWith(Items& items, const Less& less) {
  const std::span all(items);
  using Element = typename decltype(all)::element_type;
  struct Context {
    const Element* first;
    const Less& less;
  };
  const Context context{all.data(), less};
  const auto before = [](const void* context, uint32_t a, uint32_t b) -> bool {
    const auto& [first, less] = *static_cast<const Context*>(context);
    return std::invoke(less, first[a], first[b]);
  };
  std::vector<uint32_t> from = sortedOrder(all.size(), before, &context);
  for (uint32_t i = 0; i < from.size(); ++i) {  // cycle by cycle: element from[i] moves to i
    if (from[i] == i) continue;
    auto first = std::move(all[i]);
    uint32_t to = i;
    for (uint32_t next = std::exchange(from[to], to); next != i; next = std::exchange(from[to], to)) {
      all[to] = std::move(all[next]);
      to = next;
    }
    all[to] = std::move(first);
  }
}

// Sorts by a key: a member, or a function of an element. Equal keys keep their order.
template <class Items, class Key>
void sortBy(Items& items, const Key& key) {
  sortWith(items, [&](const auto& a, const auto& b) { return std::invoke(key, a) < std::invoke(key, b); });
}
template <class Items, class Key>
void sortDescending(Items& items, const Key& key) {
  sortWith(items, [&](const auto& a, const auto& b) { return std::invoke(key, a) > std::invoke(key, b); });
}

}  // namespace tessera
