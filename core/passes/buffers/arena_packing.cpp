// See arena_packing.h. Two algorithms, the smaller result counts: first fit in order of definition (any number of
// ranges), and best fit of the largest first (few ranges: it looks at all pairs).
#include "core/passes/buffers/arena_packing.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

#include "core/base/checked_math.h"
#include "core/base/sorting.h"
#include "core/base/tuning.h"

namespace tessera {

namespace {

std::optional<int64_t> roundedUp(int64_t bytes, int64_t unit) {
  auto more = checkedAdd(bytes, unit - 1);
  return more ? std::optional(*more / unit * unit) : std::nullopt;
}

// Free pieces of a space. Best fit, neighbours merged; O(log n) each. Sizes are multiples of one unit.
class FreeList {
 public:
  std::optional<int64_t> take(int64_t size) {
    auto fit = bySize_.lower_bound({size, 0});
    if (fit == bySize_.end()) return std::nullopt;
    auto [freeSize, offset] = *fit;
    erase(offset, freeSize);
    if (freeSize > size) insert(offset + size, freeSize - size);
    return offset;
  }
  void give(int64_t offset, int64_t size) {
    auto next = byOffset_.lower_bound(offset);
    if (next != byOffset_.end() && offset + size == next->first) {
      size += next->second;
      erase(next->first, next->second);
      next = byOffset_.lower_bound(offset);
    }
    if (next != byOffset_.begin()) {
      auto [before, beforeSize] = *std::prev(next);
      if (before + beforeSize == offset) {
        erase(before, beforeSize);
        offset = before;
        size += beforeSize;
      }
    }
    insert(offset, size);
  }
  // Takes from the end of a space that ends at `end` and may grow: the last free piece is stretched.
  std::optional<int64_t> grow(int64_t size, int64_t& end) {
    int64_t offset = end;
    if (!byOffset_.empty() && byOffset_.rbegin()->first + byOffset_.rbegin()->second == end) {
      offset = byOffset_.rbegin()->first;
      erase(offset, byOffset_.rbegin()->second);
    }
    auto newEnd = checkedAdd(offset, size);
    if (newEnd) end = *newEnd;
    return newEnd ? std::optional(offset) : std::nullopt;
  }

 private:
  void insert(int64_t offset, int64_t size) {
    byOffset_.emplace(offset, size);
    bySize_.emplace(size, offset);
  }
  void erase(int64_t offset, int64_t size) {
    byOffset_.erase(offset);
    bySize_.erase({size, offset});
  }
  std::map<int64_t, int64_t> byOffset_;
  std::set<std::pair<int64_t, int64_t>> bySize_;
};

bool lends(const ArenaLender& lender, const LiveRange& range) {
  return range.end < lender.begin && range.bytes <= lender.bytes;
}

// Ranges that have ended give their memory back first.
std::optional<ArenaPacking> packInOrder(std::span<const LiveRange> ranges, std::span<const ArenaLender> lenders) {
  int64_t unit = 1;
  std::vector<size_t> order(ranges.size());
  for (size_t i = 0; i < ranges.size(); ++i) order[i] = i, unit = std::max(unit, ranges[i].alignment);
  sortBy(order, [&](size_t i) { return ranges[i].begin; });
  FreeList arena;
  std::vector<FreeList> lent(lenders.size());
  for (size_t k = 0; k < lenders.size(); ++k)
    if (lenders[k].bytes >= unit) lent[k].give(0, lenders[k].bytes / unit * unit);
  using End = std::pair<int64_t, size_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> live;
  ArenaPacking out;
  out.offsets.resize(ranges.size());
  for (size_t i : order) {
    for (; !live.empty() && live.top().first < ranges[i].begin; live.pop()) {
      const ArenaOffset& dead = out.offsets[live.top().second];
      (dead.lender < 0 ? arena : lent[static_cast<size_t>(dead.lender)])
          .give(dead.offset, *roundedUp(ranges[live.top().second].bytes, unit));
    }
    auto size = roundedUp(ranges[i].bytes, unit);
    if (!size) return std::nullopt;
    std::optional<int64_t> offset;
    int32_t lender = -1;
    for (size_t k = 0; k < lenders.size() && !offset; ++k)
      if (lends(lenders[k], ranges[i]) && (offset = lent[k].take(*size))) lender = static_cast<int32_t>(k);
    if (!offset) offset = arena.take(*size);
    if (!offset) offset = arena.grow(*size, out.bytes);
    if (!offset) return std::nullopt;
    out.offsets[i] = {lender, *offset};
    live.push({ranges[i].end, i});
  }
  return out;
}

// Ranges that have their offsets in one space.
class Space {
 public:
  // The smallest gap of [0, limit) that is free during `range`; without one in between, what follows the last.
  std::optional<int64_t> findGap(const LiveRange& range, std::span<const LiveRange> ranges, int64_t limit) const {
    std::optional<int64_t> best;
    int64_t bestSize = INT64_MAX, end = 0;
    auto offer = [&](int64_t begin, int64_t until, int64_t size) {
      auto offset = roundedUp(begin, range.alignment);
      if (!offset || *offset > until || until - *offset < range.bytes || size >= bestSize) return;
      best = *offset;
      bestSize = size;
    };
    for (const auto& [offset, i] : ranges_) {
      if (ranges[i].end < range.begin || range.end < ranges[i].begin) continue;
      if (offset > end) offer(end, offset, offset - end);
      end = std::max(end, offset + ranges[i].bytes);
    }
    offer(end, limit, INT64_MAX - 1);
    return best;
  }
  void add(size_t range, int64_t offset) {
    const std::pair<int64_t, size_t> one{offset, range};
    ranges_.insert(std::ranges::upper_bound(ranges_, one), one);
  }

