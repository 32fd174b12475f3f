// See thread_pool.h.
#include "backends/cpu/thread_pool.h"

#include <algorithm>

#include <omp.h>

namespace tessera::cpu {

namespace {
constexpr int kSpins = 2000;
}

ThreadPool::ThreadPool(int threads) {
  for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
}

ThreadPool::~ThreadPool() {
  stop_.store(true);
  generation_.fetch_add(1);
  generation_.notify_all();
}

void ThreadPool::takeChunks(int thread) {
  for (;;) {
    int64_t begin = next_.fetch_add(chunk_, std::memory_order_relaxed);
    if (begin >= count_) return;
    work_(context_, begin, std::min(begin + chunk_, count_), thread);
  }
}

void ThreadPool::work(int thread) {
  omp_set_num_threads(1);  // library calls inside a worker stay on it
  uint32_t seen = 0;
  while (!stop_.load()) {
    for (int i = 0; i < kSpins && generation_.load() == seen; ++i) __builtin_ia32_pause();
    generation_.wait(seen);
    seen = generation_.load();
    int32_t inside = inside_.load();
    while (inside >= 0 && !inside_.compare_exchange_weak(inside, inside + 1)) {}
    if (inside < 0) continue;
    takeChunks(thread);
    if (inside_.fetch_sub(1) == 1) inside_.notify_one();
  }
}

void ThreadPool::run(int64_t count, int64_t chunk, Work work, void* context) {
  if (count <= 0) return;
  if (workers_.empty() || count <= chunk) return work(context, 0, count, 0);
  count_ = count;
  chunk_ = chunk;
  work_ = work;
  context_ = context;
  next_.store(0);
  inside_.store(0);
  generation_.fetch_add(1);
  generation_.notify_all();
  takeChunks(0);
  // Spins while the workers are about to end, then sleeps: yielding would lose whole time slices to other programs.
  int32_t none = 0;
  for (int i = 0; !inside_.compare_exchange_weak(none, -1); none = 0)
    if (++i > kSpins && none > 0) inside_.wait(none);
    else __builtin_ia32_pause();
}

}  // namespace tessera::cpu
