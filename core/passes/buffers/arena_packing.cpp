// See arena_packing.h. Two ways, the smaller result counts: in order of birth with what died given back (any number of
// lives), and the largest first into the smallest gap that is free during its life (few lives: it looks at all pairs).
#include "core/passes/buffers/arena_packing.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

#include "core/base/checked_math.h"

namespace tessera {

namespace {

constexpr size_t kFew = 500;

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

bool lends(const ArenaLender& lender, const ArenaLife& life) {
  return life.death < lender.birth && life.bytes <= lender.bytes;
}

// What died before is given back first.
std::optional<ArenaPacking> packInOrder(std::span<const ArenaLife> lives, std::span<const ArenaLender> lenders) {
  int64_t unit = 1;
  std::vector<size_t> order(lives.size());
  for (size_t i = 0; i < lives.size(); ++i) order[i] = i, unit = std::max(unit, lives[i].alignment);
  std::ranges::stable_sort(order, {}, [&](size_t i) { return lives[i].birth; });
  FreeList arena;
  std::vector<FreeList> lent(lenders.size());
  for (size_t k = 0; k < lenders.size(); ++k)
    if (lenders[k].bytes >= unit) lent[k].give(0, lenders[k].bytes / unit * unit);
  using Death = std::pair<int64_t, size_t>;
  std::priority_queue<Death, std::vector<Death>, std::greater<>> alive;
  ArenaPacking out;
  out.places.resize(lives.size());
  for (size_t i : order) {
    for (; !alive.empty() && alive.top().first < lives[i].birth; alive.pop()) {
      const ArenaPlace& dead = out.places[alive.top().second];
      (dead.lender < 0 ? arena : lent[static_cast<size_t>(dead.lender)])
          .give(dead.offset, *roundedUp(lives[alive.top().second].bytes, unit));
    }
    auto size = roundedUp(lives[i].bytes, unit);
    if (!size) return std::nullopt;
    std::optional<int64_t> offset;
    int32_t lender = -1;
    for (size_t k = 0; k < lenders.size() && !offset; ++k)
      if (lends(lenders[k], lives[i]) && (offset = lent[k].take(*size))) lender = static_cast<int32_t>(k);
    if (!offset) offset = arena.take(*size);
    if (!offset) offset = arena.grow(*size, out.bytes);
    if (!offset) return std::nullopt;
    out.places[i] = {lender, *offset};
    alive.push({lives[i].death, i});
  }
  return out;
}

// Lives that are placed in one space.
class Space {
 public:
  // The smallest gap of [0, limit) that is free while `life` lives; without one in between, what follows the last.
  std::optional<int64_t> gapFor(const ArenaLife& life, std::span<const ArenaLife> lives, int64_t limit) const {
    std::optional<int64_t> best;
    int64_t bestSize = INT64_MAX, end = 0;
    auto offer = [&](int64_t begin, int64_t until, int64_t size) {
      auto offset = roundedUp(begin, life.alignment);
      if (!offset || *offset > until || until - *offset < life.bytes || size >= bestSize) return;
      best = *offset;
      bestSize = size;
    };
    for (const auto& [offset, i] : placed_) {
      if (lives[i].death < life.birth || life.death < lives[i].birth) continue;
      if (offset > end) offer(end, offset, offset - end);
      end = std::max(end, offset + lives[i].bytes);
    }
    offer(end, limit, INT64_MAX - 1);
    return best;
  }
  void place(size_t life, int64_t offset) {
    const std::pair<int64_t, size_t> one{offset, life};
    placed_.insert(std::ranges::upper_bound(placed_, one), one);
  }

 private:
  std::vector<std::pair<int64_t, size_t>> placed_;  // by offset
};

std::optional<ArenaPacking> packLargestFirst(std::span<const ArenaLife> lives, std::span<const ArenaLender> lenders) {
  std::vector<size_t> order(lives.size());
  for (size_t i = 0; i < lives.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](size_t i) { return std::pair(-lives[i].bytes, lives[i].birth); });
  Space arena;
  std::vector<Space> lent(lenders.size());
  ArenaPacking out;
  out.places.resize(lives.size());
  for (size_t i : order) {
    std::optional<int64_t> offset;
    int32_t lender = -1;
    for (size_t k = 0; k < lenders.size() && !offset; ++k)
      if (lends(lenders[k], lives[i]) && (offset = lent[k].gapFor(lives[i], lives, lenders[k].bytes)))
        lender = static_cast<int32_t>(k);
    if (!offset) offset = arena.gapFor(lives[i], lives, INT64_MAX);
    if (!offset) return std::nullopt;
    (lender < 0 ? arena : lent[static_cast<size_t>(lender)]).place(i, *offset);
    out.places[i] = {lender, *offset};
    if (lender < 0) out.bytes = std::max(out.bytes, *offset + lives[i].bytes);
  }
  return out;
}

}  // namespace

std::optional<ArenaPacking> packArena(std::span<const ArenaLife> lives, std::span<const ArenaLender> lenders) {
  // The smallest that will do is asked first.
  std::vector<ArenaLender> sorted(lenders.begin(), lenders.end());
  std::vector<int32_t> number(lenders.size());
  for (size_t k = 0; k < lenders.size(); ++k) number[k] = static_cast<int32_t>(k);
  std::ranges::stable_sort(number, {}, [&](int32_t k) { return lenders[static_cast<size_t>(k)].bytes; });
  for (size_t k = 0; k < lenders.size(); ++k) sorted[k] = lenders[static_cast<size_t>(number[k])];
  auto out = packInOrder(lives, sorted);
  if (!out) return out;
  if (lives.size() <= kFew)
    if (auto other = packLargestFirst(lives, sorted); other && other->bytes < out->bytes) out = std::move(other);
  for (ArenaPlace& place : out->places)
    if (place.lender >= 0) place.lender = number[static_cast<size_t>(place.lender)];
  return out;
}

}  // namespace tessera
