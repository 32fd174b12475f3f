// Each rule of findings on a small module that has the fault, and on its twin that has not; trip counts; facts of an
// overview; measured times in place of estimates.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/units.h"
#include "core/memory/memory_report.h"
#include "core/ops/inference/trip_count.h"
#include "core/overview/facts.h"
#include "core/overview/findings.h"
#include "core/overview/group_summary.h"
#include "core/overview/overview.h"
#include "tests/unit/passes/text.h"

namespace tessera::test {
namespace {

std::vector<Finding> findingsIn(const Module& module, const Profile* profile = nullptr) {
  return findingsOf(Workload(module, profile));
}
std::vector<Finding> findingsIn(const std::string& text) { return findingsIn(moduleFrom(text)); }

std::string rulesIn(const std::string& text) {
  std::string out;
  for (const Finding& finding : findingsIn(text)) out += std::string(finding.rule) + " ";
  return out;
}

const std::string kHeader = "HloModule m, is_scheduled=true\n\n";

TEST(Findings, ATransposeThatItsLayoutUndoesCostsNothing) {
  const std::string program = kHeader +
                              "ENTRY e {\n  x = f32[64,32]{1,0} parameter(0)\n"
                              "  ROOT t = f32[32,64]LAYOUT transpose(x), dimensions={1,0}\n}\n";
  const auto with = [&](const std::string& layout) {
    std::string text = program;
    return text.replace(text.find("LAYOUT"), 6, layout);
  };
  EXPECT_EQ(rulesIn(with("{0,1}")), "");
  EXPECT_EQ(rulesIn(with("{1,0}")), "copies ");
}

TEST(Findings, BeforeOptimisationNothingIsAKernelYet) {
  EXPECT_EQ(rulesIn("HloModule m\n\nENTRY e {\n  x = f32[64,32]{1,0} parameter(0)\n"
                    "  ROOT t = f32[32,64]{1,0} transpose(x), dimensions={1,0}\n}\n"),
            "");
}

TEST(Findings, WeightsThatAreConvertedBeforeTheyAreRead) {
  const std::string program =
      kHeader +
      "f {\n  x = FROM[64,32]{1,0} parameter(0)\n"
      "  ROOT c = f32[64,32]{1,0} convert(x)\n}\n\n"
      "ENTRY e {\n  x = FROM[64,32]{1,0} parameter(0)\n  y = FROM[64,32]{1,0} parameter(1)\n"
      "  u = f32[64,32]{1,0} fusion(x), kind=kLoop, calls=f\n"
      "  v = f32[64,32]{1,0} fusion(y), kind=kLoop, calls=f\n"
      "  ROOT r = f32[64,64]{1,0} dot(u, v), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n}\n";
  const auto from = [&](const std::string& type) {
    std::string text = program;
    for (size_t at = text.find("FROM"); at != text.npos; at = text.find("FROM")) text.replace(at, 4, type);
    return text;
  };
  EXPECT_EQ(rulesIn(from("s32")), "");
  const Module module = moduleFrom(from("bf16"));
  const std::vector<Finding> found = findingsIn(module);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "widened");
  EXPECT_EQ(found[0].instructions.size(), 2u);
  EXPECT_EQ(found[0].bytes, 2 * (64 * 32 * 2 + 64 * 32 * 4));
  EXPECT_NE(found[0].text.find("2 conversions of bf16 to f32"), std::string::npos) << found[0].text;
}

// What a compiler made without op_name counts where its result is read.
TEST(CostByScope, OfWhatHasNoScopeIsItsReaders) {
  const Module module =
      moduleFrom(kHeader +
                 "ENTRY e {\n  x = bf16[64,64]{1,0} parameter(0)\n  u = f32[64,64]{1,0} convert(x)\n"
                 "  d = f32[64,64]{1,0} dot(u, u), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                 "  ROOT r = f32[64,64]{1,0} negate(d), metadata={op_name=\"attention/neg\"}\n}\n");
  const CostScope root = costByScope(Workload(module, nullptr));
  ASSERT_EQ(root.children.size(), 1u);
  EXPECT_EQ(root.children[0].name, "attention");
  EXPECT_EQ(root.children[0].weight, root.weight);
}

TEST(Findings, WhatAFusionHoldsCostsNoMemory) {
  EXPECT_EQ(rulesIn(kHeader + "f {\n  x = f32[64,32]{1,0} parameter(0)\n  c = f32[64,32]{1,0} copy(x)\n"
                              "  ROOT n = f32[64,32]{1,0} negate(c)\n}\n\n"
                              "ENTRY e {\n  x = f32[64,32]{1,0} parameter(0)\n"
                              "  ROOT r = f32[64,32]{1,0} fusion(x), kind=kLoop, calls=f\n}\n"),
            "");
}

// A while that counts i to `bound` and copies its array on the way.
std::string loopWith(const std::string& body) {
  return kHeader +
         "body {\n  s = (s32[], f32[1024]{0}) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
         "  x = f32[1024]{0} get-tuple-element(s), index=1\n  one = s32[] constant(1)\n  n = s32[] add(i, one)\n" +
         body +
         "  ROOT r = (s32[], f32[1024]{0}) tuple(n, y)\n}\n\n"
         "condition {\n  s = (s32[], f32[1024]{0}) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
         "  end = s32[] constant(7)\n  ROOT l = pred[] compare(i, end), direction=LT\n}\n\n"
         "ENTRY e {\n  x = f32[1024]{0} parameter(0)\n  z = s32[] constant(0)\n"
         "  s = (s32[], f32[1024]{0}) tuple(z, x)\n"
         "  ROOT w = (s32[], f32[1024]{0}) while(s), condition=condition, body=body\n}\n";
}

TEST(Findings, ACopyInALoopCountsOnceATrip) {
  const auto found = findingsIn(loopWith("  y = f32[1024]{0} copy(x)\n"));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "loop-copies");
  EXPECT_EQ(found[0].bytes, 7 * 2 * 4096);
  EXPECT_TRUE(found[0].estimated);
  EXPECT_EQ(rulesIn(loopWith("  y = f32[1024]{0} negate(x)\n")), "");
}

TEST(Execution, TripsOfACounter) {
  const Module module = moduleFrom(loopWith("  y = f32[1024]{0} copy(x)\n"));
  EXPECT_EQ(tripCountOf(module, module.at(module.entryComputation().root)), 7);
  const Execution execution = executionOf(module);
  EXPECT_EQ(execution.of(*module.findComputation("body")).times, 7);
  EXPECT_EQ(execution.of(module.entry()).times, 1);
}

TEST(Findings, ABroadcastForAReaderThatCouldRepeatIt) {
  const auto program = [](const std::string& reader) {
    return kHeader +
           "f {\n  c = f32[] parameter(0)\n  ROOT b = f32[1024]{0} broadcast(c), dimensions={}\n}\n\n"
           "ENTRY e {\n  x = f32[1024]{0} parameter(0)\n  c = f32[] constant(2)\n"
           "  b = f32[1024]{0} fusion(c), kind=kLoop, calls=f\n" +
           reader + "}\n";
  };
  EXPECT_EQ(rulesIn(program("  ROOT m = f32[1024]{0} multiply(x, b)\n")), "broadcasts ");
  // A buffer that is written into, or handed out, must exist.
  EXPECT_EQ(rulesIn(program("  i = s32[] constant(0)\n  u = f32[1]{0} constant({1})\n"
                            "  ROOT m = f32[1024]{0} dynamic-update-slice(b, u, i)\n")),
            "");
  EXPECT_EQ(rulesIn(program("  ROOT t = (f32[1024]{0}, f32[1024]{0}) tuple(b, x)\n")), "");
}

TEST(Findings, PaddingIsCountedOverAllBuffers) {
  const auto found = findingsIn(kHeader +
                                "ENTRY e {\n  x = f32[100,3]{1,0:T(8,128)} parameter(0)\n"
                                "  ROOT n = f32[100,3]{1,0:T(8,128)} negate(x)\n}\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "padding");
  EXPECT_EQ(found[0].bytes, 2 * (104 * 128 - 100 * 3) * 4);
  EXPECT_FALSE(found[0].estimated);
  EXPECT_EQ(found[0].instructions.size(), 2u);
}

TEST(Findings, DoublesBeginWhereTheyAreMade) {
  const Module module = moduleFrom(
      "HloModule m\n\nENTRY e {\n  x = f32[8] parameter(0)\n  d = f64[8] convert(x)\n  s = f64[8] sine(d)\n"
      "  ROOT r = f32[8] convert(s)\n}\n");
  const auto found = findingsIn(module);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "f64");
  EXPECT_EQ(placeText(module, found[0].instructions[0]), "e/d");
  EXPECT_EQ(found[0].instructions.size(), 2u);
  EXPECT_NE(found[0].text.find("f32 becomes double at d"), std::string::npos) << found[0].text;
}

TEST(Findings, ANarrowProductInAWideType) {
  const auto program = [](const std::string& type) {
    return "HloModule m\n\nENTRY e {\n  x = " + type + "[16,16] parameter(0)\n  w = f32[16,16] parameter(1)\n" +
           "  c = f32[16,16] convert(x)\n"
           "  ROOT d = f32[16,16] dot(c, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
  };
  EXPECT_EQ(rulesIn(program("bf16")), "upcasts ");
  EXPECT_EQ(rulesIn(program("s8")), "");  // integers are made floats on purpose
}

TEST(Findings, ElementwiseKernelsInARow) {
  const std::string begin = kHeader + "ENTRY e {\n  x = f32[1024]{0} parameter(0)\n  a = f32[1024]{0} sine(x)\n";
  EXPECT_EQ(rulesIn(begin + "  ROOT b = f32[1024]{0} negate(a)\n}\n"), "unfused ");
  // Read twice, it would be computed twice.
  EXPECT_EQ(rulesIn(begin + "  b = f32[1024]{0} negate(a)\n  ROOT t = (f32[1024]{0}, f32[1024]{0}) tuple(a, b)\n}\n"),
            "");
}

TEST(Findings, ManyTinyKernels) {
  const auto chain = [](int kernels, const std::string& size) {
    std::string text = kHeader + "ENTRY e {\n  v0 = f32[" + size + "]{0} parameter(0)\n";
    for (int k = 1; k <= kernels; ++k)
      text += (k == kernels ? "  ROOT v" : "  v") + std::to_string(k) + " = f32[" + size + "]{0} reverse(v" +
              std::to_string(k - 1) + "), dimensions={0}\n";
    return text + "}\n";
  };
  EXPECT_EQ(rulesIn(chain(20, "8")), "tiny-kernels ");
  EXPECT_EQ(rulesIn(chain(5, "8")), "");
  EXPECT_EQ(rulesIn(chain(20, "4096")), "");
}

std::string pairWith(const std::string& between, const std::string& groups) {
  return kHeader +
         "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n\n"
         "ENTRY e {\n  x = f32[1024]{0} parameter(0)\n"
         "  g = f32[1024]{0} all-reduce-start(x), replica_groups=" +
         groups + ", to_apply=add\n" + between +
         "  d = f32[1024]{0} all-reduce-done(g)\n  k = f32[1024]{0} sort(x), dimensions={0}, to_apply=less\n"
         "  ROOT t = (f32[1024]{0}, f32[1024]{0}) tuple(d, k)\n}\n";
}

TEST(Findings, ACollectiveThatNothingRunsBeside) {
  const auto less = [](std::string text) {
    return text.insert(text.find("ENTRY"),
                       "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                       "  ROOT l = pred[] compare(a, b), direction=LT\n}\n\n");
  };
  EXPECT_EQ(rulesIn(less(pairWith("", "{{0,1}}"))), "exposed-collectives ");
  EXPECT_EQ(rulesIn(less(pairWith("  o = f32[1024]{0} reverse(x), dimensions={0}\n", "{{0,1}}"))), "");
  EXPECT_EQ(rulesIn(less(pairWith("", "{{0},{1}}"))), "");  // groups of one exchange nothing
}

TEST(Findings, AProfileMeasuresThem) {
  const Module module = moduleFrom(kHeader +
                                   "ENTRY e {\n  x = f32[64,32]{1,0} parameter(0)\n"
                                   "  ROOT t = f32[32,64]{1,0} transpose(x), dimensions={1,0}\n}\n");
  Profile profile;
  profile.runs = 2;
  profile.sources.push_back({module.entryComputation().root, 3000, 0, 0, true});
  const auto found = findingsIn(module, &profile);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].timeNs, 1500);
  EXPECT_FALSE(found[0].estimated);
}

