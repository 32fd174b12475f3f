// What follows from the buffers of a report: bytes live at each moment, what lives at one, fragmentation.
#include <algorithm>
#include <map>
#include <utility>

#include "core/base/sorting.h"
#include "core/memory/memory_report.h"

namespace tessera {
namespace {

// Same bytes, several lives: their union in time.
void addEach(const MemoryReport& report, const MemoryAllocation& one, std::vector<int64_t>& change) {
  std::map<std::pair<int64_t, int64_t>, std::vector<std::pair<size_t, size_t>>> lives;  // by offset and bytes
  for (size_t index : one.buffers) {
    const MemoryBuffer& buffer = report.buffers[index];
    lives[{buffer.offset, buffer.bytes}].emplace_back(buffer.begin, buffer.end);
  }
  for (auto& [where, times] : lives) {
    std::ranges::sort(times);
    size_t next = 0;  // the first moment that is not counted yet
    for (const auto& [begin, end] : times) {
      const size_t from = std::max(begin, next);
      if (from > end) continue;
      change[from] += where.second;
      change[end + 1] -= where.second;
      next = end + 1;
    }
  }
}

// Bytes that the buffers cover.
int64_t covered(const std::multimap<int64_t, int64_t>& bytesByOffset) {
  int64_t sum = 0, end = 0;
  for (const auto& [offset, bytes] : bytesByOffset) {
    sum += std::max<int64_t>(0, offset + bytes - std::max(end, offset));
    end = std::max(end, offset + bytes);
  }
  return sum;
}

// At each moment where a buffer comes or goes, the bytes that are covered.
void addUnions(const MemoryReport& report, const MemoryAllocation& one, std::vector<int64_t>& change) {
  std::map<size_t, std::vector<std::pair<bool, size_t>>> events;  // by moment: comes, which
  for (size_t index : one.buffers) {
    events[report.buffers[index].begin].emplace_back(true, index);
    events[report.buffers[index].end + 1].emplace_back(false, index);
  }
  std::multimap<int64_t, int64_t> living;
  int64_t now = 0;
  for (const auto& [moment, all] : events) {
    for (const auto& [comes, index] : all) {
      const std::pair<const int64_t, int64_t> where{report.buffers[index].offset, report.buffers[index].bytes};
      if (comes)
        living.insert(where);
      else
        living.erase(std::ranges::find(living, where));
    }
    const int64_t then = covered(living);
    change[moment] += then - now;
    now = then;
  }
}

// Adds to `change`, by moment, what the bytes in use of an allocation grow by.
void addLive(const MemoryReport& report, const MemoryAllocation& one, std::vector<int64_t>& change) {
  if (report.mayOverlap)
    addUnions(report, one, change);
  else
    addEach(report, one, change);
}

}  // namespace

std::string_view nameOf(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::Parameter: return "parameter";
    case MemoryKind::Output: return "output";
    case MemoryKind::Constant: return "constant";
    case MemoryKind::Temporary: return "temporary";
    case MemoryKind::ThreadLocal: return "thread-local";
  }
  return "";
}

int64_t MemoryReport::allocatedBytes() const {
  int64_t sum = 0;
  for (const MemoryAllocation& one : allocations) sum += one.bytes;
  return sum;
}

int64_t MemoryReport::fragmentationBytes() const {
  int64_t out = 0;
  for (const MemoryAllocation& one : allocations) {
    if (one.kind != MemoryKind::Temporary) continue;
    std::vector<int64_t> change(moments.size() + 1);
    addLive(*this, one, change);
    int64_t now = 0, most = 0;
    for (int64_t step : change) most = std::max(most, now += step);
    out += std::max<int64_t>(0, one.bytes - most);
  }
  return out;
}

std::vector<size_t> MemoryReport::liveAt(size_t moment) const {
  std::vector<size_t> out;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].begin <= moment && moment <= buffers[i].end) out.push_back(i);
  sortDescending(out, [this](size_t i) { return buffers[i].bytes; });
  return out;
}

void sumLiveBytes(MemoryReport& report) {
  std::vector<int64_t> change(report.moments.size() + 1);
  for (const MemoryAllocation& one : report.allocations) addLive(report, one, change);
  int64_t now = 0;
  report.live.clear();
  for (size_t i = 0; i < report.moments.size(); ++i) report.live.push_back(now += change[i]);
  report.peakMoment =
      report.live.empty() ? 0 : static_cast<size_t>(std::ranges::max_element(report.live) - report.live.begin());
}

}  // namespace tessera
