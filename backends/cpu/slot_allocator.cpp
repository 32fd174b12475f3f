// See slot_allocator.h.
#include "backends/cpu/slot_allocator.h"

#include <fmt/format.h>

#include "core/base/checked_math.h"

namespace tessera::cpu {

namespace {
constexpr int64_t kAlignment = 64;
int64_t rounded(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }
}  // namespace

int SlotAllocator::fixed(Slot slot) {
  slots_.push_back(std::move(slot));
  references_.push_back(1);
  return static_cast<int>(slots_.size()) - 1;
}

Result<int> SlotAllocator::allocate(int64_t bytes) {
  constexpr int64_t kLargest = int64_t{1} << 62;
  if (bytes > kLargest - end_ - kAlignment) {
    Diagnostic d;
    d.fault = Fault::Runtime;
    d.message = fmt::format("not enough memory: a buffer of {} bytes beside an arena of {} bytes", bytes, end_);
    return fail(std::move(d));
  }
  int64_t size = std::max<int64_t>(rounded(bytes), kAlignment);
  auto best = free_.end();
  for (auto at = free_.begin(); at != free_.end(); ++at)
    if (at->second >= size && (best == free_.end() || at->second < best->second)) best = at;
  int64_t offset;
  if (best != free_.end()) {
    offset = best->first;
    int64_t left = best->second - size;
    free_.erase(best);
    if (left > 0) free_.emplace(offset + size, left);
  } else if (!free_.empty() && free_.rbegin()->first + free_.rbegin()->second == end_) {
    offset = free_.rbegin()->first;  // grow the last hole
    free_.erase(std::prev(free_.end()));
    end_ = offset + size;
  } else {
    offset = end_;
    end_ += size;
  }
  return fixed(Slot{SlotKind::Arena, offset, size, nullptr});
}

void SlotAllocator::release(int slot) {
  size_t i = static_cast<size_t>(slot);
  if (--references_[i] > 0 || slots_[i].kind != SlotKind::Arena) return;
  int64_t offset = slots_[i].offset, size = slots_[i].bytes;
  auto after = free_.lower_bound(offset);
  if (after != free_.end() && offset + size == after->first) {
    size += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin()) {
    auto before = std::prev(after);
    if (before->first + before->second == offset) {
      before->second += size;
      return;
    }
  }
  free_.emplace(offset, size);
}

}  // namespace tessera::cpu
