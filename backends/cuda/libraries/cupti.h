// CUPTI, NVIDIA's library for profilers, opened at run time: when each kernel and each copy began and ended by the
// card's clock, without the events around it, and what a kernel took of the card. Records are told apart by the piece
// of work that handed them over. Used by program/issuer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>

#include "backends/cuda/libraries/library_file.h"
#include "core/base/result.h"

namespace tessera::cuda {

class Cupti {
 public:
  // The process's own. The error says why there is none.
  static Result<const Cupti*> get();

  using GiveBuffer = void (*)(uint8_t** buffer, size_t* bytes, size_t* mostRecords);
  using TakeBuffer = void (*)(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t used);
#define TESSERA_LIBRARY_FUNCTION(symbol, name, parameters) int(*name) parameters = nullptr;
#include "backends/cuda/libraries/cupti.inc"
#undef TESSERA_LIBRARY_FUNCTION

  // Records as the library writes them: what all versions since 11 have at the same place. Times in nanoseconds.
  enum Kind : int32_t { kCopy = 1, kKernel = 10, kExternalId = 39 };
  struct KernelRecord {
    int32_t kind;
    uint8_t cache, sharedConfig;
    uint16_t registers;  // a thread
    int32_t partitioned[2];
    uint64_t start, end, completed;
    uint32_t device, context, stream;
    int32_t grid[3], block[3], staticShared, dynamicShared;
    uint32_t localBytes, localTotal;  // a thread's, a launch's
    uint32_t correlation;
  };
  struct CopyRecord {
    int32_t kind;
    uint8_t copyKind, from, to, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation;
  };
  struct ExternalIdRecord {
    int32_t kind, idKind;
    uint64_t id;
    uint32_t correlation, reserved;
  };

  const std::string& version() const { return version_; }  // "13.0.1"; of CUDA 12 a number alone
  Status check(int status, const char* doing) const;

 private:
  template <class Library>
  friend Result<const Library*> openedOnce();
  Status open();
  int (*textOf_)(int, const char**) = nullptr;
  std::string version_;
};

// What the card did for a piece of work: one kernel or copy, or all that a library launched.
struct Activity {
  int64_t beginNs = 0, endNs = 0;  // by Cupti's clock
  int kernels = 0;
  int registers = 0;         // a thread, of the kernel that has most
  int64_t sharedBytes = 0;   // a block, likewise
  int64_t spilledBytes = 0;  // a thread, likewise
};

// While one exists, the library records. Several threads may have theirs at once.
class ActivityRecorder {
 public:
  static Result<std::unique_ptr<ActivityRecorder>> open();
  ~ActivityRecorder();
  ActivityRecorder(const ActivityRecorder&) = delete;
  ActivityRecorder& operator=(const ActivityRecorder&) = delete;

  const std::string& version() const { return cupti_.version(); }
  Result<int64_t> nowNs() const;
  // What this thread hands to a card from here to leave() has the id that this gives.
  Result<uint64_t> enter();
  Status leave();
  // What was recorded of them, once the card has done it.
  Result<std::unordered_map<uint64_t, Activity>> take(std::span<const uint64_t> ids);

 private:
  explicit ActivityRecorder(const Cupti& cupti) : cupti_(cupti) {}
  const Cupti& cupti_;
};

}  // namespace tessera::cuda
