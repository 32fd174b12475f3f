// Executables of one process and their threads: they share them, and these end with the last of them.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "backends/backend.h"
#include "backends/runtime/thread_pool.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

std::ptrdiff_t threadsOfThisProcess() {
  std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

std::unique_ptr<Executable> compiled(const char* entry, int threads) {
  ReadResult read = readHloText(std::string("HloModule m\nENTRY main { ") + entry + " }\n");
  if (!read.module) return nullptr;
  inferModule(*read.module);
  CompileOptions options;
  options.threads = threads;
  auto executable = makeBackend("cpu").value()->compile(*read.module, options);
  return executable ? std::move(*executable) : nullptr;
}

TEST(CpuPool, ExecutablesShareTheirThreads) {
  constexpr int kThreads = 6;  // as no other test asks for
  const std::vector<Literal> arguments{
      fillParameter(Shape::arrayRowMajor(ElementType::F32, {1000, 1000}), 0, {}).value()};
  const auto first = compiled("x = f32[1000,1000] parameter(0)  ROOT r = f32[1000,1000] exponential(x)", kThreads);
  ASSERT_TRUE(first && first->run(arguments));
  const std::ptrdiff_t withOne = threadsOfThisProcess();
  EXPECT_GE(withOne, kThreads);
  std::vector<std::unique_ptr<Executable>> others;
  for (int i = 0; i < 4; ++i)
    others.push_back(compiled("x = f32[1000,1000] parameter(0)  ROOT r = f32[1000,1000] negate(x)", kThreads));
  {
    std::vector<std::jthread> callers;
    for (auto& each : others) callers.emplace_back([&] { EXPECT_TRUE(each && each->run(arguments)); });
  }
  EXPECT_EQ(threadsOfThisProcess(), withOne);
}

// Steps plan memory for as many threads as there are chunks, where these are fewer. Whoever takes the first chunk waits
// a little for somebody to take the other.
TEST(CpuPool, ThreadsAreNumberedBelowTheChunks) {
  cpu::ThreadPool pool(4);
  std::atomic<int> most = 0, helped = 0;
  for (int job = 0; job < 100; ++job) {
    std::atomic<bool> isTaken = false;
    pool.parallelFor(2, 1, [&](int64_t begin, int64_t, int thread) {
      if (begin == 1) isTaken = true;
      const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
      while (begin == 0 && !isTaken && std::chrono::steady_clock::now() < until) std::this_thread::yield();
      helped += thread > 0;
      for (int seen = most; thread > seen && !most.compare_exchange_weak(seen, thread);) continue;
    });
  }
  EXPECT_GT(helped, 0);
  EXPECT_LT(most, 2);
}

}  // namespace
}  // namespace tessera
