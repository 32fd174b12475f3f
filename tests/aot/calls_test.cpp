// How a program compiled ahead of time is called: overlapping runs, memory that is shared, starts anywhere or is
// refused, and what cannot be compiled so.
#include <algorithm>
#include <cstring>
#include <thread>

#include "core/base/tuning.h"
#include "core/evaluate/evaluate.h"
#include "tests/aot/library.h"
#include "tests/support/planned_memory.h"
#include "tests/support/values.h"

namespace tessera::aot {
namespace {

TEST(AheadOfTimeCalls, RunsMayOverlap) {
  const Module module = programOf(
      "x = f32[200,96] parameter(0)  y = f32[96,300] parameter(1)  d = f32[200,300] dot(x, y), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0}  ROOT r = f32[200,300] sort(d), dimensions={1}, "
      "to_apply=before");
  const Library library(objectOf(module).value(), "program");
  ASSERT_TRUE(library.run);
  const std::vector<Literal> arguments = filled(module), expected = expectedOf(module, arguments);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) expectSame(expected, call(library, arguments, expected));
    });
}

// The library's tuning constants follow from this machine's caches, whatever those of the compiling one were.
TEST(AheadOfTimeCalls, MemoryIsAsItWasPlanned) {
  const Module module = moduleOf(test::kPlannedMemory);
  const std::vector<Literal> arguments = filled(module), expected = expectedOf(module, arguments);
  const Tuning before = tuning();
  const Caches small{.firstBytes = 8 << 10, .secondBytes = 64 << 10, .lastBytes = 256 << 10},
      large{.firstBytes = 256 << 10, .secondBytes = 64 << 20, .lastBytes = 512 << 20};
  for (const Caches& caches : {small, large}) {
    setTuning(tuningFor(caches));
    const auto object = objectOf(module, "native", 3);
    setTuning(before);
    ASSERT_TRUE(object) << object.error().toString();
    const Library library(*object, "program");
    ASSERT_TRUE(library.run);
    const Called called = call(library, arguments, expected);
    ASSERT_EQ(called.answer, 0) << called.error;
    EXPECT_TRUE(test::sameValues(expected, called.results)) << caches.lastBytes;
  }
}

TEST(AheadOfTimeCalls, ADeclaredAliasMayShareMemory) {
  const Module module = moduleOf(
      "HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }\nENTRY main { x = f32[600] parameter(0)  y = "
      "f32[600] parameter(1)  "
      "s = f32[600] add(x, y)  v = f32[600] reverse(x), dimensions={0}  d = f32[600] multiply(v, y)  ROOT t = "
      "(f32[600], f32[600]) tuple(d, s) }\n");
  const CompiledObject object = objectOf(module).value();
  EXPECT_NE(object.header.find("may be stored over argument 0"), std::string::npos) << object.header;
  const Library library(object, "program");
  ASSERT_TRUE(library.run);
  std::vector<Literal> arguments = filled(module);
  const std::vector<Literal> expected = expectedOf(module, arguments);
  Literal x = Literal::fromBytes(arguments[0].shape(), arguments[0].bytes()).value(),
          other = Literal::allocate(arguments[0].shape()).value();
  const Memory workspace = memoryOf(library.workspaceBytes());
  const void* in[] = {x.mutableBytes().data(), arguments[1].bytes().data()};
  void* shared[] = {x.mutableBytes().data(), other.mutableBytes().data()};
  char error[200] = "";
  ASSERT_EQ(library.run(in, shared, workspace.get(), error, sizeof error), 0) << error;
  EXPECT_TRUE(x.identical(expected[0]));
  EXPECT_TRUE(other.identical(expected[1]));
  // The other result may not, and neither may a part.
  void* undeclared[] = {other.mutableBytes().data(), x.mutableBytes().data()};
  EXPECT_EQ(library.run(in, undeclared, workspace.get(), error, sizeof error), 1);
  EXPECT_STREQ(error, "result 1 overlaps argument 0");
  void* part[] = {x.mutableBytes().data() + 4, other.mutableBytes().data()};
  EXPECT_EQ(library.run(in, part, workspace.get(), error, sizeof error), 1);
}

// What C gives is aligned to an element, not to a line or a vector: kernels, loops in one function, transposes that are
// stored with non-temporal stores where they can be.
TEST(AheadOfTimeCalls, ArraysBeginAnywhere) {
  const Module module = moduleOf(
      "HloModule m\n\nc { p = (s32[], f32[16], f32[16]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = "
      "s32[] constant(3)\n"
      "  ROOT l = pred[] compare(i, n), direction=LT }\n"
      "b { p = (s32[], f32[16], f32[16]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f32[16] "
      "get-tuple-element(p), index=1\n"
      "  w = f32[16] get-tuple-element(p), index=2  one = s32[] constant(1)  j = s32[] add(i, one)  y = f32[16] "
      "multiply(x, w)\n"
      "  ROOT t = (s32[], f32[16], f32[16]) tuple(j, y, w) }\n"
      "ENTRY main { a = f32[1024,2064] parameter(0)  x = f32[16] parameter(1)  w = f32[16] parameter(2)  t = "
      "f32[2064,1024] transpose(a), dimensions={1,0}\n"
      "  z = s32[] constant(0)  s = (s32[], f32[16], f32[16]) tuple(z, x, w)  l = (s32[], f32[16], f32[16]) while(s), "
      "condition=c, body=b\n"
      "  y = f32[16] get-tuple-element(l), index=1  e = f32[1024,2064] sine(a)  ROOT r = (f32[2064,1024], f32[16], "
      "f32[1024,2064]) tuple(t, y, e) }\n");
  const std::vector<Literal> arguments = filled(module), expected = expectedOf(module, arguments);
  const Library library(objectOf(module).value(), "program");
  ASSERT_TRUE(library.run);
  const Memory workspace = memoryOf(library.workspaceBytes());
  std::vector<Memory> memory;
  const auto placed = [&](const Literal& array) {
    memory.push_back(memoryOf(array.bytes().size() + 64));
    return static_cast<char*>(memory.back().get()) + 4;
  };
  std::vector<const void*> in;
  std::vector<void*> out;
  for (const Literal& argument : arguments)
    in.push_back(std::memcpy(placed(argument), argument.bytes().data(), argument.bytes().size()));
  for (const Literal& result : expected) out.push_back(placed(result));
  char error[200] = "";
  ASSERT_EQ(library.run(in.data(), out.data(), workspace.get(), error, sizeof error), 0) << error;
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(std::memcmp(out[i], expected[i].bytes().data(), expected[i].bytes().size()), 0) << "result " << i;
}

