// Programs of the run-time library under the thread sanitizer: steps of every kind that needs no library of others,
// over kernels written here (and so instrumented, too), run by several threads at once; and runs that are ended in the
// middle.
#include "tests/races/program_races.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

#include "backends/runtime/movement/permute_step.h"
#include "backends/runtime/prefix_sum_step.h"
#include "backends/runtime/program.h"
#include "backends/runtime/sort/radix_sort_step.h"

extern "C" {
using tessera::cpu::FieldReader;
using tessera::cpu::Step;
Step* tessera_step_kernel(FieldReader& in);
Step* tessera_step_region(FieldReader& in);
Step* tessera_step_copy(FieldReader& in);
Step* tessera_step_while(FieldReader& in);
Step* tessera_step_scan(FieldReader& in);
Step* tessera_step_permute(FieldReader& in);
Step* tessera_step_radix_sort(FieldReader& in);
Step* tessera_step_sort_by_calls(FieldReader& in);
}

namespace {

using namespace tessera::cpu;

constexpr int64_t kRows = 128, kCount = kRows * 1024;

// --- kernels: buffers, then items [begin, end)

void doubled(void** b, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) static_cast<float*>(b[1])[i] = 2 * static_cast<const float*>(b[0])[i];
}
// Positive floats order as their bits do.
void itemsOf(void** b, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    uint32_t bits;
    std::memcpy(&bits, static_cast<const float*>(b[0]) + i, sizeof bits);
    static_cast<uint64_t*>(b[1])[i] = static_cast<uint64_t>(bits) << 32 | bits;
  }
}
void greater(void** b, int64_t, int64_t) {
  *static_cast<unsigned char*>(b[2]) = *static_cast<const float*>(b[0]) > *static_cast<const float*>(b[1]);
}
void lessThanFive(void** b, int64_t, int64_t) {
  *static_cast<unsigned char*>(b[1]) = *static_cast<const int32_t*>(b[0]) < 5;
}
void increment(void** b, int64_t, int64_t) { ++*static_cast<int32_t*>(b[0]); }
void always(void** b, int64_t, int64_t) { *static_cast<unsigned char*>(b[1]) = 1; }
void counted(void** b, int64_t, int64_t) { ++*static_cast<int64_t*>(b[1]); }

const CompiledKernel kKernels[] = {{doubled, kCount, 5}, {itemsOf, kCount, 5}, {greater, 1, 1}, {lessThanFive, 1, 1},
                                   {increment, 1, 1},    {counted, 1, 1},      {always, 1, 1}};

// --- the program: argument 0, result 1, arrays of the workspace, a counter, a predicate, an initial value

enum Slot : int {
  kArgument,
  kResult,
  kA,
  kB,
  kItems,
  kSpare,
  kOrders,
  kOthers,
  kTotals,
  kCounter,
  kPredicate,
  kInitial,
  kSlots
};

std::unique_ptr<Step> loop(size_t condition) {
  auto out = std::make_unique<WhileStep>();
  out->condition.steps.push_back(std::make_unique<KernelStep>(condition, std::vector<int>{kCounter, kPredicate}));
  out->body.steps.push_back(std::make_unique<KernelStep>(4, std::vector<int>{kCounter}));
  out->body.steps.push_back(std::make_unique<KernelStep>(0, std::vector<int>{kArgument, kA}));
  out->predicate = kPredicate;
  return out;
}

Sequence everyStep() {
  Sequence out;
  out.steps.push_back(std::make_unique<KernelStep>(0, std::vector<int>{kArgument, kA}));
  Scan scan;
  scan.length = kCount;
  scan.from = kA;
  scan.initial = kInitial;
  scan.to = kB;
  scan.totals = kTotals;
  out.steps.push_back(makeScanStep(scan));
  out.steps.push_back(makePermuteStep({{}, {kRows, 1024, 1}, {1024, 1, kRows}, 4, kB, kA}));
  RadixSort sort;
  sort.shape = {kCount, 1, 1};
  sort.kernel = 1;
  sort.kernelSlots = {kA, kItems};
  sort.items = sort.sorted = kItems;
  sort.spare = kSpare;
  sort.operands = {kA};
  sort.outputs = {kB};
  sort.widths = {4};
  sort.isShared = true;  // its one row, by all threads
  sort.payload = SortPayload::Value;
  out.steps.push_back(makeRadixSortStep(sort));
  auto calls = std::make_unique<SortByCalls>();
  calls->operands = {kB};
  calls->outputs = {kA};
  calls->widths = {4};
  calls->shape = {kCount / 4, 1, 1};
  calls->comparator = 2;
  calls->orders = kOrders;
  calls->others = kOthers;
  out.steps.push_back(std::move(calls));
  out.steps.push_back(std::make_unique<CopyStep>(kA, kResult, kCount));  // a quarter, as it is sorted
  out.steps.push_back(std::make_unique<CopyStep>(kInitial, kCounter, 4));
  out.steps.push_back(loop(3));
  out.steps.push_back(std::make_unique<RegionCallStep>(5, std::vector<int>{kCounter}, 0));
  return out;
}

