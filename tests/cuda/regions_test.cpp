// Small loops as one kernel: of one thread, or of a block whose threads share out what each round computes; values of
// the evaluator, and nothing wrong in the simulated device's reports.
#include <atomic>
#include <chrono>
#include <set>
#include <sstream>
#include <thread>

#include "tests/cuda/device_run.h"

namespace tessera {
namespace {

// The launches and copies of the program, in order.
std::vector<std::string> stepsOf(DeviceRun& run) {
  const auto text = run.executable->ptx("m");
  EXPECT_TRUE(text) << text.error().toString();
  std::vector<std::string> out;
  std::istringstream lines(text.value_or(""));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("//   ")) out.push_back(line);
  return out;
}

// Runs it as one kernel, of which the listing says this. copies: before it, of arrays that are too large for its
// threads.
void runsAsOne(const std::string& program, const std::string& said, std::optional<Tolerance> tolerance = std::nullopt,
               size_t copies = 0) {
  SCOPED_TRACE(program);
  DeviceRun run;
  ASSERT_NO_FATAL_FAILURE(runOnDevice("HloModule m\n" + program, "simulated:sm_80", run));
  const std::vector<std::string> steps = stepsOf(run);
  ASSERT_EQ(steps.size(), 1 + copies) << (steps.size() > 1 ? steps[1] : "");
  for (size_t i = 0; i < copies; ++i) EXPECT_TRUE(steps[i].ends_with(" copy")) << steps[i];
  EXPECT_NE(steps.back().find(said), std::string::npos) << steps.back();
  expectEvaluatorsResults(run, tolerance);
  expectNoErrors(run);
}

// While a counter is below `rounds`: body of `x` and `i`, both in the type.
std::string counted(const std::string& type, int rounds, const std::string& body, const std::string& callees = "") {
  const std::string state = "(s32[], " + type + ")";
  return callees + "condition {\n  s = " + state + " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n" +
         "  n = s32[] constant(" + std::to_string(rounds) + ")\n  ROOT r = pred[] compare(i, n), direction=LT\n}\n" +
         "body {\n  s = " + state + " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  x = " + type +
         " get-tuple-element(s), index=1\n  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  " + body +
         "\n  ROOT r = " + state + " tuple(j, y)\n}\nENTRY e {\n  a = " + type +
         " parameter(0)\n  z = s32[] constant(0)\n  t = " + state + " tuple(z, a)\n  w = " + state +
         " while(t), condition=condition, body=body\n  ROOT r = " + type + " get-tuple-element(w), index=1\n}\n";
}

const std::string kRegionSum = "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n";

TEST(CudaRegions, ScalarsAreOneThreadsRegisters) {
  const std::string logistic =
      "c = f32[] constant(3.7)\n  k = f32[] constant(1)\n  d = f32[] subtract(k, x)\n  e = f32[] multiply(x, d)\n"
      "  y = f32[] multiply(c, e)";
  runsAsOne(counted("f32[]", 20, logistic), "by one thread");
  runsAsOne(counted("f64[]", 20, "y = f64[] cosine(x)"), "by one thread");
  runsAsOne(counted("c64[]", 19, "m = c64[] multiply(x, x)\n  k = c64[] constant((0.1, 0.2))\n  y = c64[] add(m, k)"),
            "by one thread");
  runsAsOne(counted("u8[]", 30, "m = u8[] multiply(x, x)\n  k = u8[] constant(3)\n  y = u8[] add(m, k)"),
            "by one thread");
  runsAsOne(counted("pred[]", 19, "y = pred[] not(x)"), "by one thread");
}

// What a round computes is nowhere but in registers: between the loop's head and its end nothing is loaded or stored.
TEST(CudaRegions, ARoundOfScalarsTouchesNoMemory) {
  DeviceRun run;
  ASSERT_NO_FATAL_FAILURE(
      runOnDevice("HloModule m\n" + counted("f64[]", 20, "y = f64[] sqrt(x)"), "simulated:sm_80", run));
  const std::string ptx = run.executable->ptx("m").value_or("");
  const size_t head = ptx.find("$L__BB0_1:"), back = ptx.rfind("bra");
  ASSERT_LT(head, back);
  const std::string round = ptx.substr(head, back - head);
  for (const char* access : {"ld.", "st.", "bar."}) EXPECT_EQ(round.find(access), std::string::npos) << round;
}

TEST(CudaRegions, SmallArraysAreSharedByABlock) {
  runsAsOne(counted("f32[64]", 12,
                    "v = f32[64] reverse(x), dimensions={0}\n  c = f32[64] cosine(v)\n  y = f32[64] add(c, x)"),
            "by a block of 64 threads");
  runsAsOne(counted("f32[20,30]", 17,
                    "v = f32[30,20] transpose(x), dimensions={1,0}\n  u = f32[20,30] reshape(v)\n"
                    "  y = f32[20,30] tanh(u)"),
            "by a block of 256 threads");
  runsAsOne(counted("s8[100]", 17, "v = s8[100] reverse(x), dimensions={0}\n  y = s8[100] add(v, x)"),
            "by a block of 128 threads");
}

// A sum by a warp for each result, and one that all threads need.
TEST(CudaRegions, SumsAreSharedByWarps) {
  const std::string normalised =
      "z = f32[] constant(0)\n  q = f32[48] multiply(x, x)\n  total = f32[] reduce(q, z), dimensions={0}, "
      "to_apply=sum\n"
      "  root = f32[] sqrt(total)\n  n = f32[48] broadcast(root), dimensions={}\n  d = f32[48] divide(x, n)\n"
      "  o = f32[48,48] broadcast(d), dimensions={0}\n  p = f32[48,48] broadcast(x), dimensions={1}\n"
      "  m = f32[48,48] multiply(o, p)\n  w = f32[48] reduce(m, z), dimensions={0}, to_apply=sum\n"
      "  y = f32[48] add(w, d)";
  runsAsOne(counted("f32[48]", 15, normalised, kRegionSum), "by a block of 256 threads", Tolerance{1e-4, 1e-5});
}

// Its end depends on a sum that every warp has: all leave the loop in the same round.
TEST(CudaRegions, ASumDecidesForAllThreads) {
  runsAsOne(kRegionSum + R"(condition {
  s = (f32[96], f32[]) parameter(0)
  d = f32[] get-tuple-element(s), index=1
  k = f32[] constant(0.001)
  ROOT r = pred[] compare(d, k), direction=GT
}
body {
  s = (f32[96], f32[]) parameter(0)
  x = f32[96] get-tuple-element(s), index=0
  half = f32[] constant(0.5)
  h = f32[96] broadcast(half), dimensions={}
  y = f32[96] multiply(x, h)
  d = f32[96] subtract(x, y)
  q = f32[96] multiply(d, d)
  z = f32[] constant(0)
  e = f32[] reduce(q, z), dimensions={0}, to_apply=sum
  ROOT r = (f32[96], f32[]) tuple(y, e)
}
ENTRY e {
  x = f32[96] parameter(0)
  one = f32[] constant(1)
  t = (f32[96], f32[]) tuple(x, one)
  ROOT w = (f32[96], f32[]) while(t), condition=condition, body=body
})",
            "by a block of 96 threads");
}

