// Loops and branches of a plan on the device: in graphs from the second run on, with the values of the first. Their
// arrays are larger than those of loops that are one kernel (regions_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/backend.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

std::unique_ptr<Executable> compiled(const std::string& text) {
  ReadResult read = readHloText(text);
  EXPECT_TRUE(read.module) << text;
  inferModule(*read.module);
  auto backend = makeBackend("cuda");
  CompileOptions options;
  options.device = "simulated";
  auto executable = backend ? (*backend)->compile(*read.module, options) : std::unexpected(backend.error());
  EXPECT_TRUE(executable) << executable.error().toString();
  return executable ? *std::move(executable) : nullptr;
}

Literal number(int32_t value) { return Literal::scalar<int32_t>(ElementType::S32, value); }

int32_t runOn(Executable& executable, std::vector<int32_t> values, Profile* profile = nullptr) {
  std::vector<Literal> arguments;
  for (const int32_t value : values) arguments.push_back(number(value));
  const auto outputs = executable.run(arguments, {}, profile);
  EXPECT_TRUE(outputs) << outputs.error().toString();
  return outputs ? (*outputs)[0].data<int32_t>()[0] : 0;
}

// Twice what is counted down, from a limit that only the device knows.
constexpr const char* kLoop = R"(HloModule m
condition {
  s = (s32[], s32[5000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  zero = s32[] constant(0)
  ROOT r = pred[] compare(i, zero), direction=GT
}
body {
  s = (s32[], s32[5000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  sum = s32[5000] get-tuple-element(s), index=1
  one = s32[] constant(1)
  less = s32[] subtract(i, one)
  twice = s32[] add(i, i)
  all = s32[5000] broadcast(twice), dimensions={}
  more = s32[5000] add(sum, all)
  ROOT r = (s32[], s32[5000]) tuple(less, more)
}
ENTRY e {
  n = s32[] parameter(0)
  zero = s32[] constant(0)
  zeros = s32[5000] broadcast(zero), dimensions={}
  start = (s32[], s32[5000]) tuple(n, zeros)
  w = (s32[], s32[5000]) while(start), condition=condition, body=body
  sum = s32[5000] get-tuple-element(w), index=1
  ROOT r = s32[1] slice(sum), slice={[4999:5000]}
})";

TEST(CudaGraphs, ALoopRunsAsOftenAsTheDeviceSays) {
  const auto executable = compiled(kLoop);
  ASSERT_TRUE(executable);
  for (const int32_t n : {0, 1, 7, 30, 0, 3}) EXPECT_EQ(runOn(*executable, {n}), n * (n + 1)) << n;
  Profile profile;
  EXPECT_EQ(runOn(*executable, {5}, &profile), 30);
  int64_t most = 0;
  for (const StepProfile& step : profile.steps) most = std::max(most, step.count);
  EXPECT_GE(most, 5);  // measured runs count each round
}

TEST(CudaGraphs, BranchesAreChosenOnTheDevice) {
  const auto executable = compiled(R"(HloModule m
one { x = s32[] parameter(0) ROOT r = s32[] add(x, x) }
two { x = s32[] parameter(0) y = s32[] multiply(x, x) ROOT r = s32[] negate(y) }
three { x = s32[] parameter(0) c = s32[] constant(100) ROOT r = s32[] add(x, c) }
ENTRY e {
  which = s32[] parameter(0)
  x = s32[] parameter(1)
  ROOT c = s32[] conditional(which, x, x, x), branch_computations={one, two, three}
})");
  ASSERT_TRUE(executable);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(runOn(*executable, {0, 7}), 14);
    EXPECT_EQ(runOn(*executable, {1, 7}), -49);
    for (const int32_t which : {2, 3, -1, 1000000}) EXPECT_EQ(runOn(*executable, {which, 7}), 107) << which;
  }
}

// A loop of known trips within one of unknown ones, and a branch within that.
TEST(CudaGraphs, LoopsAndBranchesStandWithinEachOther) {
  const auto executable = compiled(R"(HloModule m
even {
  x = s32[5000] parameter(0)
  c = s32[] constant(1)
  one = s32[5000] broadcast(c), dimensions={}
  ROOT r = s32[5000] add(x, one)
}
odd {
  x = s32[5000] parameter(0)
  c = s32[] constant(3)
  three = s32[5000] broadcast(c), dimensions={}
  ROOT r = s32[5000] multiply(x, three)
}
inner_condition {
  s = (s32[], s32[5000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  four = s32[] constant(4)
  ROOT r = pred[] compare(i, four), direction=LT
}
inner_body {
  s = (s32[], s32[5000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = s32[5000] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  last = s32[1] slice(x), slice={[4999:5000]}
  value = s32[] reshape(last)
  bit = s32[] and(value, one)
  isOdd = pred[] compare(bit, one), direction=EQ
  y = s32[5000] conditional(isOdd, x, x), true_computation=odd, false_computation=even
  ROOT r = (s32[], s32[5000]) tuple(next, y)
}
condition {
  s = (s32[], s32[5000]) parameter(0)
  x = s32[5000] get-tuple-element(s), index=1
  last = s32[1] slice(x), slice={[4999:5000]}
  value = s32[] reshape(last)
  limit = s32[] constant(1000)
  ROOT r = pred[] compare(value, limit), direction=LT
}
body {
  s = (s32[], s32[5000]) parameter(0)
  n = s32[] get-tuple-element(s), index=0
  x = s32[5000] get-tuple-element(s), index=1
  one = s32[] constant(1)
  more = s32[] add(n, one)
  zero = s32[] constant(0)
  start = (s32[], s32[5000]) tuple(zero, x)
  w = (s32[], s32[5000]) while(start), condition=inner_condition, body=inner_body
  y = s32[5000] get-tuple-element(w), index=1
  ROOT r = (s32[], s32[5000]) tuple(more, y)
}
ENTRY e {
  x = s32[] parameter(0)
  all = s32[5000] broadcast(x), dimensions={}
  zero = s32[] constant(0)
  start = (s32[], s32[5000]) tuple(zero, all)
  w = (s32[], s32[5000]) while(start), condition=condition, body=body
  y = s32[5000] get-tuple-element(w), index=1
  ROOT r = s32[1] slice(y), slice={[4999:5000]}
})");
  ASSERT_TRUE(executable);
  const auto expected = [](int32_t x) {
    while (x < 1000)
      for (int i = 0; i < 4; ++i) x = x % 2 ? 3 * x : x + 1;
    return x;
  };
  for (const int32_t x : {1, 2, 50, 999, 5000, 1}) EXPECT_EQ(runOn(*executable, {x}), expected(x)) << x;
}

TEST(CudaGraphs, AnEndlessLoopOnTheDeviceIsCancelled) {
  const auto executable = compiled(kLoop);
  ASSERT_TRUE(executable);
  std::atomic<bool> cancel = true;
  const Literal argument = number(5);
  RunOptions options;
  options.cancel = &cancel;
  const auto outputs = executable->run({&argument, 1}, options);
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().message, "cancelled");
  EXPECT_EQ(runOn(*executable, {5}), 30);
}

// What is on the device is used again where the caller says so.
TEST(CudaGraphs, ArgumentsAndResultsMayStayOnTheDevice) {
  const auto executable = compiled(kLoop);
  ASSERT_TRUE(executable);
  EXPECT_EQ(runOn(*executable, {5}), 30);
  const Literal other = number(9);
  std::vector<Literal> outputs;
  RunOptions options;
  options.argumentsStay = options.resultsStay = true;
  ASSERT_TRUE(executable->runInto({&other, 1}, outputs, options));
  options.resultsStay = false;
  ASSERT_TRUE(executable->runInto({&other, 1}, outputs, options));
  EXPECT_EQ(outputs[0].data<int32_t>()[0], 30);  // of the 5 that lies there
}

}  // namespace
}  // namespace tessera