TEST(AheadOfTimeCalls, WrongPointersAreRefused) {
  const Module module =
      programOf("x = f32[3000] parameter(0)  ROOT r = f32[3000] sort(x), dimensions={0}, to_apply=before");
  const Library library(objectOf(module).value(), "program");
  ASSERT_TRUE(library.run);
  ASSERT_GT(library.workspaceBytes(), 0u);
  const Memory a = memoryOf(12064), b = memoryOf(12064), workspace = memoryOf(library.workspaceBytes());
  std::memset(a.get(), 0, 12000);
  char error[200] = "";
  const auto refused = [&](const void* x, void* r, void* w) {
    const void* in[] = {x};
    void* out[] = {r};
    return library.run(in, out, w, error, sizeof error);
  };
  EXPECT_EQ(refused(nullptr, b.get(), workspace.get()), 1);
  EXPECT_STREQ(error, "argument 0 is null");
  EXPECT_EQ(refused(a.get(), static_cast<char*>(b.get()) + 2, workspace.get()), 1);
  EXPECT_STREQ(error, "result 0 is not aligned to 4 bytes");
  EXPECT_EQ(refused(a.get(), b.get(), nullptr), 1);
  EXPECT_STREQ(error, "the workspace is null");
  EXPECT_EQ(refused(a.get(), workspace.get(), workspace.get()), 1);
  EXPECT_STREQ(error, "result 0 lies in the workspace");
  EXPECT_EQ(library.run(nullptr, nullptr, workspace.get(), nullptr, 0), 1);
  EXPECT_EQ(refused(a.get(), b.get(), workspace.get()), 0) << error;
}

TEST(AheadOfTimeCalls, OlderProcessorsGetOlderCode) {
  const Module module = moduleOf(
      "HloModule m\nENTRY main { x = f32[1000] parameter(0)  s = f32[1000] sine(x)  ROOT r = f32[1000] multiply(s, x) "
      "}\n");
  const std::vector<Literal> arguments = filled(module), expected = expectedOf(module, arguments);
  for (const char* isa : {"x86-64-v2", "x86-64-v3"}) {
    const CompiledObject object = objectOf(module, isa).value();
    EXPECT_EQ(object.header.find("avx512"), std::string::npos);
    const Library library(object, "program");
    ASSERT_TRUE(library.run);
    const Called called = call(library, arguments, expected);
    ASSERT_EQ(called.answer, 0) << called.error;
    for (size_t i = 0; i < 1000; ++i)
      EXPECT_NEAR(called.results[0].data<float>()[i], expected[0].data<float>()[i], 1e-5);
  }
}

// The state goes on from run to run, also where runs overlap and take steps of their own.
TEST(AheadOfTimeCalls, ARandomStateGoesOn) {
  const Module module = moduleOf("HloModule m\nENTRY main { ROOT s = u64[2] rng-get-and-update-state(), delta=5 }\n");
  const Library library(objectOf(module).value(), "program");
  ASSERT_TRUE(library.run);
  auto executable = makeBackend("cpu").value()->compile(module).value();
  std::vector<Literal> expected;
  constexpr int kRuns = 12;
  for (int i = 0; i < kRuns; ++i) expected.push_back(executable->run({}).value()[0]);
  for (int i = 0; i < 3; ++i) expectSame({expected[static_cast<size_t>(i)]}, call(library, {}, {expected[0]}));
  std::vector<uint64_t> states(3 * 3);
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < 3; ++t)
      threads.emplace_back([&, t] {
        for (size_t i = 0; i < 3; ++i)
          states[3 * t + i] = call(library, {}, {expected[0]}).results[0].data<uint64_t>()[0];
      });
  }
  std::ranges::sort(states);
  for (size_t i = 0; i < states.size(); ++i) EXPECT_EQ(states[i], expected[i + 3].data<uint64_t>()[0]);
}

TEST(AheadOfTimeCalls, WhatNeedsTesseraIsNamed) {
  const Module module = moduleOf(
      "HloModule m\nENTRY main { t = token[] after-all()  noise = (f32[4], token[]) infeed(t)  ROOT x = f32[4] "
      "get-tuple-element(noise), index=0 }\n");
  auto object = objectOf(module);
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(object.error().message.find("noise cannot be compiled ahead of time"), std::string::npos)
      << object.error().message;
}

}  // namespace
}  // namespace tessera::aot
