// The run time's own threading under the thread sanitizer: many short jobs on pools of several sizes, pools that run at
// once, the sort that all threads share, programs that overlap, runs that are ended. Built with the sanitizer in every
// build (but beside the address sanitizer), from the sources themselves, since neither LLVM nor oneDNN is. Exit 0:
// right results; the sanitizer makes races an error.
#include <atomic>
#include <cstdio>
#include <random>
#include <thread>

#include "backends/runtime/sort/radix_sort.h"
#include "backends/runtime/thread_pool.h"
#include "tests/races/program_races.h"

namespace {

using namespace tessera::cpu;

int64_t wrongJobs(ThreadPool& pool) {
  std::vector<int64_t> data(2000);
  int64_t wrong = 0;
  for (int64_t job = 0; job < 1500; ++job) {
    const int64_t count = 1 + job % 1999;
    pool.parallelFor(count, 1 + job % 37, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) data[static_cast<size_t>(i)] = job + i;
    });
    for (int64_t i = 0; i < count; ++i) wrong += data[static_cast<size_t>(i)] != job + i;
  }
  return wrong;
}

int64_t wrongJobs(int threads) {
  ThreadPool pool(threads);
  return wrongJobs(pool);
}

// Several callers of one pool: some jobs find it taken.
int64_t wrongJobsTogether(int threads) {
  const auto pool = ThreadPool::shared(threads);
  std::atomic<int64_t> wrong = ThreadPool::shared(threads) != pool;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 3; ++i) callers.emplace_back([&] { wrong += wrongJobs(*pool); });
  }
  return wrong;
}

template <class Item, class Make>
int64_t wrongSort(int threads, Make&& make) {
  constexpr int64_t kCount = 100'000;
  ThreadPool pool(threads);
  ParallelRadixSort sort;
  std::mt19937_64 random(7);
  std::vector<Item> items(kCount), other(kCount);
  for (Item& item : items) item = make(random());
  std::vector<Item> expected = items;
  std::ranges::stable_sort(expected, {}, [](const Item& item) { return radixKey(item); });
  const Item* sorted = sort.sort(pool, items.data(), other.data(), kCount);
  return std::memcmp(sorted, expected.data(), kCount * sizeof(Item)) != 0;
}

}  // namespace

int main() {
  int64_t wrong = 0, beside = 0;
  {
    std::jthread other([&] { beside = wrongJobs(3); });
    for (int threads : {1, 2, 4, 7}) wrong += wrongJobs(threads);
  }
  for (int threads : {1, 2, 5}) {
    wrong += wrongJobsTogether(threads);
    wrong += wrongSort<uint64_t>(threads, [](uint64_t bits) { return bits; });
    wrong += wrongSort<WideItem>(threads, [](uint64_t bits) { return WideItem{bits % 1000, bits}; });
  }
  wrong += wrongPrograms() + wrongCancellations() + wrongMatrices();
  if (wrong + beside != 0) std::fprintf(stderr, "%lld wrong results\n", static_cast<long long>(wrong + beside));
  return wrong + beside == 0 ? 0 : 1;
}