TEST(Overview, CostsAreATreeOfScopes) {
  const Module module = moduleFrom(
      "HloModule m\n\nENTRY e {\n  x = f32[64] parameter(0), metadata={op_name=\"x\"}\n"
      "  a = f32[64] sine(x), metadata={op_name=\"f/net/sin\"}\n"
      "  b = f32[64] negate(a), metadata={op_name=\"f/net/neg\"}\n"
      "  ROOT c = f32[64] add(a, b), metadata={op_name=\"f/add\"}\n}\n");
  const Workload work(module, nullptr);
  const CostScope root = costByScope(work);
  EXPECT_EQ(root.cost.flops, 2 * 64);
  EXPECT_EQ(root.cost.transcendentals, 64);
  ASSERT_EQ(root.children.size(), 1u);
  EXPECT_EQ(root.children[0].name, "f");
  ASSERT_EQ(root.children[0].children.size(), 1u);
  EXPECT_EQ(root.children[0].children[0].name, "net");
  EXPECT_EQ(root.children[0].children[0].cost.flops, 64);
  const Overview overview = overviewOf(work);
  EXPECT_EQ(overview.top.size(), 3u);
  EXPECT_EQ(overview.inputs[0].name, "x");
  EXPECT_FALSE(overview.parameters);
}

