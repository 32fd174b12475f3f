// See thread_pool.h.
#include "backends/runtime/thread_pool.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <system_error>

#include "core/base/tuning.h"

namespace tessera::cpu {

namespace {

int64_t nowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
}  // namespace

std::shared_ptr<ThreadPool> ThreadPool::shared(int threads) {
  static std::mutex mutex;
  static std::map<std::pair<pid_t, int>, std::weak_ptr<ThreadPool>>
      pools;  // a child of fork has none of its parent's threads
  const std::lock_guard lock(mutex);
  std::weak_ptr<ThreadPool>& known = pools[{::getpid(), threads}];
  std::shared_ptr<ThreadPool> pool = known.lock();
  if (!pool) known = pool = std::make_shared<ThreadPool>(threads);
  return pool;
}

ThreadPool::ThreadPool(int threads) : spins_(tuning().threads.spins), width_(std::max(threads, 1)) {
  try {
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
  } catch (const std::system_error&) {
    width_ = static_cast<int>(workers_.size()) + 1;  // as many as the system gives
  }
}

ThreadPool::~ThreadPool() {
  stop_.store(true);
  generation_.fetch_add(1);
  generation_.notify_all();
}

void ThreadPool::takeChunks(int64_t begin, int thread) {
  for (; begin < count_; begin = next_.fetch_add(chunk_, std::memory_order_relaxed))
    work_(context_, begin, std::min(begin + chunk_, count_), thread);
}

// The first chunk is the caller's. Each helper has another one, so the number that it takes then is below theirs.
void ThreadPool::help() {
  const int64_t begin = next_.fetch_add(chunk_, std::memory_order_relaxed);
  if (begin < count_) takeChunks(begin, helpers_.fetch_add(1, std::memory_order_relaxed) + 1);
}

void ThreadPool::work(int thread) {
  uint32_t seen = 0;
  while (!stop_.load()) {
    for (int i = 0; i < spins_ && generation_.load() == seen; ++i) __builtin_ia32_pause();
    generation_.wait(seen);
    seen = generation_.load();
    if (thread >= width_.load()) continue;
    int32_t inside = inside_.load();
    while (inside >= 0 && !inside_.compare_exchange_weak(inside, inside + 1)) {
    }
    if (inside < 0) continue;
    help();
    if (inside_.fetch_sub(1) == 1) inside_.notify_one();
  }
}

// How many threads take the next job. Doubles back when the time of fewer is over.
int ThreadPool::width() {
  int width = width_.load(std::memory_order_relaxed);
  if (width == threads() || nowNs() < narrowUntilNs_) return width;
  width = std::min(width * 2, threads());
  width_.store(width);
  return width;
}

// A wait much longer than the work itself means that a worker sits in a chunk without a core. Waiting on costs a time
// slice of the other programs a job, working alone costs a part of ours: so the width is halved for some waits' time.
void ThreadPool::noteWait(int64_t workedNs, int64_t waitedNs) {
  if (waitedNs < tuning().threads.longWaitNs + 2 * workedNs) {
    patience_ /= 2;
    return;
  }
  patience_ = std::clamp<int64_t>(patience_ * 2, 4, tuning().threads.maxPatience);
  width_.store(std::max(1, width_.load() / 2));
  narrowUntilNs_ = nowNs() + patience_ * waitedNs;
}

void ThreadPool::run(int64_t count, int64_t chunk, Work work, void* context) {
  if (count <= 0) return;
  if (workers_.empty() || count <= chunk || taken_.exchange(true, std::memory_order_acquire))
    return work(context, 0, count, 0);
  if (width() == 1)
    work(context, 0, count, 0);
  else
    runTogether(count, chunk, work, context);
  taken_.store(false, std::memory_order_release);
}

void ThreadPool::runTogether(int64_t count, int64_t chunk, Work work, void* context) {
  count_ = count;
  chunk_ = chunk;
  work_ = work;
  context_ = context;
  next_.store(chunk);
  helpers_.store(0);
  inside_.store(0);
  int64_t begin = nowNs();
  generation_.fetch_add(1);
  generation_.notify_all();
  takeChunks(0, 0);
  // Spins while the workers are about to end, then sleeps: yielding would lose whole time slices to other programs.
  int64_t end = 0;
  int32_t none = 0;
  for (int i = 0; !inside_.compare_exchange_weak(none, -1); none = 0) {
    if (++i <= spins_ || none <= 0) {
      __builtin_ia32_pause();
      continue;
    }
    if (end == 0) end = nowNs();
    inside_.wait(none);
  }
  if (end != 0) noteWait(end - begin, nowNs() - end);
}

}  // namespace tessera::cpu
