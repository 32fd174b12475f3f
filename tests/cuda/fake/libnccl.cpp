// NCCL for tests, see README.md: ranks that are threads of one process meet by the id of their group, each with the
// arrays of its card brought to the host. It cannot be captured.
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/cuda/fake/fake_settings.h"

extern "C" int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void* stream);
extern "C" int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void* stream);
extern "C" int cuStreamSynchronize(void* stream);

namespace {

enum Result { kSuccess = 0, kUnhandledCudaError = 1, kInvalidArgument = 4, kInvalidUsage = 5 };

struct UniqueId {
  char bytes[128];
};

// The ranks of a group; each leaves its bytes and waits for those of all.
struct Meeting {
  std::mutex mutex;
  std::condition_variable changed;
  int ranks = 0, arrived = 0, left = 0;
  std::vector<std::vector<std::byte>> given;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> sent;  // by who and to whom

  std::vector<std::vector<std::byte>> exchange(int rank, std::vector<std::byte> own) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return left == 0; });  // of the exchange before
    given.resize(static_cast<size_t>(ranks));
    given[static_cast<size_t>(rank)] = std::move(own);
    ++arrived;
    changed.notify_all();
    changed.wait(lock, [&] { return arrived == ranks; });
    auto out = given;
    if (++left == ranks) arrived = left = 0;
    changed.notify_all();
    return out;
  }
};
struct Group {
  std::shared_ptr<Meeting> meeting;
  int rank = 0, ranks = 0;
};
// A send or a receive between begin and end.
struct Transfer {
  const void* from = nullptr;
  void* to = nullptr;
  size_t bytes = 0;
  int peer = 0;
  void* stream = nullptr;
};

std::mutex meetingsMutex;
std::map<std::string, std::shared_ptr<Meeting>> meetings;
thread_local std::vector<Transfer> transfers;
thread_local Group* grouped = nullptr;

size_t widthOf(int type) {
  constexpr size_t kWidths[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return kWidths[type];
}

uint64_t address(const void* p) { return reinterpret_cast<uint64_t>(p); }

bool bring(const void* from, size_t bytes, void* stream, std::vector<std::byte>& out) {
  out.resize(bytes);
  return bytes == 0 ||
         (cuMemcpyDtoHAsync_v2(out.data(), address(from), bytes, stream) == 0 && cuStreamSynchronize(stream) == 0);
}
bool put(void* to, const std::byte* from, size_t bytes, void* stream) {
  return bytes == 0 ||
         (cuMemcpyHtoDAsync_v2(address(to), from, bytes, stream) == 0 && cuStreamSynchronize(stream) == 0);
}

template <class T>
void foldAs(std::vector<std::byte>& sum, const std::vector<std::byte>& more, int operation) {
  auto* a = reinterpret_cast<T*>(sum.data());
  const auto* b = reinterpret_cast<const T*>(more.data());
  for (size_t i = 0; i < sum.size() / sizeof(T); ++i)
    a[i] = operation == 0   ? static_cast<T>(a[i] + b[i])
           : operation == 1 ? static_cast<T>(a[i] * b[i])
           : operation == 2 ? std::max(a[i], b[i])
                            : std::min(a[i], b[i]);
}
bool fold(std::vector<std::byte>& sum, const std::vector<std::byte>& more, int type, int operation) {
  switch (type) {
    case 2: foldAs<int32_t>(sum, more, operation); return true;
    case 3: foldAs<uint32_t>(sum, more, operation); return true;
    case 7: foldAs<float>(sum, more, operation); return true;
    case 8: foldAs<double>(sum, more, operation); return true;
    default: return false;
  }
}

int reduced(Group& group, const void* from, size_t bytes, int type, int operation, void* stream,
            std::vector<std::byte>& out) {
  std::vector<std::byte> own;
  if (!bring(from, bytes, stream, own)) return kUnhandledCudaError;
  const auto all = group.meeting->exchange(group.rank, std::move(own));
  out = all[0];
  for (size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank].size() != out.size() || !fold(out, all[rank], type, operation)) return kInvalidArgument;
  return kSuccess;
}

}  // namespace

#define API extern "C" __attribute__((visibility("default")))