// Two blocks of scopes named `scope`, the first of which reads the parameter of number `first`.
std::string blocksOf(const std::string& parameter, const std::string& scope, int first) {
  const auto quoted = [](int number, const std::string& text) { return text + "_" + std::to_string(number); };
  const auto read = [&](int number) { return number == first ? "a" : "b"; };
  return "HloModule m\n\nENTRY e {\n  x = f32[8] parameter(0), metadata={op_name=\"x\"}\n"
         "  a = f32[8] parameter(1), metadata={op_name=\"p['params']['" +
         quoted(0, parameter) +
         "']['w']\"}\n"
         "  b = f32[8] parameter(2), metadata={op_name=\"p['params']['" +
         quoted(1, parameter) +
         "']['w']\"}\n"
         "  w = f32[8] negate(" +
         read(0) +
         ")\n"
         "  c = f32[8] add(x, w), metadata={op_name=\"jit(f)/Net/" +
         quoted(0, scope) +
         "/add\"}\n"
         "  ROOT d = f32[8] add(c, " +
         read(1) + "), metadata={op_name=\"jit(f)/Net/" + quoted(1, scope) + "/add\"}\n}\n";
}
std::string layersIn(const std::string& text) {
  const Module module = moduleFrom(text);
  std::string out;
  for (const auto& each : overviewOf(Workload(module, nullptr)).layers)
    out += each.name + " × " + std::to_string(each.count) + " " + std::string(each.from) + "; ";
  return out;
}