// An array that is too large to share is written where it lies, a row a round.
TEST(CudaRegions, RoundsWriteRowsOfALargeArray) {
  runsAsOne(R"(condition {
  s = (s32[], f32[40], f32[500,40]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(500)
  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[40], f32[500,40]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[40] get-tuple-element(s), index=1
  all = f32[500,40] get-tuple-element(s), index=2
  one = s32[] constant(1)
  z = s32[] constant(0)
  j = s32[] add(i, one)
  v = f32[40] reverse(x), dimensions={0}
  y = f32[40] sine(v)
  row = f32[1,40] reshape(y)
  more = f32[500,40] dynamic-update-slice(all, row, i, z)
  ROOT r = (s32[], f32[40], f32[500,40]) tuple(j, y, more)
}
ENTRY e {
  x = f32[40] parameter(0)
  all = f32[500,40] parameter(1)
  z = s32[] constant(0)
  t = (s32[], f32[40], f32[500,40]) tuple(z, x, all)
  w = (s32[], f32[40], f32[500,40]) while(t), condition=condition, body=body
  ROOT r = f32[500,40] get-tuple-element(w), index=2
})",
            "by a block of 64 threads", std::nullopt, 3);
}

TEST(CudaRegions, LoopsAndBranchesStandWithinEachOther) {
  runsAsOne(R"(even { x = s32[] parameter(0) one = s32[] constant(1) ROOT r = s32[] add(x, one) }
odd { x = s32[] parameter(0) three = s32[] constant(3) ROOT r = s32[] multiply(x, three) }
inner_condition {
  s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  four = s32[] constant(4)
  ROOT r = pred[] compare(i, four), direction=LT
}
inner_body {
  s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = s32[] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  bit = s32[] and(x, one)
  isOdd = pred[] compare(bit, one), direction=EQ
  y = s32[] conditional(isOdd, x, x), true_computation=odd, false_computation=even
  ROOT r = (s32[], s32[]) tuple(next, y)
}
condition {
  s = (s32[], s32[]) parameter(0)
  x = s32[] get-tuple-element(s), index=1
  limit = s32[] constant(1000)
  ROOT r = pred[] compare(x, limit), direction=LT
}
body {
  s = (s32[], s32[]) parameter(0)
  n = s32[] get-tuple-element(s), index=0
  x = s32[] get-tuple-element(s), index=1
  one = s32[] constant(1)
  more = s32[] add(n, one)
  zero = s32[] constant(0)
  start = (s32[], s32[]) tuple(zero, x)
  w = (s32[], s32[]) while(start), condition=inner_condition, body=inner_body
  y = s32[] get-tuple-element(w), index=1
  ROOT r = (s32[], s32[]) tuple(more, y)
}
ENTRY e {
  x = s32[] parameter(0)
  zero = s32[] constant(0)
  start = (s32[], s32[]) tuple(zero, x)
  w = (s32[], s32[]) while(start), condition=condition, body=body
  ROOT r = s32[] get-tuple-element(w), index=1
})",
            "by one thread");
}

