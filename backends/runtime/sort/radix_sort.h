// Stable sort by digits of unsigned keys, least significant digit first. A row of its own, or all threads on one long
// row; the result is the same either way. Used by radix_sort_step and bucket_sort_step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "backends/runtime/thread_pool.h"
#include "core/base/tuning.h"

namespace tessera::cpu {

struct WideItem {
  uint64_t key = 0, payload = 0;
};

inline uint64_t radixKey(uint32_t item) { return item; }
inline uint64_t radixKey(uint64_t item) { return item >> 32; }
inline uint64_t radixKey(const WideItem& item) { return item.key; }
inline int radixKeyBits(uint32_t) { return 32; }
inline int radixKeyBits(uint64_t) { return 32; }
inline int radixKeyBits(const WideItem&) { return 64; }

// Sorts the n items of `from`; gives where the result is: `from` or `other`.
template <class Item, int kDigit>
Item* radixSortBy(Item* from, Item* other, int64_t n) {
  constexpr int kMaxPasses = (64 + kDigit - 1) / kDigit;
  constexpr uint64_t kBuckets = uint64_t{1} << kDigit, kMask = kBuckets - 1;
  const int passes = (radixKeyBits(Item{}) + kDigit - 1) / kDigit;
  uint32_t counts[kMaxPasses][kBuckets];
  std::memset(counts, 0, sizeof counts[0] * static_cast<size_t>(passes));
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t key = radixKey(from[i]);
    for (int p = 0; p < passes; ++p) ++counts[p][key >> (p * kDigit) & kMask];
  }
  for (int p = 0; p < passes; ++p) {
    uint32_t* count = counts[p];
    if (count[radixKey(from[0]) >> (p * kDigit) & kMask] == n) continue;  // all alike
    uint32_t sum = 0;
    for (uint64_t b = 0; b < kBuckets; ++b) sum += std::exchange(count[b], sum);
    for (int64_t i = 0; i < n; ++i) other[count[radixKey(from[i]) >> (p * kDigit) & kMask]++] = from[i];
    std::swap(from, other);
  }
  return from;
}

template <class Item>
Item* radixSort(Item* from, Item* other, int64_t n) {
  return n <= tuning().sort.shortRow ? radixSortBy<Item, 8>(from, other, n) : radixSortBy<Item, 11>(from, other, n);
}

// One long row on all threads: each counts and moves the digits of its own chunk.
class ParallelRadixSort {
 public:
  template <class Item>
  Item* sort(ThreadPool& pool, Item* from, Item* other, int64_t n) {
    constexpr int kDigit = 11;
    const int64_t chunks = 2 * pool.threads(), each = (n + chunks - 1) / chunks;
    counts_.resize(static_cast<size_t>(chunks) * kBuckets);
    for (int shift = 0; shift < radixKeyBits(Item{}); shift += kDigit) {
      auto digitOf = [shift](const Item& item) { return radixKey(item) >> shift & (kBuckets - 1); };
      pool.parallelFor(chunks, 1, [&](int64_t begin, int64_t end, int) {
        for (int64_t p = begin; p < end; ++p) {
          uint32_t* count = counts_.data() + static_cast<size_t>(p) * kBuckets;
          std::memset(count, 0, kBuckets * sizeof *count);
          for (int64_t i = p * each; i < std::min(n, (p + 1) * each); ++i) ++count[digitOf(from[i])];
        }
      });
      if (isTrivial(chunks, n)) continue;
      pool.parallelFor(chunks, 1, [&](int64_t begin, int64_t end, int) {
        for (int64_t p = begin; p < end; ++p) {
          uint32_t* at = counts_.data() + static_cast<size_t>(p) * kBuckets;
          for (int64_t i = p * each; i < std::min(n, (p + 1) * each); ++i) other[at[digitOf(from[i])]++] = from[i];
        }
      });
      std::swap(from, other);
    }
    return from;
  }

 private:
  static constexpr size_t kBuckets = 2048;

  // Counts become the indices where each chunk's digits begin. True: all items have the same digit.
  bool isTrivial(int64_t chunks, int64_t n) {
    uint32_t sum = 0;
    for (size_t b = 0; b < kBuckets; ++b) {
      const uint32_t before = sum;
      for (int64_t p = 0; p < chunks; ++p) sum += std::exchange(counts_[static_cast<size_t>(p) * kBuckets + b], sum);
      if (static_cast<int64_t>(sum) - before == n) return true;
    }
    return false;
  }

  std::vector<uint32_t> counts_;  // by chunk and digit; kept between runs
};

}  // namespace tessera::cpu
