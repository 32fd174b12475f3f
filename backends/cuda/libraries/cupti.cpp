// See cupti.h.
#include "backends/cuda/libraries/cupti.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include <fmt/format.h>

namespace tessera::cuda {

namespace {

constexpr size_t kBufferBytes = size_t{1} << 20, kBufferAlignment = 8;
constexpr uint32_t kFlushForced = 1;
constexpr int kCustomId = 3;  // CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0
constexpr int kRecorded[] = {Cupti::kExternalId, Cupti::kKernel, Cupti::kCopy};

// What the library has handed over, by the number of the call that caused it. The library keeps one set of callbacks
// for the whole process, and gives them nothing of ours.
struct Records {
  std::mutex mutex;
  int recorders = 0;
  uint64_t lastId = 0;
  std::unordered_map<uint32_t, uint64_t> ids;
  std::unordered_map<uint32_t, Activity> unnamed;  // whose id has not come yet
  std::unordered_map<uint64_t, Activity> named;
};
Records& records() {
  static Records out;
  return out;
}

void join(Activity& all, const Activity& one) {
  const bool isFirst = all.endNs == 0;
  all.beginNs = isFirst ? one.beginNs : std::min(all.beginNs, one.beginNs);
  all.endNs = std::max(all.endNs, one.endNs);
  all.kernels += one.kernels;
  all.registers = std::max(all.registers, one.registers);
  all.sharedBytes = std::max(all.sharedBytes, one.sharedBytes);
  all.spilledBytes = std::max(all.spilledBytes, one.spilledBytes);
}

template <class Record>
Record as(const void* record) {
  Record out;
  std::memcpy(&out, record, sizeof out);
  return out;
}

void takeRecord(Records& all, const void* record) {
  switch (as<int32_t>(record)) {
    case Cupti::kExternalId: {
      const auto id = as<Cupti::ExternalIdRecord>(record);
      if (id.idKind == kCustomId) all.ids[id.correlation] = id.id;
      return;
    }
    case Cupti::kKernel: {
      const auto kernel = as<Cupti::KernelRecord>(record);
      join(all.unnamed[kernel.correlation],
           {static_cast<int64_t>(kernel.start), static_cast<int64_t>(kernel.end), 1, kernel.registers,
            int64_t{kernel.staticShared} + kernel.dynamicShared, kernel.localBytes});
      return;
    }
    case Cupti::kCopy: {
      const auto copy = as<Cupti::CopyRecord>(record);
      join(all.unnamed[copy.correlation], {static_cast<int64_t>(copy.start), static_cast<int64_t>(copy.end)});
      return;
    }
    default: return;
  }
}

// Without memory there are no records, and the library says that it dropped them.
void giveBuffer(uint8_t** buffer, size_t* bytes, size_t* mostRecords) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *bytes = *buffer ? kBufferBytes : 0;
  *mostRecords = 0;  // as many as there is room for
}

void takeBuffer(void*, uint32_t, uint8_t* buffer, size_t, size_t used) {
  const auto library = Cupti::get();
  if (library && buffer) {
    const std::lock_guard lock(records().mutex);
    void* record = nullptr;
    while ((*library)->next(buffer, used, &record) == 0) takeRecord(records(), record);
  }
  std::free(buffer);
}

}  // namespace

Result<const Cupti*> Cupti::get() { return openedOnce<Cupti>(); }

Status Cupti::open() {
  TESSERA_ASSIGN_OR_RETURN(void* file, openLibraryFile("CUPTI", {"libcupti.so.13", "libcupti.so.12"}, {"cuda_cupti"}));
#define TESSERA_LIBRARY_FUNCTION(symbol, name, parameters) TESSERA_TRY(findFunction(file, "CUPTI", #symbol, name));
#include "backends/cuda/libraries/cupti.inc"
#undef TESSERA_LIBRARY_FUNCTION
  textOf_ = reinterpret_cast<int (*)(int, const char**)>(symbolOf(file, "cuptiGetResultString"));
  const auto versionOf = reinterpret_cast<int (*)(uint32_t*)>(symbolOf(file, "cuptiGetVersion"));
  uint32_t version = 0;  // 130001: 13.0.1; up to CUDA 12 they were counted
  if (!versionOf || versionOf(&version) != 0) return failUnsupported("no CUPTI: it has no version");
  constexpr uint32_t kMajor = 10000, kLesser = 100;
  version_ = version < kMajor
                 ? fmt::format("{}", version)
                 : fmt::format("{}.{}.{}", version / kMajor, version % kMajor / kLesser, version % kLesser);
  return check(registerCallbacks(giveBuffer, takeBuffer), "beginning");
}

Status Cupti::check(int status, const char* doing) const {
  if (status == 0) return {};
  const char* text = nullptr;
  if (!textOf_ || textOf_(status, &text) != 0 || !text) text = "no reason";
  return failUnsupported(fmt::format("CUPTI: {} ({}), {}", text, status, doing));
}

// A profiler of the user's own may have the library already: then there are no records for us.
Result<std::unique_ptr<ActivityRecorder>> ActivityRecorder::open() {
  TESSERA_ASSIGN_OR_RETURN(const Cupti* cupti, Cupti::get());
  const std::lock_guard lock(records().mutex);
  if (records().recorders == 0)
    for (const int kind : kRecorded) {
      const Status enabled = cupti->check(cupti->enable(kind), "recording");
      if (enabled) continue;
      for (const int each : kRecorded) (void)cupti->disable(each);
      return std::unexpected(enabled.error());
    }
  ++records().recorders;
  return std::unique_ptr<ActivityRecorder>(new ActivityRecorder(*cupti));
}

ActivityRecorder::~ActivityRecorder() {
  {
    const std::lock_guard lock(records().mutex);
    if (--records().recorders > 0) return;
    for (const int kind : kRecorded) (void)cupti_.disable(kind);
  }
  (void)cupti_.flush(kFlushForced);
  const std::lock_guard lock(records().mutex);
  if (records().recorders > 0) return;
  records().ids.clear();
  records().unnamed.clear();
  records().named.clear();
}

Result<int64_t> ActivityRecorder::nowNs() const {
  uint64_t now = 0;
  TESSERA_TRY(cupti_.check(cupti_.timestamp(&now), "reading the clock"));
  return static_cast<int64_t>(now);
}

Result<uint64_t> ActivityRecorder::enter() {
  uint64_t id = 0;
  {
    const std::lock_guard lock(records().mutex);
    id = ++records().lastId;
  }
  TESSERA_TRY(cupti_.check(cupti_.push(kCustomId, id), "naming work"));
  return id;
}

Status ActivityRecorder::leave() {
  uint64_t last = 0;
  return cupti_.check(cupti_.pop(kCustomId, &last), "naming work");
}

Result<std::unordered_map<uint64_t, Activity>> ActivityRecorder::take(std::span<const uint64_t> ids) {
  TESSERA_TRY(cupti_.check(cupti_.flush(kFlushForced), "asking for records"));
  Records& all = records();
  const std::lock_guard lock(all.mutex);
  for (auto at = all.unnamed.begin(); at != all.unnamed.end();) {
    const auto id = all.ids.find(at->first);
    if (id == all.ids.end()) {
      ++at;
      continue;
    }
    join(all.named[id->second], at->second);
    all.ids.erase(id);
    at = all.unnamed.erase(at);
  }
  std::unordered_map<uint64_t, Activity> out;
  for (const uint64_t id : ids)
    if (auto found = all.named.extract(id)) out.insert(std::move(found));
  return out;
}

}  // namespace tessera::cuda
