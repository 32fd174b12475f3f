// CUPTI for tests, see README.md: records of what the fake driver is handed. Its clock counts activities: each takes a
// thousand nanoseconds and begins two thousand behind the one before.
#include <cstring>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "backends/cuda/libraries/cupti.h"
#include "tests/cuda/fake/fake_activity.h"
#include "tests/cuda/fake/fake_settings.h"

namespace {

using tessera::cuda::Cupti;
using tessera::fake::Activity;
using tessera::fake::setting;

enum Status { kSuccess = 0, kInvalidParameter = 1, kMaxLimitReached = 12, kQueueEmpty = 15, kInvalidKind = 17 };
constexpr uint64_t kBetween = 2000, kLength = 1000;
constexpr size_t kRecordBytes = 256;  // of any kind; those of the library differ

struct Profiler {
  std::mutex mutex;
  Cupti::GiveBuffer give = nullptr;
  Cupti::TakeBuffer take = nullptr;
  std::set<int> kinds;
  std::deque<std::vector<std::byte>> waiting;
  uint64_t now = 5000000;
  uint32_t correlation = 0;
};
Profiler& profiler() {
  static auto* const out = new Profiler;
  return *out;
}
thread_local std::vector<uint64_t> ids;

template <class Record>
void put(const Record& record) {
  std::vector<std::byte>& bytes = profiler().waiting.emplace_back(kRecordBytes);
  std::memcpy(bytes.data(), &record, sizeof record);
}

void observe(const Activity& activity) {
  Profiler& p = profiler();
  const std::lock_guard lock(p.mutex);
  p.now += kBetween;
  ++p.correlation;
  if (!ids.empty() && p.kinds.contains(Cupti::kExternalId))
    put(Cupti::ExternalIdRecord{Cupti::kExternalId, 3, ids.back(), p.correlation, 0});
  if (activity.isKernel && p.kinds.contains(Cupti::kKernel)) {
    Cupti::KernelRecord record = {};
    record.kind = Cupti::kKernel, record.registers = 24, record.correlation = p.correlation;
    record.start = p.now, record.end = record.completed = p.now + kLength;
    record.staticShared = 512, record.dynamicShared = static_cast<int32_t>(activity.dynamicShared);
    for (int d = 0; d < 3; ++d)
      record.grid[d] = static_cast<int32_t>(activity.grid[d]),
      record.block[d] = static_cast<int32_t>(activity.block[d]);
    put(record);
  } else if (!activity.isKernel && p.kinds.contains(Cupti::kCopy)) {
    Cupti::CopyRecord record = {};
    record.kind = Cupti::kCopy, record.bytes = activity.bytes, record.correlation = p.correlation;
    record.start = p.now, record.end = p.now + kLength;
    put(record);
  }
}

}  // namespace

#define API extern "C" __attribute__((visibility("default"))) int

API cuptiGetVersion(uint32_t* version) { return *version = static_cast<uint32_t>(setting("cupti", 130001)), kSuccess; }
API cuptiGetResultString(int, const char** text) { return *text = "CUPTI_ERROR", kSuccess; }
API cuptiGetTimestamp(uint64_t* now) {
  const std::lock_guard lock(profiler().mutex);
  return *now = profiler().now, kSuccess;
}
API cuptiActivityRegisterCallbacks(Cupti::GiveBuffer give, Cupti::TakeBuffer take) {
  if (!give || !take) return kInvalidParameter;
  profiler().give = give, profiler().take = take;
  tesseraFakeObserve(observe);
  return kSuccess;
}
API cuptiActivityEnable(int kind) {
  const std::lock_guard lock(profiler().mutex);
  if (!profiler().give) return kInvalidParameter;
  if (const long refused = setting("cuptirefuses", 0)) return static_cast<int>(refused);
  return profiler().kinds.insert(kind), kSuccess;
}
API cuptiActivityDisable(int kind) {
  const std::lock_guard lock(profiler().mutex);
  return profiler().kinds.erase(kind), kSuccess;
}
API cuptiActivityPushExternalCorrelationId(int kind, uint64_t id) {
  if (kind != 3) return kInvalidKind;
  return ids.push_back(id), kSuccess;
}
API cuptiActivityPopExternalCorrelationId(int kind, uint64_t* last) {
  if (kind != 3 || ids.empty()) return kQueueEmpty;
  *last = ids.back();
  return ids.pop_back(), kSuccess;
}
API cuptiActivityFlushAll(uint32_t) {
  Profiler& p = profiler();
  for (;;) {
    uint8_t* buffer = nullptr;
    size_t bytes = 0, used = 0, most = 0;
    {
      const std::lock_guard lock(p.mutex);
      if (p.waiting.empty()) return kSuccess;
    }
    p.give(&buffer, &bytes, &most);
    if (!buffer) return kSuccess;
    {
      const std::lock_guard lock(p.mutex);
      for (; !p.waiting.empty() && used + kRecordBytes <= bytes; used += kRecordBytes, p.waiting.pop_front())
        std::memcpy(buffer + used, p.waiting.front().data(), kRecordBytes);
    }
    p.take(nullptr, 0, buffer, bytes, used);
  }
}
API cuptiActivityGetNextRecord(uint8_t* buffer, size_t bytes, void** record) {
  auto* const next = *record ? static_cast<uint8_t*>(*record) + kRecordBytes : buffer;
  if (next + kRecordBytes > buffer + bytes) return kMaxLimitReached;
  return *record = next, kSuccess;
}