TEST(Overview, LayersOfParametersAndScopesAreToldOnce) {
  EXPECT_EQ(layersIn(blocksOf("Conv", "Conv", 0)), "Conv × 2 parameters; ");
  EXPECT_EQ(layersIn(blocksOf("weights", "Block", 0)), "weights × 2 parameters; ");  // block k reads weights k
  EXPECT_EQ(layersIn(blocksOf("weights", "Block", 1)), "weights × 2 parameters; Block × 2 scopes; ");
}

TEST(Overview, FactsInWordsSayWhere) {
  const Module module = moduleFrom(blocksOf("Conv", "Conv", 0));
  const auto facts = factsOf(overviewOf(Workload(module, nullptr)));
  const auto find = [&](const std::string& label) { return *std::ranges::find(facts, label, &OverviewFact::label); };
  EXPECT_EQ(find("instructions").words(), "6 in 1 computation");
  EXPECT_EQ(find("inputs").words(),
            "96 B in 3 arrays: x f32[8] (32 B), p['params']['Conv_0']['w'] f32[8] (32 B), "
            "p['params']['Conv_1']['w'] f32[8] (32 B)");
  EXPECT_EQ(module.at(find("inputs").items[0].instruction).name, "x");
  EXPECT_EQ(module.at(find("layers").items[0].instruction).name, "a");
}

