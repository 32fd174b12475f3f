// oneDNN's one engine, and the boundary at which its exceptions become our errors.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <mutex>
#include <new>
#include <span>
#include <string>

#include <oneapi/dnnl/dnnl.hpp>

#include "backends/runtime/openmp.h"
#include "backends/runtime/thread_pool.h"
#include "core/base/result.h"

namespace tessera::cpu {

inline dnnl::engine& dnnlEngine() {
  static dnnl::engine one(dnnl::engine::kind::cpu, 0);
  return one;
}

// Made once a thread: a stream costs an allocation. All that is executed on it has ended when the call returns.
inline dnnl::stream& dnnlStream() {
  thread_local dnnl::stream one(dnnlEngine());
  return one;
}

// Without the map that the C++ form of the call allocates.
inline void dnnlExecute(const dnnl::primitive& primitive, dnnl::stream& stream,
                        std::span<const dnnl_exec_arg_t> arguments) {
  dnnl::error::wrap_c_api(
      dnnl_primitive_execute(primitive.get(), stream.get(), static_cast<int>(arguments.size()), arguments.data()),
      "the primitive failed");
}

// The calling thread uses one OpenMP thread while this lives. Needed where primitives are made, too: they keep the
// number of threads that they found.
class OneOpenMpThread {
 public:
  OneOpenMpThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneOpenMpThread() { omp_set_num_threads(before_); }
  OneOpenMpThread(const OneOpenMpThread&) = delete;
  OneOpenMpThread& operator=(const OneOpenMpThread&) = delete;

 private:
  int before_;
};

// The library writes the code that it generates even where it found no memory for it: so there must be some before a
// primitive is made.
inline bool hasRoomForCode(size_t megabytes = 32) {
  const size_t bytes = megabytes << 20;
  void* room = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return false;
  ::munmap(room, bytes);
  return true;
}

inline Diagnostic notEnoughMemory(const char* what) {
  return {.kind = ErrorKind::Runtime, .message = std::string(what) + ": not enough memory"};
}

// Runs `work`; a failure inside names `what`.
template <class Work>
Status dnnlGuarded(const char* what, Work&& work) {
  try {
    work();
    return {};
  } catch (const std::bad_alloc&) {
    return fail(notEnoughMemory(what));
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) return fail(notEnoughMemory(what));
    return fail(ErrorKind::Runtime, std::string(what) + ": " + error.what());
  }
}

// The first failure of a library's calls on several threads.
class DnnlAnswers {
 public:
  void note(dnnl_status_t status) {
    if (status != dnnl_success) failed_.store(status, std::memory_order_relaxed);
  }
  Status status(const char* what) const {
    const dnnl_status_t failed = failed_.load(std::memory_order_relaxed);
    if (failed == dnnl_success) return {};
    if (failed == dnnl_out_of_memory) return fail(notEnoughMemory(what));
    return fail(ErrorKind::Runtime, std::string(what) + ": the library failed");
  }

 private:
  std::atomic<dnnl_status_t> failed_{dnnl_success};
};

// work(i, stream, thread) for all shards on all threads; no exception leaves a thread.
template <class Work>
Status dnnlForEach(ThreadPool& pool, int64_t shards, const char* what, Work&& work) {
  std::mutex mutex;
  Status first;
  pool.parallelFor(shards, 1, [&](int64_t begin, int64_t end, int thread) {
    OneOpenMpThread single;
    Status status = dnnlGuarded(what, [&] {
      for (int64_t i = begin; i < end; ++i) work(i, dnnlStream(), thread);
    });
    std::lock_guard lock(mutex);
    if (!status && first) first = std::move(status);
  });
  return first;
}

}  // namespace tessera::cpu
