// Modules of a few lines that ask for very much: chains of calls deeper than a stack, windows and loops of billions of
// steps. Counting, folding and evaluating them is bounded or can be cancelled.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include "core/cost/cost.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/file_content.h"
#include "core/formats/hlo_text.h"
#include "core/memory/memory_report.h"
#include "core/overview/facts.h"
#include "core/passes/pipeline.h"
#include "core/tools/cost_table.h"
#include "tests/unit/base/growth.h"

namespace tessera {
namespace {

Module readBounded(const std::string& text) {
  ReadResult read = readHloText(text, "f.hlo");
  EXPECT_TRUE(read.module && !read.diagnostics.hasErrors()) << read.diagnostics.items().at(0).toString();
  return std::move(*read.module);
}

// Computation i negates and calls i - 1.
std::string chain(int levels) {
  std::string out = "HloModule m\n\n";
  for (int i = 0; i < levels; ++i) {
    const std::string n = std::to_string(i);
    out += "c" + n + " {\n  p = f32[2] parameter(0)\n  n = f32[2] negate(p)\n" +
           (i ? "  ROOT r = f32[2] call(n), to_apply=c" + std::to_string(i - 1) : "  ROOT r = f32[2] abs(n)") +
           "\n}\n\n";
  }
  return out + "ENTRY e {\n  p = f32[2] parameter(0)\n  ROOT r = f32[2] call(p), to_apply=c" +
         std::to_string(levels - 1) + "\n}\n";
}

constexpr const char* kAdd =
    "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n\n";

// A loop of 2 billion steps around the parameter.
constexpr const char* kLongLoop =
    "cond {\n  s = (s32[], f32[]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
    "  n = s32[] constant(2000000000)\n  ROOT c = pred[] compare(i, n), direction=LT\n}\n\n"
    "body {\n  s = (s32[], f32[]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
    "  x = f32[] get-tuple-element(s), index=1\n  o = s32[] constant(1)\n  j = s32[] add(i, o)\n"
    "  y = f32[] sine(x)\n  ROOT t = (s32[], f32[]) tuple(j, y)\n}\n\n"
    "looped {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  z = s32[] constant(0)\n"
    "  t = (s32[], f32[]) tuple(z, a)\n  w = (s32[], f32[]) while(t), condition=cond, body=body\n"
    "  ROOT g = f32[] get-tuple-element(w), index=1\n}\n\n";

std::string hugeWindow(std::string_view operand) {
  return "HloModule m\n\n" + std::string(kAdd) + "ENTRY e {\n  c = f32[1] " + std::string(operand) +
         "\n  z = f32[] constant(0)\n  ROOT r = f32[1] reduce-window(c, z), window={size=2000000000 "
         "pad=1999999999_0}, to_apply=add\n}\n";
}

std::string loopInReducer(std::string_view operand) {
  return "HloModule m\n\n" + std::string(kLongLoop) + "ENTRY e {\n  c = f32[2] " + std::string(operand) +
         "\n  z = f32[] constant(0)\n  ROOT r = f32[] reduce(c, z), dimensions={0}, to_apply=looped\n}\n";
}

bool holds(const Module& module, Opcode opcode) {
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      if (module.at(id).opcode == opcode) return true;
  return false;
}

TEST(BoundedWork, ChainsOfCallsDeeperThanTheStack) {
  const int levels = 20001;  // an odd number of negations
  const Module module = readBounded(chain(levels));
  EXPECT_EQ(costOf(module).flops, 2.0 * (levels + 1));
  const Literal argument = *parseLiteral("{3, -5}", Shape::array(ElementType::F32, {2}));
  const auto values = evaluateModule(module, std::span(&argument, 1));
  ASSERT_TRUE(values) << values.error().toString();
  EXPECT_EQ((*values)[0].data<float>()[0], 3);
  EXPECT_EQ((*values)[0].data<float>()[1], 5);
}

TEST(BoundedWork, TheCostTableOfAChainOfCallsIsLinear) {
  std::map<int, Module> chains;
  for (int levels : {5000, 20000}) chains.emplace(levels, readBounded(chain(levels)));
  const auto table = [&](int levels) { return costTable(chains.at(levels), CostOrder::Flops); };
  EXPECT_EQ(table(5000).total.flops, costOf(chains.at(5000)).flops);
  EXPECT_LT(test::growthToFourfold(20000, table), test::kNearLinear);
}

TEST(BoundedWork, ADepthThatHasNoStackIsRefused) {
  const Module module = readBounded(chain(140000));
  const Literal argument = *parseLiteral("{3, -5}", Shape::array(ElementType::F32, {2}));
  const auto values = evaluateModule(module, std::span(&argument, 1));
  ASSERT_FALSE(values);
  EXPECT_EQ(values.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(values.error().message.find("calls are nested 140001 deep"), std::string::npos) << values.error().message;
}

TEST(BoundedWork, FoldingLeavesWhatIsLongToCompute) {
  const auto window = optimize(readBounded(hugeWindow("constant({3})")));
  ASSERT_TRUE(window);
  const auto loop = optimize(readBounded(loopInReducer("constant({1, 2})")));
  ASSERT_TRUE(loop);
  EXPECT_TRUE(holds(*loop, Opcode::While));
}

TEST(BoundedWork, ChainsOfCallsAreInlinedOnce) {
  const int levels = 20001;  // an odd number of negations, and an abs
  const auto optimized = optimize(readBounded(chain(levels)));
  ASSERT_TRUE(optimized) << optimized.error().toString();
  EXPECT_FALSE(holds(*optimized, Opcode::Call));
  const Literal argument = *parseLiteral("{3, -5}", Shape::array(ElementType::F32, {2}));
  const auto values = evaluateModule(*optimized, std::span(&argument, 1));
  ASSERT_TRUE(values) << values.error().toString();
  EXPECT_EQ((*values)[0].data<float>()[1], 5);
  const std::map<int, Module> chains = {{1000, readBounded(chain(1000))}, {4000, readBounded(chain(4000))}};
  EXPECT_LT(test::growthToFourfold(4000, [&](int n) { return optimize(chains.at(n)); }), test::kNearLinear);
}

TEST(BoundedWork, CallsThatDoubleAreRefusedBeforeTheyAreInlined) {
  std::string text = "HloModule m\n\nc0 {\n  p = f32[4] parameter(0)\n  ROOT r = f32[4] sine(p)\n}\n\n";
  for (int i = 1; i < 60; ++i) {
    const std::string below = "to_apply=c" + std::to_string(i - 1);
    text += "c" + std::to_string(i) + " {\n  p = f32[4] parameter(0)\n  a = f32[4] call(p), " + below +
            "\n  ROOT r = f32[4] call(a), " + below + "\n}\n\n";
  }
  text += "ENTRY e {\n  p = f32[4] parameter(0)\n  ROOT r = f32[4] call(p), to_apply=c59\n}\n";
  const auto begin = std::chrono::steady_clock::now();
  const auto optimized = optimize(readBounded(text));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  ASSERT_FALSE(optimized);
  EXPECT_NE(optimized.error().message.find("makes more than 4000000 instructions"), std::string::npos)
      << optimized.error().message;
  EXPECT_LT(took.count(), 30);
}

// Seconds until an evaluation that is cancelled after a moment ends; it must be by the cancelling.
void expectCancelled(const std::string& text, const Literal& argument) {
  const Module module = readBounded(text);
  std::atomic<bool> cancel{false};
  std::jthread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    cancel = true;
  });
  const auto begin = std::chrono::steady_clock::now();
  const auto values = evaluateModule(module, std::span(&argument, 1), &cancel);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  ASSERT_FALSE(values);
  EXPECT_NE(values.error().message.find("cancelled"), std::string::npos) << values.error().message;
  EXPECT_LT(took.count(), 30);
}

TEST(BoundedWork, EvaluationIsCancelledWithinWindowsAndReducers) {
  expectCancelled(hugeWindow("parameter(0)"), *parseLiteral("{3}", Shape::array(ElementType::F32, {1})));
  expectCancelled(loopInReducer("parameter(0)"), *parseLiteral("{3, 4}", Shape::array(ElementType::F32, {2})));
}

TEST(BoundedWork, EvaluationIsCancelledWithinIotaAndPad) {
  const Literal one = *parseLiteral("{3, 4}", Shape::array(ElementType::F32, {2}));
  expectCancelled(
      "HloModule m\n\nENTRY e {\n  p = f32[2] parameter(0)\n  ROOT i = f32[300000000] iota(), "
      "iota_dimension=0\n}\n",
      one);
  expectCancelled(
      "HloModule m\n\nENTRY e {\n  p = f32[2] parameter(0)\n  z = f32[] constant(0)\n"
      "  ROOT r = f32[400000001] pad(p, z), padding=0_0_399999999\n}\n",
      one);
}

TEST(BoundedWork, EvaluationIsCancelledWithinRandomBits) {
  const Literal state = *parseLiteral("{3, 4}", Shape::array(ElementType::U64, {2}));
  for (const char* algorithm : {"rng_three_fry", "rng_philox"})
    expectCancelled(
        "HloModule m\n\nENTRY e {\n  p = u64[2] parameter(0)\n"
        "  ROOT r = (u64[2], u32[300000000]) rng-bit-generator(p), algorithm=" +
            std::string(algorithm) + "\n}\n",
        state);
}

TEST(BoundedWork, CostsOfHugeWindowsAreCounted) {
  const char* text =
      "HloModule m\n\nENTRY e {\n  p = f32[1,1000000000,1] parameter(0)\n  k = f32[1000000000,1,1] parameter(1)\n"
      "  ROOT r = f32[1,2000000000,1] convolution(p, k), window={size=1000000000 pad=500000000_500000000 "
      "lhs_dilate=2}, dim_labels=b0f_0io->b0f\n}\n";
  const double flops = costOf(readBounded(text)).flops;
  EXPECT_GT(flops, 1e17);
  EXPECT_LT(flops, 4e18);
  // Small ones exactly: with a hole between two elements, 3 elements under a window of 2 meet 6 times.
  const char* small =
      "HloModule m\n\nENTRY e {\n  p = f32[1,3,1] parameter(0)\n  k = f32[2,1,1] parameter(1)\n"
      "  ROOT r = f32[1,6,1] convolution(p, k), window={size=2 pad=1_1 lhs_dilate=2}, dim_labels=b0f_0io->b0f\n}\n";
  EXPECT_EQ(costOf(readBounded(small)).flops, 12);
}

// All values of a long chain share one buffer, each joined to the one before.
TEST(BoundedWork, MemoryOfALongChainIsNearLinear) {
  const auto report = [](int length) {
    std::string text = "HloModule m\n\nENTRY e {\n  x0 = f32[8] parameter(0)\n";
    for (int k = 1; k < length; ++k)
      text += "  x" + std::to_string(k) + " = f32[8] negate(x" + std::to_string(k - 1) + ")\n";
    const Module module = readBounded(text + "  ROOT y = f32[8] negate(x" + std::to_string(length - 1) + ")\n}\n");
    EXPECT_EQ(memoryReport(module)->peakBytes(), 64);
  };
  EXPECT_LT(test::growthToFourfold(40000, report), test::kNearLinear);
}

TEST(BoundedWork, AHugeFileIsRefusedUnread) {
  const auto mostMemory = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;  // KiB
  };
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "tessera_huge_test.hlo";
  std::ofstream(file) << "HloModule m";
  std::filesystem::resize_file(file, 10ull << 30);  // holes, which take no disk
  const long before = mostMemory();
  const auto content = readFile(file);
  std::filesystem::remove(file);
  ASSERT_FALSE(content);
  EXPECT_NE(content.error().message.find("4 GiB"), std::string::npos) << content.error().message;
  EXPECT_LT(mostMemory() - before, 1 << 20);
}

TEST(BoundedWork, VeryLongNamesAreCutWhereTheyAreShown) {
  const std::string name(100000, 'n');
  const Module module = readBounded("HloModule m\n\nENTRY e {\n  " + name +
                                    " = f32[2] parameter(0)\n  ROOT y = f32[2] negate(" + name + ")\n}\n");
  for (const OverviewFact& fact : factsOf(overviewOf(Workload(module, nullptr)))) EXPECT_LT(fact.words().size(), 1000u);
  EXPECT_EQ(shownText("short"), "short");
  EXPECT_EQ(shownText(std::string(159, 'a') + "é").size(), 159 + std::string("…").size());
}

}  // namespace
}  // namespace tessera
