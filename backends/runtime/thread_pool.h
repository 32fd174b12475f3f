// ThreadPool: the backend's own threads. One job at a time is cut into chunks that the caller and the workers take;
// a worker that wakes late finds the job closed and delays no one. One that other programs push off its core in the
// middle of a chunk does delay us; after such a wait, jobs run on fewer threads for a while. Nothing is allocated per
// job. Programs that run at once share one pool: a job that finds it taken runs on its caller alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace tessera::cpu {

class ThreadPool {
 public:
  using Work = void (*)(void* context, int64_t begin, int64_t end, int thread);

  explicit ThreadPool(int threads);
  // The process's own of that many threads; it ends with the last program that holds it.
  static std::shared_ptr<ThreadPool> shared(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }
  // Calls work on [0, count) in chunks; returns when all is done. The caller is thread 0, helpers are numbered as they
  // come: below threads(), and below the number of chunks, so memory for the lesser of both is enough. From any thread.
  void run(int64_t count, int64_t chunk, Work work, void* context);
  template <class Fn>
  void parallelFor(int64_t count, int64_t chunk, Fn&& fn) {
    run(
        count, chunk,
        [](void* f, int64_t begin, int64_t end, int thread) {
          (*static_cast<std::remove_reference_t<Fn>*>(f))(begin, end, thread);
        },
        &fn);
  }

 private:
  void work(int thread);
  void takeChunks(int64_t begin, int thread);
  void help();
  void runTogether(int64_t count, int64_t chunk, Work work, void* context);
  int width();
  void noteWait(int64_t workedNs, int64_t waitedNs);

  std::vector<std::jthread> workers_;
  const int spins_;
  std::atomic<uint32_t> generation_{0};
  std::atomic<int32_t> inside_{-1};  // workers inside the job; -1: closed
  std::atomic<int64_t> next_{0};
  std::atomic<int> helpers_{0};  // workers that have taken a chunk of the job
  std::atomic<bool> stop_{false};
  std::atomic<bool> taken_{false};  // by a job; what follows but width_ is its caller's
  std::atomic<int> width_;          // threads that take part in jobs
  int64_t count_ = 0, chunk_ = 1;
  int64_t narrowUntilNs_ = 0;  // width_ stays below threads() until then
  int64_t patience_ = 0;       // how many times the last long wait we keep away from busy cores
  Work work_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace tessera::cpu
