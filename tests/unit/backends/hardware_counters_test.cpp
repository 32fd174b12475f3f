// What the processor counts, where it can: here the kernel's own clock of threads is counted instead, which every
// kernel has.
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>
#include <utility>

#include "backends/hardware_counters.h"
#include "backends/run_request.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

TEST(HardwareCounters, CountWhatThreadsDo) {
  HardwareCounters counters({{"task clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK}});
  if (!counters.absence().empty()) return;  // a kernel without perf_event; the next test is of that
  const auto work = [](int rounds) {
    volatile double sum = 0;
    for (int i = 0; i < rounds; ++i) sum = sum + 1;
  };
  counters.start();
  work(10'000'000);
  const auto found = counters.stop();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "task clock");
  EXPECT_GT(found[0].count, 0);
  counters.start();  // from zero
  EXPECT_LT(counters.stop()[0].count, found[0].count);
}

// A kernel that says what a test wants; descriptors count up, a kind is known by its config.
class FakeKernel : public PerfEvents {
 public:
  std::map<uint64_t, CounterReading> readings;
  int refusal = ENOENT;  // for every other kind
  std::set<int> open_;

  int open(const CounterKind& kind, int) override {
    if (!readings.contains(kind.config)) return -refusal;
    kinds_.push_back(kind.config);
    open_.insert(static_cast<int>(kinds_.size()) - 1);
    return static_cast<int>(kinds_.size()) - 1;
  }
  CounterReading start(int descriptor) override {
    EXPECT_TRUE(open_.contains(descriptor));
    return {};
  }
  std::optional<CounterReading> stop(int descriptor) override {
    return std::exchange(readings.at(kinds_[static_cast<size_t>(descriptor)]), {});  // what only the first thread did
  }
  void close(int descriptor) override { open_.erase(descriptor); }

 private:
  std::vector<uint64_t> kinds_;
};

const std::vector<CounterKind> kFakeKinds = {{"whole", 0, 1}, {"shared", 0, 2}, {"starved", 0, 3}, {"absent", 0, 4}};

TEST(HardwareCounters, SharedCountersAreScaledAndStarvedOnesLeftOut) {
  FakeKernel kernel;
  kernel.readings = {{1, {500, 40, 40}}, {2, {100, 40, 10}}, {3, {0, 40, 0}}};
  {
    HardwareCounters counters(kFakeKinds, kernel);
    EXPECT_EQ(counters.absence(), "");
    counters.start();
    const auto found = counters.stop();
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].name, "whole");
    EXPECT_EQ(found[0].count, 500);
    EXPECT_EQ(found[1].name, "shared");
    EXPECT_EQ(found[1].count, 400);
    EXPECT_FALSE(kernel.open_.empty());
  }
  EXPECT_TRUE(kernel.open_.empty());
}

TEST(HardwareCounters, ARefusalSaysWhatToChange) {
  FakeKernel kernel;
  kernel.refusal = EACCES;
  EXPECT_NE(HardwareCounters(kFakeKinds, kernel).absence().find("perf_event_paranoid"), std::string::npos);
  kernel.refusal = ENOSYS;
  EXPECT_EQ(HardwareCounters(kFakeKinds, kernel).absence(), "the kernel has no perf_event");
}

TEST(HardwareCounters, WhatCannotBeCountedHasAReason) {
  HardwareCounters counters({{"nonsense", 0xfffffff0u, 1}});
  EXPECT_FALSE(counters.absence().empty());
  counters.start();
  EXPECT_TRUE(counters.stop().empty());
}

TEST(ProcessAccount, CountsPagesThatAreTouchedFirst) {
  const ProcessAccount account;
  constexpr size_t kPage = 4096, kPages = 1000;
  void* memory = mmap(nullptr, kPage * kPages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, kPage * kPages, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < kPages; ++i) static_cast<volatile char*>(memory)[i * kPage] = 1;
  EXPECT_GE(account.sinceThen()[0].count, 1000);
  munmap(memory, kPage * kPages);
}

TEST(HardwareCounters, ARunHasThemOrSaysWhyNot) {
  const Module module =
      *readHloText("HloModule m\n\nENTRY e {\n  x = f32[64] parameter(0)\n  ROOT y = f32[64] sine(x)\n}\n").module;
  RunRequest request;
  request.counters = true;
  const auto ran = runModule(module, request);
  ASSERT_TRUE(ran) << ran.error().toString();
  const auto named = [&](const char* name) { return std::ranges::count(ran->counters, name, &CounterValue::name); };
  EXPECT_NE(named("cycles") == 0 && named("instructions") == 0 && named("cache misses") == 0,
            ran->countersAbsent.empty());
  for (const char* name : {"page faults", "waits", "preemptions"}) EXPECT_EQ(named(name), 1) << name;
  request.counters = false;
  const auto without = runModule(module, request);
  ASSERT_TRUE(without);
  EXPECT_TRUE(without->counters.empty() && without->countersAbsent.empty());
}

}  // namespace
}  // namespace tessera