 private:
  std::vector<std::pair<int64_t, size_t>> ranges_;  // by offset
};

std::optional<ArenaPacking> packLargestFirst(std::span<const LiveRange> ranges, std::span<const ArenaLender> lenders) {
  std::vector<size_t> order(ranges.size());
  for (size_t i = 0; i < ranges.size(); ++i) order[i] = i;
  sortBy(order, [&](size_t i) { return std::pair(-ranges[i].bytes, ranges[i].begin); });
  Space arena;
  std::vector<Space> lent(lenders.size());
  ArenaPacking out;
  out.offsets.resize(ranges.size());
  for (size_t i : order) {
    std::optional<int64_t> offset;
    int32_t lender = -1;
    for (size_t k = 0; k < lenders.size() && !offset; ++k)
      if (lends(lenders[k], ranges[i]) && (offset = lent[k].findGap(ranges[i], ranges, lenders[k].bytes)))
        lender = static_cast<int32_t>(k);
    if (!offset) offset = arena.findGap(ranges[i], ranges, INT64_MAX);
    if (!offset) return std::nullopt;
    (lender < 0 ? arena : lent[static_cast<size_t>(lender)]).add(i, *offset);
    out.offsets[i] = {lender, *offset};
    if (lender < 0) out.bytes = std::max(out.bytes, *offset + ranges[i].bytes);
  }
  return out;
}

}  // namespace

std::optional<ArenaPacking> packArena(std::span<const LiveRange> ranges, std::span<const ArenaLender> lenders) {
  // The smallest that will do is asked first.
  std::vector<ArenaLender> sorted(lenders.begin(), lenders.end());
  std::vector<int32_t> number(lenders.size());
  for (size_t k = 0; k < lenders.size(); ++k) number[k] = static_cast<int32_t>(k);
  sortBy(number, [&](int32_t k) { return lenders[static_cast<size_t>(k)].bytes; });
  for (size_t k = 0; k < lenders.size(); ++k) sorted[k] = lenders[static_cast<size_t>(number[k])];
  auto out = packInOrder(ranges, sorted);
  if (!out) return out;
  if (ranges.size() <= tuning().buffers.packedBothWays)
    if (auto other = packLargestFirst(ranges, sorted); other && other->bytes < out->bytes) out = std::move(other);
  for (ArenaOffset& offset : out->offsets)
    if (offset.lender >= 0) offset.lender = number[static_cast<size_t>(offset.lender)];
  return out;
}

}  // namespace tessera