TEST(Overview, AGroupSumsWhatItHolds) {
  const Module module = moduleFrom(
      "HloModule m\n\nENTRY e {\n  x = f32[64] parameter(0), metadata={op_name=\"x\"}\n"
      "  a = f32[64] sine(x), metadata={op_name=\"f/net/sin\"}\n"
      "  b = f32[64] negate(a), metadata={op_name=\"f/net/inner/neg\"}\n"
      "  c = f32[64] add(a, b), metadata={op_name=\"f/net/inner/add\"}\n"
      "  d = f32[64] multiply(c, x), metadata={op_name=\"f/tail/mul\"}\n"
      "  ROOT t = f32[64] negate(d), metadata={op_name=\"f/tail/neg\"}\n}\n");
  const Workload work(module, nullptr);
  ViewOptions options;
  options.openGroups = {"f/net"};
  const GraphView view = makeView(module, module.entry(), options);
  const auto found = summaryOf(work, view, view.findGroup("f/net"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->instructions, 3u);
  EXPECT_EQ(found->cost.flops, 2 * 64);
  EXPECT_EQ(found->cost.transcendentals, 64);
  EXPECT_LT(found->weight, found->totalWeight);
  EXPECT_FALSE(found->measured);
  const auto names = [&](const std::vector<GroupSummary::Value>& values) {
    std::string out;
    for (const auto& value : values) out += std::string(module.at(value.instruction).name) + " ";
    return out;
  };
  EXPECT_EQ(names(found->inputs), "");
  EXPECT_EQ(names(found->parameters), "x ");
  EXPECT_EQ(names(found->outputs), "c ");
  ASSERT_EQ(found->parts.size(), 2u);  // a, and the group of b and c
  EXPECT_EQ(found->parts[0].title, "inner");
  EXPECT_EQ(found->parts[0].instructions, 2u);
  EXPECT_FALSE(summaryOf(work, view, -1));
}

// Two layers call one activation: each has its half, and neither holds more instructions than are seen in it.
TEST(Overview, ACallHasItsShareOfWhatOthersCallToo) {
  const auto layer = [](const std::string& name, const std::string& from) {
    const std::string named = ", metadata={op_name=\"f/" + name + "/op\"}";
    return "  n" + name + " = f32[64] negate(" + from + ")" + named + "\n  " + name + " = f32[64] call(n" + name +
           "), to_apply=act" + named + "\n";
  };
  const Module module = moduleFrom(
      "HloModule m\n\nact {\n  x = f32[64] parameter(0)\n  a = f32[64] sine(x)\n  ROOT b = f32[64] cosine(a)\n}\n\n"
      "ENTRY e {\n  x = f32[64] parameter(0)\n" +
      layer("one", "x") + layer("two", "one") + "  ROOT t = f32[64] negate(two)\n}\n");
  const Workload work(module, nullptr);
  for (const char* group : {"f/one", "f/two"}) {
    ViewOptions options;
    options.openGroups = {group};
    const GraphView view = makeView(module, module.entry(), options);
    const auto found = summaryOf(work, view, view.findGroup(group));
    ASSERT_TRUE(found) << group;
    EXPECT_EQ(found->instructions, 2u) << group;
    EXPECT_EQ(found->cost.transcendentals, 2 * 64) << group;
    EXPECT_EQ(found->cost.flops, 64) << group;
  }
}

// A tuple that only copies what comes in took all of the time.
TEST(Overview, MeasuredSharesAreOfAllThatTookTime) {
  const Module module =
      moduleFrom("HloModule m\n\nENTRY e {\n  x = f32[8] parameter(0)\n  ROOT t = (f32[8], f32[8]) tuple(x, x)\n}\n");
  Profile profile;
  profile.runs = 2;
  profile.sources.push_back({.instruction = module.entryComputation().root, .timeNs = 400});
  const Workload work(module, &profile);
  EXPECT_EQ(work.totalWeight(), 200);
  const Overview overview = overviewOf(work);
  ASSERT_EQ(overview.top.size(), 1u);
  EXPECT_EQ(overview.top[0].weight, work.totalWeight());
}

TEST(Overview, OfAnEmptyModule) {
  Module module;
  module.setEntry(module.addComputation("main"));
  EXPECT_TRUE(findingsIn(module).empty());
}

TEST(Units, ThreeDigitsAndAUnit) {
  EXPECT_EQ(bytesText(0), "0 B");
  EXPECT_EQ(bytesText(999), "999 B");
  EXPECT_EQ(bytesText(1500), "1.50 KB");
  EXPECT_EQ(bytesText(999.6e6), "1.00 GB");
  EXPECT_EQ(amountText(124.4e6), "124 M");
  EXPECT_EQ(amountText(12), "12");
  EXPECT_EQ(countText(69618), "69,618");
  EXPECT_EQ(countText(100), "100");
  EXPECT_EQ(percentText(0.004), "0.4 %");
  EXPECT_EQ(percentText(0.62), "62 %");
  EXPECT_EQ(durationText(999), "999 ns");
  EXPECT_EQ(durationText(999.6), "1.00 µs");
  EXPECT_EQ(durationText(3599e9), "3599 s");
  EXPECT_EQ(durationText(3600e9), "1.00 h");
  EXPECT_EQ(durationText(49 * 3600e9), "2.04 days");
}

// What `tessera memory` says of the same module; a module that cannot be assigned has none.
TEST(Overview, ThePeakIsThatOfTheMemoryReport) {
  for (const std::string& text : {loopWith("  y = f32[1024]{0} copy(x)\n"), loopWith("  y = f32[1024]{0} sine(x)\n")}) {
    const Module module = moduleFrom(text);
    const auto memory = memoryReport(module);
    ASSERT_TRUE(memory);
    EXPECT_EQ(overviewOf(Workload(module, nullptr)).peakMemory, memory->peakBytes());
  }
}

TEST(Overview, WithoutScopesTheCostStandsByOpcode) {
  const auto program = [](const std::string& metadata) {
    return "HloModule m\n\nENTRY e {\n  x = f32[64,64] parameter(0)\n  s = f32[64,64] sine(x)" + metadata +
           "\n  ROOT d = f32[64,64] dot(s, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}" + metadata + "\n}\n";
  };
  const auto partsOf = [](const std::string& text, const std::string& scope) {
    const Module module = moduleFrom(text);
    const CostScope root = costByScope(Workload(module, nullptr));
    std::string out;
    EXPECT_EQ(root.children.size(), 1u);
    EXPECT_EQ(root.children.at(0).name, scope);
    double sum = 0;
    for (const CostScope& part : root.children.at(0).children) out += part.name + " ", sum += part.weight;
    EXPECT_DOUBLE_EQ(sum, root.weight);
    return out;
  };
  EXPECT_EQ(partsOf(program(""), "no scope"), "dot sine ");
  EXPECT_EQ(partsOf(program(", metadata={op_name=\"net/op\"}"), "net"), "dot sine ");
}

}  // namespace
}  // namespace tessera::test