API int ncclGetVersion(int* version) { return *version = 22707, kSuccess; }
API const char* ncclGetErrorString(int result) { return result == kInvalidUsage ? "invalid usage" : "unhandled error"; }
API int ncclGetUniqueId(UniqueId* id) {
  static std::mutex mutex;
  static int count = 0;
  const std::lock_guard lock(mutex);
  std::memset(id, 0, sizeof *id);
  std::strncpy(id->bytes, ("group " + std::to_string(++count)).c_str(), sizeof id->bytes - 1);
  return kSuccess;
}
API int ncclCommInitRank(void** group, int ranks, UniqueId id, int rank) {
  if (tessera::fake::setting("nccl", 1) == 0) return kInvalidUsage;
  const std::lock_guard lock(meetingsMutex);
  auto& meeting = meetings[id.bytes];
  if (!meeting) meeting = std::make_shared<Meeting>();
  meeting->ranks = ranks;
  *group = new Group{meeting, rank, ranks};
  return kSuccess;
}
API int ncclCommDestroy(void* group) { return delete static_cast<Group*>(group), kSuccess; }
API int ncclCommAbort(void* group) { return ncclCommDestroy(group); }
API int ncclCommGetAsyncError(void*, int* error) { return *error = 0, kSuccess; }
API int ncclAllReduce(const void* from, void* to, size_t count, int type, int operation, void* group, void* stream) {
  std::vector<std::byte> sum;
  const int result = reduced(*static_cast<Group*>(group), from, count * widthOf(type), type, operation, stream, sum);
  if (result) return result;
  return put(to, sum.data(), sum.size(), stream) ? kSuccess : kUnhandledCudaError;
}
API int ncclReduceScatter(const void* from, void* to, size_t countEach, int type, int operation, void* group,
                          void* stream) {
  auto& own = *static_cast<Group*>(group);
  const size_t piece = countEach * widthOf(type);
  std::vector<std::byte> sum;
  const int result = reduced(own, from, piece * static_cast<size_t>(own.ranks), type, operation, stream, sum);
  if (result) return result;
  return put(to, sum.data() + piece * static_cast<size_t>(own.rank), piece, stream) ? kSuccess : kUnhandledCudaError;
}
API int ncclAllGather(const void* from, void* to, size_t countEach, int type, void* group, void* stream) {
  auto& own = *static_cast<Group*>(group);
  std::vector<std::byte> mine;
  if (!bring(from, countEach * widthOf(type), stream, mine)) return kUnhandledCudaError;
  const auto all = own.meeting->exchange(own.rank, std::move(mine));
  auto* at = static_cast<std::byte*>(to);
  for (const auto& each : all) {
    if (!put(at, each.data(), each.size(), stream)) return kUnhandledCudaError;
    at += each.size();
  }
  return kSuccess;
}
API int ncclBroadcast(const void* from, void* to, size_t count, int type, int root, void* group, void* stream) {
  auto& own = *static_cast<Group*>(group);
  std::vector<std::byte> mine;
  if (!bring(from, count * widthOf(type), stream, mine)) return kUnhandledCudaError;
  const auto all = own.meeting->exchange(own.rank, std::move(mine));
  const auto& first = all[static_cast<size_t>(root)];
  return put(to, first.data(), first.size(), stream) ? kSuccess : kUnhandledCudaError;
}
API int ncclGroupStart() { return transfers.clear(), grouped = nullptr, kSuccess; }
API int ncclSend(const void* from, size_t count, int type, int peer, void* group, void* stream) {
  grouped = static_cast<Group*>(group);
  transfers.push_back({from, nullptr, count * widthOf(type), peer, stream});
  return kSuccess;
}
API int ncclRecv(void* to, size_t count, int type, int peer, void* group, void* stream) {
  grouped = static_cast<Group*>(group);
  transfers.push_back({nullptr, to, count * widthOf(type), peer, stream});
  return kSuccess;
}
API int ncclGroupEnd() {
  if (!grouped) return kSuccess;
  Meeting& meeting = *grouped->meeting;
  for (const Transfer& each : transfers) {
    std::vector<std::byte> bytes;
    if (!each.from) continue;
    if (!bring(each.from, each.bytes, each.stream, bytes)) return kUnhandledCudaError;
    const std::lock_guard lock(meeting.mutex);
    meeting.sent[{grouped->rank, each.peer}].push_back(std::move(bytes));
    meeting.changed.notify_all();
  }
  for (const Transfer& each : transfers) {
    if (!each.to) continue;
    std::vector<std::byte> bytes;
    {
      std::unique_lock lock(meeting.mutex);
      auto& waiting = meeting.sent[{each.peer, grouped->rank}];
      meeting.changed.wait(lock, [&] { return !waiting.empty(); });
      bytes = std::move(waiting.front());
      waiting.pop_front();
    }
    if (bytes.size() != each.bytes) return kInvalidArgument;
    if (!put(each.to, bytes.data(), bytes.size(), each.stream)) return kUnhandledCudaError;
  }
  return kSuccess;
}