struct Built {
  FieldWriter plan;
  std::vector<StepLoader> loaders;
  std::vector<ProgramSlot> slots;
  uint64_t workspace = 0;
  ProgramArray argument{kCount * 4, 4, -1, 0}, result{kCount, 4, -1, 0};
  float initial = 0;
  Program program = {};
};

StepLoader loaderNamed(const std::string& name) {
  const std::pair<const char*, StepLoader> all[] = {{"tessera_step_kernel", tessera_step_kernel},
                                                    {"tessera_step_region", tessera_step_region},
                                                    {"tessera_step_copy", tessera_step_copy},
                                                    {"tessera_step_while", tessera_step_while},
                                                    {"tessera_step_scan", tessera_step_scan},
                                                    {"tessera_step_permute", tessera_step_permute},
                                                    {"tessera_step_radix_sort", tessera_step_radix_sort},
                                                    {"tessera_step_sort_by_calls", tessera_step_sort_by_calls}};
  for (const auto& [known, loader] : all)
    if (known == name) return loader;
  return nullptr;
}

void build(Built& out) {
  Sequence sequence = everyStep();
  out.plan(sequence);
  for (const std::string& name : out.plan.loaders) out.loaders.push_back(loaderNamed(name));
  out.slots = {{ProgramSlotKind::Argument, 0, nullptr}, {ProgramSlotKind::Result, 0, nullptr}};
  for (int slot = kA; slot < kInitial; ++slot) {
    out.slots.push_back({ProgramSlotKind::Workspace, out.workspace, nullptr});
    out.workspace += slot >= kItems && slot <= kOthers ? kCount * 8 : kCount * 4;
  }
  out.slots.push_back({ProgramSlotKind::Constant, 0, &out.initial});
  out.program = {kProgramVersion,
                 "",
                 kKernels,
                 out.slots.data(),
                 out.slots.size(),
                 out.plan.bytes.data(),
                 out.plan.bytes.size(),
                 out.loaders.data(),
                 out.loaders.size(),
                 &out.argument,
                 1,
                 &out.result,
                 1,
                 1,
                 out.workspace,
                 4,
                 1,
                 1,
                 nullptr,
                 nullptr};
}

struct FreeBytes {
  void operator()(void* p) const { std::free(p); }
};

std::vector<float> runOnce(Program& program, const std::vector<float>& argument) {
  std::vector<float> result(kCount / 4);
  const std::unique_ptr<void, FreeBytes> workspace(std::aligned_alloc(64, program.workspaceBytes));
  const void* in[] = {argument.data()};
  void* to[] = {result.data()};
  char error[100] = "";
  if (tessera_program_run(in, to, workspace.get(), error, sizeof error, &program) == 0) return result;
  std::fprintf(stderr, "%s\n", error);
  return {};
}

}  // namespace

int64_t wrongPrograms() {
  Built built;
  build(built);
  std::vector<float> argument(kCount);
  for (int64_t i = 0; i < kCount; ++i) argument[static_cast<size_t>(i)] = static_cast<float>(i * 7919 % 1013);
  std::atomic<int64_t> wrong{0};
  {
    std::vector<std::jthread> threads;  // the first runs meet, too
    std::vector<std::vector<float>> first(4);
    for (std::vector<float>& mine : first)
      threads.emplace_back([&] {
        mine = runOnce(built.program, argument);
        for (int i = 0; i < 3; ++i) wrong += mine.empty() || runOnce(built.program, argument) != mine;
      });
    threads.clear();
    for (const std::vector<float>& mine : first)
      wrong += mine != first[0] || !std::ranges::is_sorted(mine, std::greater<>());
  }
  return wrong;
}

int64_t wrongCancellations() {
  int64_t wrong = 0;
  for (int round = 0; round < 5; ++round) {
    std::vector<float> argument(kCount, 1), a(kCount);
    int32_t counter = 0;
    unsigned char predicate = 0;
    ThreadPool pool(3);
    std::atomic<bool> cancel{false};
    RunState state;
    state.pointers.resize(kSlots);
    const auto place = [&](int slot, void* at) {
      state.pointers[static_cast<size_t>(slot)] = static_cast<std::byte*>(at);
    };
    place(kArgument, argument.data());
    place(kA, a.data());
    place(kCounter, &counter);
    place(kPredicate, &predicate);
    state.pool = &pool;
    state.kernels = kKernels;
    state.cancel = &cancel;
    Sequence endless;
    endless.steps.push_back(loop(6));
    std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(3 + round));
      cancel.store(true);
    });
    const tessera::Status status = endless.run(state);
    wrong += status.has_value() || status.error().message != "cancelled";
  }
  return wrong;
}