// The loop's time goes to what its rounds compute, as a fusion's does to its members.
TEST(CudaRegions, TimeIsSharedOutAmongTheOperationsOfARound) {
  DeviceRun run;
  const std::string body = "c = f32[64] cosine(x)\n  y = f32[64] add(c, x)";
  ASSERT_NO_FATAL_FAILURE(runOnDevice("HloModule m\n" + counted("f32[64]", 20, body), "simulated:sm_80", run));
  Profile profile;
  ASSERT_TRUE(run.executable->run(run.arguments, {}, &profile));
  ASSERT_FALSE(profile.steps.empty());
  double shared = 0;
  std::set<std::string> names;
  for (const StepShare& share : profile.shares) {
    if (share.step != 0) continue;
    shared += share.timeNs;
    names.insert(std::string(run.module->at(share.instruction).name));
  }
  EXPECT_NEAR(shared, static_cast<double>(profile.steps[0].totalNs), 1);
  EXPECT_TRUE(names.contains("c") && names.contains("y") && names.contains("j")) << names.size();
  EXPECT_FALSE(names.contains("w"));
}

// A sort has kernels of its own; arrays beyond a block's threads are steps.
TEST(CudaRegions, LargerWorkStaysInSteps) {
  for (const std::string& program :
       {counted("f32[64]", 13, "y = f32[64] sort(x), dimensions={0}, to_apply=less",
                "less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }\n"),
        counted("f32[5000]", 9, "v = f32[5000] reverse(x), dimensions={0}\n  y = f32[5000] sine(v)")}) {
    DeviceRun run;
    ASSERT_NO_FATAL_FAILURE(runOnDevice("HloModule m\n" + program, "simulated:sm_80", run));
    EXPECT_GT(stepsOf(run).size(), 1u) << program;
    expectEvaluatorsResults(run);
    expectNoErrors(run);
  }
}

TEST(CudaRegions, AnEndlessKernelIsCancelled) {
  const std::string endless =
      "condition { x = f32[] parameter(0) ROOT r = pred[] constant(true) }\n"
      "body { x = f32[] parameter(0) ROOT r = f32[] cosine(x) }\n"
      "ENTRY e { x = f32[] parameter(0) ROOT r = f32[] while(x), condition=condition, body=body }";
  ReadResult read = readHloText("HloModule m\n" + endless);
  ASSERT_TRUE(read.module);
  inferModule(*read.module);
  const auto backend = makeBackend("cuda");
  CompileOptions options;
  options.device = "simulated";
  const auto executable = (*backend)->compile(*read.module, options);
  ASSERT_TRUE(executable) << executable.error().toString();
  std::atomic<bool> cancel = false;
  RunOptions call;
  call.cancel = &cancel;
  const auto arguments = argumentsBy({}, *read.module);
  const auto begin = std::chrono::steady_clock::now();
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancel = true;
  });
  const auto outputs = (*executable)->run(*arguments, call);
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().message, "cancelled");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));  // on a loaded machine, too
}

}  // namespace
}  // namespace tessera
