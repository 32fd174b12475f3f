// `tessera run`'s options that say what a program is given and what becomes of its results: the fill rule, buffers as
// they are in memory, devices, infeeds and outfeeds. Values are those of the documents, computed here.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "core/formats/npz.h"
#include "core/hlo/literal.h"
#include "tests/cli/spawn.h"

namespace tessera {
namespace {

// The rule of the corpus' README.
uint64_t splitmix64(uint64_t state) {
  uint64_t z = state + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
uint64_t drawn(uint64_t seed, uint64_t argument, uint64_t element) {
  return splitmix64((seed << 56) ^ (argument << 40) ^ element);
}

template <class T>
Literal arrayOf(ElementType type, std::vector<int64_t> dimensions, const std::vector<T>& values) {
  return Literal::fromBytes(Shape::arrayRowMajor(type, std::move(dimensions)), std::as_bytes(std::span(values)))
      .value();
}

class RunOptionsTest : public testing::Test {
 protected:
  NamedArrays arrays(const std::string& file) {
    auto read = readNpz(scratch_.folder() / file);
    EXPECT_TRUE(read) << read.error().toString();
    return read ? *read : NamedArrays();
  }
  // Runs and gives what it wrote to out.npz.
  NamedArrays outputsOf(const std::string& arguments) {
    const Ran ran = scratch_.tessera("run " + arguments + " --out=out.npz");
    EXPECT_EQ(ran.exit, 0) << arguments << "\n" << ran.err;
    return ran.exit == 0 ? arrays("out.npz") : NamedArrays();
  }
  template <class T>
  std::vector<T> values(const NamedArrays& named, const std::string& key) {
    const auto found = named.find(key);
    EXPECT_NE(found, named.end()) << key;
    if (found == named.end()) return {};
    return {found->second.data<T>().begin(), found->second.data<T>().end()};
  }
  void refused(const std::string& arguments, int exit, const std::string& message) {
    const Ran ran = scratch_.tessera("run " + arguments);
    EXPECT_EQ(ran.exit, exit) << arguments << "\n" << ran.err;
    EXPECT_NE(ran.err.find(message), std::string::npos) << ran.err;
  }
  Scratch scratch_;
};

constexpr const char* kPass =
    "HloModule pass\n\nENTRY main {\n  x = f32[5] parameter(0)\n  i = s32[7] parameter(1)\n  b = pred[9] parameter(2)\n"
    "  ROOT t = (f32[5], s32[7], pred[9]) tuple(x, i, b)\n}\n";

TEST_F(RunOptionsTest, TheFillRule) {
  scratch_.write("pass.hlo", kPass);
  struct Rule {
    const char* options;
    uint64_t seed, imax;
    double scale;
  };
  for (const Rule& rule : {Rule{"", 0, 8, 0.02}, Rule{"--seed=7", 7, 8, 0.02}, Rule{"--scale=3.5", 0, 8, 3.5},
                           Rule{"--imax=1000", 0, 1000, 0.02}, Rule{"--seed=255 --scale=2 --imax=3", 255, 3, 2}})
    for (const char* backend : {"cpu", "evaluator"}) {
      const NamedArrays found = outputsOf(std::string("pass.hlo --backend=") + backend + " " + rule.options);
      std::vector<float> floats;
      std::vector<int32_t> integers;
      std::vector<uint8_t> truths;
      for (uint64_t j = 0; j < 5; ++j)
        floats.push_back(
            static_cast<float>(static_cast<double>(drawn(rule.seed, 0, j) >> 40) / (1 << 24) * rule.scale));
      for (uint64_t j = 0; j < 7; ++j) integers.push_back(static_cast<int32_t>(drawn(rule.seed, 1, j) % rule.imax));
      for (uint64_t j = 0; j < 9; ++j) truths.push_back(drawn(rule.seed, 2, j) & 1);
      EXPECT_EQ(values<float>(found, "out0"), floats) << rule.options;
      EXPECT_EQ(values<int32_t>(found, "out1"), integers) << rule.options;
      EXPECT_EQ(values<uint8_t>(found, "out2"), truths) << rule.options;
    }
  for (const char* wrong :
       {"--seed=-1", "--seed=x", "--imax=0", "--imax=-3", "--scale=wide", "--scale=-1", "--scale=nan"})
    refused(std::string("pass.hlo ") + wrong, 64, std::string(wrong).substr(0, 5));
}

// Columns first, and rows padded to four.
TEST_F(RunOptionsTest, BuffersAsTheyLieInMemory) {
  scratch_.write("columns.hlo",
                 "HloModule columns, entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{0,1}}\n\nENTRY main {\n"
                 "  x = f32[2,3]{0,1} parameter(0)\n  ROOT n = f32[2,3]{0,1} negate(x)\n}\n");
  ASSERT_TRUE(writeNpz(scratch_.folder() / "logical.npz",
                       {{"arg0", arrayOf<float>(ElementType::F32, {2, 3}, {1, 2, 3, 4, 5, 6})}}));
  EXPECT_EQ(values<float>(outputsOf("columns.hlo --inputs=logical.npz"), "out0"),
            (std::vector<float>{-1, -2, -3, -4, -5, -6}));
  const std::vector<float> memory{1, 4, 2, 5, 3, 6};
  const auto bytes = std::as_bytes(std::span(memory));
  ASSERT_TRUE(writeNpz(scratch_.folder() / "memory.npz",
                       {{"arg0", Literal::fromBytes(Shape::arrayRowMajor(ElementType::U8, {24}), bytes).value()}}));
  for (const char* backend : {"cpu", "evaluator"}) {
    const NamedArrays found = outputsOf(std::string("columns.hlo --physical --inputs=memory.npz --backend=") + backend);
    ASSERT_TRUE(found.contains("out0"));
    EXPECT_EQ(found.at("out0").shape().type, ElementType::U8);
    EXPECT_EQ(values<float>(found, "out0"), (std::vector<float>{-1, -4, -2, -5, -3, -6}));
  }
  refused("columns.hlo --physical --inputs=logical.npz", 66, "arg0");
}

TEST_F(RunOptionsTest, TheFirstRunIsToldApart) {
  scratch_.write("f.hlo", "HloModule f\n\nENTRY main {\n  ROOT x = f32[4] parameter(0)\n}\n");
  EXPECT_NE(scratch_.tessera("run f.hlo").out.find("(the first one, nothing warmed up)"), std::string::npos);
  EXPECT_NE(scratch_.tessera("run f.hlo --runs=3").out.find("(median of 3 after a first one of "), std::string::npos);
}

TEST_F(RunOptionsTest, ReplicasAndPartitions) {
  scratch_.write(
      "where.hlo",
      "HloModule where\n\nsum {\n  a = u32[] parameter(0)\n  b = u32[] parameter(1)\n  ROOT c = u32[] add(a, "
      "b)\n}\n\nENTRY main {\n  r = u32[] replica-id()\n  p = u32[] partition-id()\n  ten = u32[] "
      "constant(10)\n  t = u32[] multiply(r, ten)\n  me = u32[] add(t, p)\n"
      "  all = u32[] all-reduce(r), replica_groups={}, to_apply=sum\n"
      "  ROOT out = (u32[], u32[]) tuple(me, all)\n}\n");
  for (const char* backend : {"cpu", "evaluator"}) {
    const NamedArrays found = outputsOf(std::string("where.hlo --replicas=3 --partitions=2 --backend=") + backend);
    EXPECT_EQ(found.size(), 12u);
    for (uint32_t replica = 0; replica < 3; ++replica)
      for (uint32_t partition = 0; partition < 2; ++partition) {
        const std::string device = "device" + std::to_string(replica * 2 + partition);
        EXPECT_EQ(values<uint32_t>(found, device + "_out0"), std::vector<uint32_t>{replica * 10 + partition});
        EXPECT_EQ(values<uint32_t>(found, device + "_out1"), std::vector<uint32_t>{3});  // 0 + 1 + 2
      }
    EXPECT_EQ(values<uint32_t>(outputsOf(std::string("where.hlo --backend=") + backend), "out0"),
              std::vector<uint32_t>{0});
  }
  EXPECT_NE(scratch_.tessera("run where.hlo --replicas=2").out.find("2 replicas"), std::string::npos);
  for (const char* wrong : {"--replicas=0", "--partitions=0", "--replicas=1025", "--partitions=x"})
    refused(std::string("where.hlo ") + wrong, 64, std::string(wrong).substr(0, 8));
  EXPECT_EQ(scratch_.tessera("run where.hlo --replicas=2 --runs=3 --profile=p.json").exit, 0);
}

// What goes out of one program comes into the other, in order, tuples element by element.
TEST_F(RunOptionsTest, FeedsGoOutAndComeIn) {
  scratch_.write("out.hlo",
                 "HloModule out\n\nENTRY main {\n  t = token[] after-all()\n  a = f32[3] constant({1,2,3})\n"
                 "  b = s32[2] constant({4,5})\n  ab = (f32[3], s32[2]) tuple(a, b)\n"
                 "  u = token[] outfeed(ab, t), outfeed_shape=(f32[3], s32[2])\n  n = f32[3] negate(a)\n"
                 "  v = token[] outfeed(n, u), outfeed_shape=f32[3]\n  ROOT r = f32[3] add(a, a)\n}\n");
  scratch_.write("in.hlo",
                 "HloModule in\n\nENTRY main {\n  t = token[] after-all()\n"
                 "  f = ((f32[3], s32[2]), token[]) infeed(t)\n  ab = (f32[3], s32[2]) get-tuple-element(f), index=0\n"
                 "  u = token[] get-tuple-element(f), index=1\n  g = (f32[3], token[]) infeed(u)\n"
                 "  a = f32[3] get-tuple-element(ab), index=0\n  b = s32[2] get-tuple-element(ab), index=1\n"
                 "  n = f32[3] get-tuple-element(g), index=0\n  ROOT r = (f32[3], s32[2], f32[3]) tuple(a, b, n)\n}\n");
  for (const std::string backend : {" --backend=cpu", " --backend=evaluator"}) {
    EXPECT_EQ(values<float>(outputsOf("out.hlo --outfeed=feeds.npz" + backend), "out0"), (std::vector<float>{2, 4, 6}));
    const NamedArrays fed = arrays("feeds.npz");
    EXPECT_EQ(fed.size(), 3u);
    EXPECT_EQ(values<float>(fed, "feed0"), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(values<int32_t>(fed, "feed1"), (std::vector<int32_t>{4, 5}));
    EXPECT_EQ(values<float>(fed, "feed2"), (std::vector<float>{-1, -2, -3}));
    const NamedArrays found = outputsOf("in.hlo --infeed=feeds.npz" + backend);
    EXPECT_EQ(values<float>(found, "out0"), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(values<int32_t>(found, "out1"), (std::vector<int32_t>{4, 5}));
    EXPECT_EQ(values<float>(found, "out2"), (std::vector<float>{-1, -2, -3}));
  }
  refused("in.hlo --infeed=missing.npz", 66, "missing.npz");
  refused("out.hlo --outfeed=nowhere/feeds.npz", 73, "nowhere/feeds.npz");
}

TEST_F(RunOptionsTest, AnInfeedThatEndsTooEarlyOrHasAnotherShape) {
  scratch_.write("in.hlo",
                 "HloModule in\n\nENTRY main {\n  t = token[] after-all()\n  f = (f32[3], token[]) infeed(t)\n"
                 "  u = token[] get-tuple-element(f), index=1\n  g = (f32[3], token[]) infeed(u)\n"
                 "  ROOT r = f32[3] get-tuple-element(g), index=0\n}\n");
  const Literal three = arrayOf<float>(ElementType::F32, {3}, {1, 2, 3});
  ASSERT_TRUE(writeNpz(scratch_.folder() / "one.npz", {{"feed0", three}}));
  ASSERT_TRUE(writeNpz(scratch_.folder() / "other.npz",
                       {{"feed0", three}, {"feed1", arrayOf<float>(ElementType::F32, {2}, {1, 2})}}));
  for (const std::string backend : {" --backend=cpu", " --backend=evaluator"}) {
    refused("in.hlo --infeed=one.npz" + backend, 66, "feed1 (f32[3])");
    const Ran other = scratch_.tessera("run in.hlo --infeed=other.npz" + backend);
    EXPECT_NE(other.exit, 0);
    EXPECT_NE(other.err.find("f32[2]"), std::string::npos) << other.err;
  }
}

}  // namespace
}  // namespace tessera
