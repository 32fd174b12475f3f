// Regions of the CPU backend: loops, branches and chains of small instructions as one function give the evaluator's
// values, are one step of a profile, can be cancelled, and say what they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/element/scalar_functions.h"
#include "tests/support/like_evaluator.h"

namespace tessera {
namespace {

struct Ran {
  Module module;
  std::unique_ptr<Executable> executable;
  std::vector<Literal> arguments;
  Profile profile;
  int64_t regions() const {
    return std::ranges::count_if(profile.steps, [](const StepProfile& s) { return s.what.starts_with("region"); });
  }
};

Ran compiled(const std::string& text) {
  Ran out{test::parsedModule(text), nullptr, {}, {}};
  out.arguments = test::filledArguments(out.module, {3, 1.0, 8});
  out.executable = test::compiled(out.module, 0);
  return out;
}

// Twice: the second run finds what the first one left.
Ran ranLikeEvaluator(const std::string& text) {
  Ran ran = compiled(text);
  const auto expected = evaluateModule(ran.module, ran.arguments);
  for (int run = 0; run < 2 && ran.executable; ++run) {
    const auto found = ran.executable->run(ran.arguments, {}, run == 0 ? &ran.profile : nullptr);
    EXPECT_TRUE(test::sameValues(expected, found)) << text;
  }
  return ran;
}

// A loop over (s32[] i, rest…) while i < rounds; body: lines that define j and the new values, named in `next`.
std::string loop(const std::string& rounds, const std::string& carry, const std::string& body, const std::string& next,
                 const std::string& entry, const std::string& before = "") {
  const std::string tuple = "(s32[], " + carry + ")";
  return "HloModule m\n\n" + before + "condition {\n  p = " + tuple +
         " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  n = s32[] constant(" + rounds +
         ")\n  ROOT l = pred[] compare(i, n), direction=LT\n}\n\nbody {\n  p = " + tuple +
         " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  one = s32[] constant(1)\n  j = s32[] add(i, "
         "one)\n" +
         body + "  ROOT t = " + tuple + " tuple(j, " + next + ")\n}\n\nENTRY e {\n  z = s32[] constant(0)\n" + entry +
         "}\n";
}

// Over one array, argument 0: `body` defines w, the new value, from v.
std::string loopOver(const std::string& rounds, const std::string& shape, const std::string& body,
                     const std::string& before = "") {
  return loop(rounds, shape, "  v = " + shape + " get-tuple-element(p), index=1\n" + body, "w",
              "  v = " + shape + " parameter(0)\n  t = (s32[], " + shape + ") tuple(z, v)\n  ROOT l = (s32[], " +
                  shape + ") while(t), condition=condition, body=body\n",
              before);
}

TEST(CpuRegion, ALoopOfScalarsIsOneStep) {
  Ran ran = ranLikeEvaluator(
      loop("100", "f32[], f64[], bf16[], c64[], pred[], u8[]",
           "  a = f32[] get-tuple-element(p), index=1\n  b = f64[] get-tuple-element(p), index=2\n"
           "  c = bf16[] get-tuple-element(p), index=3\n  d = c64[] get-tuple-element(p), index=4\n"
           "  e = pred[] get-tuple-element(p), index=5\n  f = u8[] get-tuple-element(p), index=6\n"
           "  k = f32[] constant(0.5)\n  ka = f32[] multiply(a, k)\n  a2 = f32[] cosine(ka)\n  wa = f64[] convert(a)\n"
           "  b2 = f64[] add(b, wa)\n  na = bf16[] convert(a)\n  c2 = bf16[] add(c, na)\n  r = c64[] complex(k, a)\n"
           "  d2 = c64[] multiply(d, r)\n  e2 = pred[] not(e)\n  ff = u8[] convert(i)\n  f2 = u8[] add(f, ff)\n",
           "a2, b2, c2, d2, e2, f2",
           "  a = f32[] parameter(0)\n  b = f64[] parameter(1)\n  c = bf16[] parameter(2)\n  d = c64[] parameter(3)\n"
           "  f = pred[] constant(false)\n  g = u8[] parameter(4)\n"
           "  t = (s32[], f32[], f64[], bf16[], c64[], pred[], u8[]) tuple(z, a, b, c, d, f, g)\n"
           "  ROOT w = (s32[], f32[], f64[], bf16[], c64[], pred[], u8[]) while(t), condition=condition, body=body\n"));
  EXPECT_EQ(ran.profile.steps.size(), 1u);
  EXPECT_EQ(ran.regions(), 1);
}

// The carries change places, one stays, one is only handed on; what comes after reads some of them.
TEST(CpuRegion, CarriesThatChangePlaces) {
  Ran ran = ranLikeEvaluator(loop(
      "7", "f32[], f32[], f32[4], f32[4], f32[]",
      "  a = f32[] get-tuple-element(p), index=1\n  b = f32[] get-tuple-element(p), index=2\n"
      "  v = f32[4] get-tuple-element(p), index=3\n  w = f32[4] get-tuple-element(p), index=4\n"
      "  s = f32[] get-tuple-element(p), index=5\n  c = f32[] add(a, s)\n  bb = f32[4] broadcast(b), dimensions={}\n"
      "  x = f32[4] add(v, bb)\n",
      "b, c, w, x, s",
      "  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  v = f32[4] parameter(2)\n  w = f32[4] parameter(3)\n"
      "  s = f32[] parameter(4)\n  t = (s32[], f32[], f32[], f32[4], f32[4], f32[]) tuple(z, a, b, v, w, s)\n"
      "  l = (s32[], f32[], f32[], f32[4], f32[4], f32[]) while(t), condition=condition, body=body\n"
      "  ra = f32[] get-tuple-element(l), index=1\n  rb = f32[] get-tuple-element(l), index=2\n"
      "  rv = f32[4] get-tuple-element(l), index=3\n  rw = f32[4] get-tuple-element(l), index=4\n"
      "  big = f32[90,80] broadcast(rb), dimensions={}\n  sine = f32[90,80] sine(big)\n"
      "  ROOT o = (f32[], f32[4], f32[4], f32[90,80]) tuple(ra, rv, rw, sine)\n"));
  EXPECT_GE(ran.regions(), 1);
}

TEST(CpuRegion, LoopsAndBranchesInALoop) {
  const std::string inner =
      "innerCondition {\n  p = (s32[], s32[], f32[]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  n = "
      "s32[] get-tuple-element(p), index=1\n"
      "  ROOT l = pred[] compare(i, n), direction=LT\n}\n\ninnerBody {\n  p = (s32[], s32[], f32[]) parameter(0)\n"
      "  i = s32[] get-tuple-element(p), index=0\n  n = s32[] get-tuple-element(p), index=1\n  x = f32[] "
      "get-tuple-element(p), index=2\n"
      "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  fi = f32[] convert(i)\n  y = f32[] add(x, fi)\n"
      "  ROOT t = (s32[], s32[], f32[]) tuple(j, n, y)\n}\n\n"
      "up {\n  x = f32[] parameter(0)\n  h = f32[] constant(0.25)\n  ROOT y = f32[] multiply(x, h)\n}\n\n"
      "down {\n  x = f32[] parameter(0)\n  ROOT y = f32[] negate(x)\n}\n\nsame {\n  ROOT x = f32[] parameter(0)\n}\n\n";
  const std::string body =
      "  x = f32[] get-tuple-element(p), index=1\n  h = f32[12] get-tuple-element(p), index=2\n  z = s32[] "
      "constant(0)\n"
      "  it = (s32[], s32[], f32[]) tuple(z, i, x)\n  iw = (s32[], s32[], f32[]) while(it), condition=innerCondition, "
      "body=innerBody\n"
      "  y = f32[] get-tuple-element(iw), index=2\n  five = s32[] constant(5)\n  k = s32[] subtract(i, five)\n"
      "  c = f32[] conditional(k, y, y, y), branch_computations={up, down, same}\n  r = f32[1] reshape(c)\n"
      "  h2 = f32[12] dynamic-update-slice(h, r, i)\n  even = s32[] constant(2)\n  m = s32[] remainder(i, even)\n"
      "  q = pred[] compare(m, z), direction=EQ\n  d = f32[] conditional(q, c, y), true_computation=down, "
      "false_computation=same\n";
  Ran ran = ranLikeEvaluator(
      loop("12", "f32[], f32[12]", body, "d, h2",
           "  x = f32[] parameter(0)\n  h = f32[12] parameter(1)\n  t = (s32[], f32[], f32[12]) tuple(z, x, h)\n"
           "  ROOT w = (s32[], f32[], f32[12]) while(t), condition=condition, body=body\n",
           inner));
  EXPECT_EQ(std::ranges::count(ran.profile.steps, "while", &StepProfile::what), 0);
  EXPECT_EQ(ran.regions(), 1);
}

// A loop that never runs, around arrays of small rank and reductions.
TEST(CpuRegion, ArraysAndNoRounds) {
  const std::string add =
      "add {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n\n";
  const std::string body =
      "  v = f32[5,3] get-tuple-element(p), index=1\n  s = f32[] get-tuple-element(p), index=2\n  z = f32[] "
      "constant(0)\n"
      "  c = f32[3] reduce(v, z), dimensions={0}, to_apply=add\n  cb = f32[5,3] broadcast(c), dimensions={1}\n  h = "
      "f32[] constant(0.125)\n"
      "  hb = f32[5,3] broadcast(h), dimensions={}\n  m = f32[5,3] multiply(cb, hb)\n  w = f32[5,3] subtract(v, m)\n"
      "  q = f32[] reduce(w, z), dimensions={0,1}, to_apply=add\n  sum = f32[] add(s, q)\n";
  for (const char* rounds : {"0", "1", "9"})
    ranLikeEvaluator(
        loop(rounds, "f32[5,3], f32[]", body, "w, sum",
             "  v = f32[5,3] parameter(0)\n  s = f32[] parameter(1)\n  t = (s32[], f32[5,3], f32[]) tuple(z, v, s)\n"
             "  ROOT l = (s32[], f32[5,3], f32[]) while(t), condition=condition, body=body\n",
             add));
}

// A state of tiny vectors: products, sums, scatters and slices of them are part of the one function.
TEST(CpuRegion, SmallProductsArePartOfALoop) {
  const std::string second =
      "add {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n\nsecond {\n  x = "
      "f32[] parameter(0)\n  ROOT y = f32[] parameter(1)\n}\n\n";
  const std::string body =
      "  k = f32[7,2] get-tuple-element(p), index=1\n  w = f32[7] get-tuple-element(p), index=2\n"
      "  v = f32[2] dot(w, k), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
      "  u = f32[2] sine(v)\n  at = s32[1] reshape(i)\n"
      "  l = f32[7,2] scatter(k, at, u), update_window_dims={0}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=second\n"
      "  q = f32[7,7] dot(l, l), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n  c = f32[] constant(0)\n"
      "  n = f32[7] reduce(q, c), dimensions={0}, to_apply=add\n  h = f32[7] tanh(n)\n";
  Ran ran = ranLikeEvaluator(
      loop("9", "f32[7,2], f32[7]", body, "l, h",
           "  a = f32[7,2] parameter(0)\n  b = f32[7] parameter(1)\n  t = (s32[], f32[7,2], f32[7]) tuple(z, a, b)\n"
           "  ROOT r = (s32[], f32[7,2], f32[7]) while(t), condition=condition, body=body\n",
           second));
  EXPECT_EQ(ran.regions(), 1);
  EXPECT_EQ(std::ranges::count(ran.profile.steps, "while", &StepProfile::what), 0);
}

// Products that the library computes faster stay its steps, in a loop and where they run once.
TEST(CpuRegion, LargeProductsStayOutside) {
  Ran ran = ranLikeEvaluator(loop(
      "5", "f32[64,64]",
      "  v = f32[64,64] get-tuple-element(p), index=1\n  m = f32[64,64] dot(v, v), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}\n  w = f32[64,64] tanh(m)\n",
      "w",
      "  v = f32[64,64] parameter(0)\n  t = (s32[], f32[64,64]) tuple(z, v)\n  ROOT l = (s32[], f32[64,64]) while(t), "
      "condition=condition, body=body\n"));
  EXPECT_EQ(std::ranges::count(ran.profile.steps, "while", &StepProfile::what), 1);
}

// Work that threads can share stays steps of its own; the small steps beside it are put together.
TEST(CpuRegion, LargeWorkStaysOutside) {
  Ran ran = ranLikeEvaluator(
      loop("30", "f32[70000], f32[], f32[]",
           "  v = f32[70000] get-tuple-element(p), index=1\n  a = f32[] get-tuple-element(p), index=2\n"
           "  b = f32[] get-tuple-element(p), index=3\n  w = f32[70000] sine(v)\n  c = f32[] add(a, b)\n  d = f32[] "
           "multiply(c, c)\n",
           "w, d, c",
           "  v = f32[70000] parameter(0)\n  a = f32[] parameter(1)\n  b = f32[] parameter(2)\n"
           "  t = (s32[], f32[70000], f32[], f32[]) tuple(z, v, a, b)\n"
           "  ROOT l = (s32[], f32[70000], f32[], f32[]) while(t), condition=condition, body=body\n"));
  EXPECT_EQ(std::ranges::count(ran.profile.steps, "while", &StepProfile::what), 1);
  EXPECT_GE(std::ranges::count(ran.profile.steps, "kernel", &StepProfile::what), 1);
}

// A function of f64 that kernels call costs what a call costs, whichever it is: 4,096 of them are work for threads.
TEST(CpuRegion, EveryCalledFunctionHasItsPrice) {
  for (const ScalarFunctionInfo& function : scalarFunctions()) {
    if (!function.called || function.operands != 1 || !takesType(function.takes, ElementType::F64)) continue;
    const std::string name(nameOf(function.opcode));
    const Ran ran = ranLikeEvaluator(loopOver("30", "f64[4096]", "  w = f64[4096] " + name + "(v)\n"));
    EXPECT_EQ(ran.regions(), 0) << name;
  }
}

// Rows that a kernel keeps on the stack are one place for all rounds.
TEST(CpuRegion, ManyRoundsOfASoftmaxNeedOneRow) {
  const std::string soft =
      "add {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n\nsoft {\n  v = "
      "f32[2,200] parameter(0)\n"
      "  z = f32[] constant(0)\n  e = f32[2,200] exponential(v)\n  s = f32[2] reduce(e, z), dimensions={1}, "
      "to_apply=add\n"
      "  sb = f32[2,200] broadcast(s), dimensions={0}\n  ROOT w = f32[2,200] divide(e, sb)\n}\n\n";
  const std::string body = "  w = f32[2,200] fusion(v), kind=kLoop, calls=soft\n";
  Ran ran = compiled(loopOver("50000", "f32[2,200]", body, soft));
  auto found = ran.executable->run(ran.arguments, {}, &ran.profile);
  ASSERT_TRUE(found) << found.error().toString();
  EXPECT_EQ(ran.regions(), 1);
  EXPECT_NEAR(reinterpret_cast<const float*>((*found)[1].bytes().data())[5], 1.0 / 200, 1e-5);  // where the map rests
}

const std::string kSines = loopOver("10", "f32[8]", "  w = f32[8] sine(v)\n");

TEST(CpuRegion, ProfilesCountRounds) {
  Ran ran = ranLikeEvaluator(kSines);
  ASSERT_EQ(ran.regions(), 1);
  double sources = 0, steps = 0;
  const SourceProfile *sine = nullptr, *compare = nullptr;
  for (const SourceProfile& source : ran.profile.sources) {
    sources += source.timeNs;
    EXPECT_FALSE(source.measured);
    if (ran.module.at(source.instruction).opcode == Opcode::Sine) sine = &source;
    if (ran.module.at(source.instruction).opcode == Opcode::Compare) compare = &source;
  }
  for (const StepProfile& step : ran.profile.steps) steps += static_cast<double>(step.totalNs);
  ASSERT_TRUE(sine && compare);
  EXPECT_DOUBLE_EQ(sine->flops, 10.0 * 8);
  EXPECT_DOUBLE_EQ(compare->flops, 11.0);
  EXPECT_GT(sine->timeNs, compare->timeNs);
  EXPECT_NEAR(sources, steps, 1.0);
}

TEST(CpuRegion, SaysWhatItIs) {
  Ran ran = compiled(kSines);
  const Module& optimized = ran.executable->optimized();
  int found = 0;
  for (ComputationId computation : optimized.order())
    for (InstructionId id : optimized.at(computation).instructions) {
      const auto steps = ran.executable->list(id, true);
      ASSERT_TRUE(steps) << steps.error().toString();
      for (const StepListing& step : *steps) {
        ++found;
        EXPECT_TRUE(step.what.starts_with("region")) << step.what;
        EXPECT_NE(step.irBefore.find("while"), std::string::npos);
        EXPECT_FALSE(step.assembly.empty());
        if (optimized.shapeOf(id).isArray() && optimized.shapeOf(id).rank() == 0) {
          EXPECT_EQ(step.buffers.back().place, "register");
        }
      }
    }
  EXPECT_GE(found, 4);  // condition, counter, sine, the loop
}

// The code of the region, and where it keeps what has this shape: "register" or else.
std::string codeOf(const Ran& ran, const std::string& shape, std::string* place) {
  const Module& optimized = ran.executable->optimized();
  std::string code;
  for (ComputationId computation : optimized.order())
    for (InstructionId id : optimized.at(computation).instructions) {
      const auto steps = ran.executable->list(id, true);
      if (!steps || steps->empty() || !(*steps)[0].what.starts_with("region")) continue;
      code = (*steps)[0].irBefore;
      if (toString(withoutLayout(optimized.shapeOf(id))) == shape && optimized.at(id).opcode == Opcode::Fusion)
        *place = (*steps)[0].buffers.back().place;
    }
  return code;
}

// Elements one by one: parts of vectors would be stored by masks, which the next program's loads wait for.
TEST(CpuRegion, TinyVectorsAreScalarsInRegisters) {
  const std::string body =
      "  a = f32[2] slice(v), slice={[1:3]}\n"
      "  b = f32[1] slice(v), slice={[0:1]}\n  r = f32[3] concatenate(a, b), dimensions={0}\n"
      "  d = f32[] dot(v, r), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
      "  db = f32[3] broadcast(d), dimensions={}\n  m = f32[3] multiply(db, r)\n  k = f32[] constant(0.125)\n"
      "  kb = f32[3] broadcast(k), dimensions={}\n  n = f32[3] multiply(kb, m)\n  w = f32[3] subtract(v, n)\n";
  const Ran ran = ranLikeEvaluator(loopOver("20", "f32[3]", body));
  std::string place;
  const std::string code = codeOf(ran, "f32[3]", &place);
  EXPECT_EQ(place, "register");
  EXPECT_NE(code.find("whileDone"), std::string::npos);
  EXPECT_EQ(code.find("masked"), std::string::npos) << code;
}

TEST(CpuRegion, FewWholeVectorsStayInRegisters) {
  const std::string body =
      "  x = f32[32] get-tuple-element(p), index=1\n  v = f32[32] get-tuple-element(p), index=2\n"
      "  h = f32[] constant(0.0625)\n  hb = f32[32] broadcast(h), dimensions={}\n  s = f32[32] multiply(x, x)\n"
      "  f = f32[32] multiply(s, hb)\n  v2 = f32[32] subtract(v, f)\n  d = f32[32] multiply(v2, hb)\n"
      "  x2 = f32[32] add(x, d)\n";
  const Ran ran =
      ranLikeEvaluator(loop("50", "f32[32], f32[32]", body, "x2, v2",
                            "  x = f32[32] parameter(0)\n  v = f32[32] parameter(1)\n"
                            "  t = (s32[], f32[32], f32[32]) tuple(z, x, v)\n"
                            "  ROOT l = (s32[], f32[32], f32[32]) while(t), condition=condition, body=body\n"));
  std::string place;
  codeOf(ran, "f32[32]", &place);
  EXPECT_EQ(place, "register");
}

// Of stacked rows, each is computed by itself, without asking in which row an element is.
TEST(CpuRegion, StackedRowsNeedNoConditions) {
  const std::string body =
      "  x = f32[1,64] slice(v), slice={[0:1], [0:64]}\n"
      "  y = f32[1,64] slice(v), slice={[1:2], [0:64]}\n  u = f32[1,64] slice(v), slice={[2:3], [0:64]}\n"
      "  a = f32[1,64] subtract(y, x)\n  b = f32[1,64] multiply(x, u)\n  c = f32[1,64] multiply(x, y)\n"
      "  d = f32[3,64] concatenate(a, b, c), dimensions={0}\n  h = f32[] constant(0.0625)\n"
      "  hb = f32[3,64] broadcast(h), dimensions={}\n  e = f32[3,64] multiply(d, hb)\n  w = f32[3,64] add(v, e)\n";
  const Ran ran = ranLikeEvaluator(loopOver("20", "f32[3,64]", body));
  std::string place;
  const std::string code = codeOf(ran, "f32[3,64]", &place);
  EXPECT_NE(code.find("whileDone"), std::string::npos);
  EXPECT_EQ(code.find("readDone"), std::string::npos) << code;
}

// A round writes one row of a large array.
TEST(CpuRegion, AScansResultsMayBeLarge) {
  const std::string body =
      "  v = f32[8] get-tuple-element(p), index=1\n  all = f32[5000,8] get-tuple-element(p), index=2\n"
      "  k = f32[] constant(0.5)\n  kb = f32[8] broadcast(k), dimensions={}\n  w = f32[8] multiply(v, kb)\n"
      "  row = f32[1,8] reshape(w)\n  o = s32[] constant(0)\n"
      "  all2 = f32[5000,8] dynamic-update-slice(all, row, i, o)\n";
  const Ran ran =
      ranLikeEvaluator(loop("5000", "f32[8], f32[5000,8]", body, "w, all2",
                            "  v = f32[8] parameter(0)\n  f = f32[] constant(0)\n"
                            "  all = f32[5000,8] broadcast(f), dimensions={}\n"
                            "  t = (s32[], f32[8], f32[5000,8]) tuple(z, v, all)\n"
                            "  ROOT l = (s32[], f32[8], f32[5000,8]) while(t), condition=condition, body=body\n"));
  EXPECT_EQ(ran.regions(), 1);
}

// Scatters, sums and slices at places that only the run tells, of integers, halves and complex numbers.
TEST(CpuRegion, TinyVectorsOfAnyType) {
  const std::string add = "add {\n  x = T[] parameter(0)\n  y = T[] parameter(1)\n  ROOT s = T[] add(x, y)\n}\n\n";
  const std::string body =
      "  z = T[] constant(0)\n"
      "  r = T[3] reduce(v, z), dimensions={0}, to_apply=add\n  two = s32[] constant(2)\n"
      "  at = s32[] remainder(i, two)\n  zero = s32[] constant(0)\n"
      "  row = T[1,3] dynamic-slice(v, at, zero), dynamic_slice_sizes={1,3}\n  q = T[3] reshape(row)\n"
      "  c = T[3] reverse(q), dimensions={0}\n  g = T[3] subtract(r, c)\n  n = T[1,3] reshape(g)\n"
      "  w = T[2,3] dynamic-update-slice(v, n, at, zero)\n";
  for (const std::string type : {"s32", "s64", "u8", "f64", "bf16", "c64"}) {
    std::string text = loopOver("5", "T[2,3]", body, add);
    for (size_t at = 0; (at = text.find("T[", at)) != std::string::npos;) text.replace(at, 1, type);
    EXPECT_EQ(ranLikeEvaluator(text).regions(), 1) << type;
  }
}

TEST(CpuRegion, AnEndlessLoopCanBeCancelled) {
  Ran ran = compiled(
      "HloModule m\n\nc {\n  p = (s32[]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  ROOT l = pred[] "
      "compare(i, i), direction=EQ\n}\n\n"
      "b {\n  p = (s32[]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  one = s32[] constant(1)\n  j = "
      "s32[] add(i, one)\n"
      "  ROOT t = (s32[]) tuple(j)\n}\n\nENTRY e {\n  z = s32[] parameter(0)\n  t = (s32[]) tuple(z)\n  ROOT w = "
      "(s32[]) while(t), condition=c, body=b\n}\n");
  std::atomic<bool> cancel{false};
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    cancel = true;
  });
  auto result = ran.executable->run(ran.arguments, RunOptions{&cancel, nullptr});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "cancelled");
}

}  // namespace
}  // namespace tessera
