// Programs with sharding annotations: what --partitions makes of them in `run`, `opt`, `cost`, `memory`, `compile` and
// `scale`, and what is refused.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/formats/npz.h"
#include "tests/cli/spawn.h"
#include "tests/support/source_tree.h"

namespace tessera {
namespace {

class Partitions : public testing::Test {
 protected:
  const std::string program_ = test::inSourceTree("tests/passes/partition/transformer_gspmd.hlo") + " ";

  nlohmann::json said(const std::string& arguments) {
    const Ran ran = scratch_.tessera(arguments + " --json");
    EXPECT_EQ(ran.exit, 0) << arguments << "\n" << ran.err;
    return nlohmann::json::parse(ran.out);
  }
  void refused(const std::string& arguments, int exit, const std::string& message) {
    const Ran ran = scratch_.tessera(arguments);
    EXPECT_EQ(ran.exit, exit) << arguments << "\n" << ran.err;
    EXPECT_NE(ran.err.find(message), std::string::npos) << ran.err;
  }
  Scratch scratch_;
};

TEST_F(Partitions, RunsGiveTheValuesOfTheWhole) {
  ASSERT_EQ(scratch_.tessera("run " + program_ + "--scale=1 --out=whole.npz").exit, 0);
  for (const char* backend : {"cpu", "evaluator", "cuda --device=simulated"}) {
    const Ran ran = scratch_.tessera("run " + program_ +
                                     "--scale=1 --partitions=8 --expected=whole.npz --backend=" + std::string(backend));
    EXPECT_EQ(ran.exit, 0) << backend << "\n" << ran.out << ran.err;
  }
}

TEST_F(Partitions, ResultsAreWrittenWhole) {
  ASSERT_EQ(scratch_.tessera("run " + program_ + "--scale=1 --partitions=8 --out=joined.npz").exit, 0);
  const Ran ran = scratch_.tessera("run " + program_ + "--scale=1 --expected=joined.npz");
  EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
}

TEST_F(Partitions, ProfilesAreOfTheAnnotatedProgram) {
  const Ran ran = scratch_.tessera("run " + program_ + "--partitions=8 --hottest=3");
  ASSERT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(ran.out.find("hottest instructions"), std::string::npos);
  EXPECT_NE(ran.out.find("f32[8,16,"), std::string::npos) << "whole shapes:\n" << ran.out;
}

TEST_F(Partitions, OneDeviceHasAPartOfTheWork) {
  const auto whole = said("cost " + program_), one = said("cost " + program_ + "--partitions=8");
  EXPECT_LT(one["total"]["flops"].get<double>(), 0.2 * whole["total"]["flops"].get<double>());
  EXPECT_LT(said("memory " + program_ + "--partitions=8")["peak"], said("memory " + program_)["peak"]);
}

TEST_F(Partitions, ThePassIsNamed) {
  const Ran ran = scratch_.tessera("opt " + program_ + "--partitions=8 --passes=partition");
  ASSERT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(ran.out.find("num_partitions=8"), std::string::npos);
  EXPECT_NE(ran.out.find("_spmd ("), std::string::npos);
  EXPECT_NE(ran.out.find(" all-reduce("), std::string::npos);
  scratch_.write("cut.hlo", ran.out);
  ASSERT_EQ(scratch_.tessera("run " + program_ + "--scale=1 --out=whole.npz").exit, 0);
  const Ran again = scratch_.tessera("run cut.hlo --scale=1 --expected=whole.npz");
  EXPECT_EQ(again.exit, 0) << again.err;
}

// Blocks with padding, of arguments that are filled or read from a file.
TEST_F(Partitions, UnevenArraysAreGivenAndWrittenWhole) {
  scratch_.write("uneven.hlo",
                 "HloModule uneven\nENTRY e {\n x = f32[13,6] parameter(0), sharding={devices=[4,1]<=[4]}\n"
                 " s = f32[11,6] slice(x), slice={[2:13], [0:6]}\n"
                 " ROOT y = f32[6,11] transpose(s), dimensions={1,0}, sharding={devices=[1,4]<=[4]}\n}\n");
  scratch_.write("argument.hlo", "HloModule argument\nENTRY e {\n ROOT x = f32[13,6] parameter(0)\n}\n");
  ASSERT_EQ(scratch_.tessera("run argument.hlo --scale=1 --out=argument.npz").exit, 0);
  ASSERT_TRUE(writeNpz(scratch_.folder() / "in.npz",
                       {{"arg0", readNpz(scratch_.folder() / "argument.npz").value().at("out0")}}));
  ASSERT_EQ(scratch_.tessera("run uneven.hlo --scale=1 --out=whole.npz").exit, 0);
  for (const std::string how : {"--scale=1", "--inputs=in.npz"})
    for (const std::string backend : {"cpu", "evaluator", "cuda --device=simulated"}) {
      const Ran ran =
          scratch_.tessera("run uneven.hlo --partitions=4 --expected=whole.npz " + how + " --backend=" + backend);
      EXPECT_EQ(ran.exit, 0) << how << " " << backend << "\n" << ran.out << ran.err;
    }
  ASSERT_EQ(scratch_.tessera("opt uneven.hlo --partitions=4 --passes=partition -o cut.hlo").exit, 0);
  EXPECT_EQ(scratch_.tessera("run cut.hlo --scale=1 --expected=whole.npz").exit, 0);
  EXPECT_EQ(scratch_.tessera("run cut.hlo --inputs=in.npz --expected=whole.npz").exit, 0);
}

// The root that said how results are cut is within a fusion then.
TEST_F(Partitions, WhatAllPassesMadeGivesWholeArrays) {
  scratch_.write("cut_result.hlo",
                 "HloModule m\nENTRY e {\n x = f32[13,6] parameter(0), sharding={devices=[4,1]<=[4]}\n"
                 " n = f32[13,6] negate(x)\n t = f32[6,13] transpose(n), dimensions={1,0}\n"
                 " e = f32[6,13] exponential(t)\n p = f32[8,2] iota(), iota_dimension=0\n q = f32[8,2] cosine(p)\n"
                 " ROOT y = (f32[6,13], f32[8,2]) tuple(e, q), "
                 "sharding={{devices=[1,4]<=[4]}, {devices=[2,1,2]<=[4] last_tile_dim_replicate}}\n}\n");
  ASSERT_EQ(scratch_.tessera("run cut_result.hlo --scale=1 --out=whole.npz").exit, 0);
  ASSERT_EQ(scratch_.tessera("opt cut_result.hlo --partitions=4 -o cut.hlo").exit, 0);
  const Ran ran = scratch_.tessera("run cut.hlo --scale=1 --expected=whole.npz --out=joined.npz");
  EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
  const auto joined = readNpz(scratch_.folder() / "joined.npz");
  ASSERT_TRUE(joined && joined->contains("out0") && joined->contains("out1"));
  EXPECT_EQ(joined->at("out0").shape().dimensions, (std::vector<int64_t>{6, 13}));
  EXPECT_EQ(joined->at("out1").shape().dimensions, (std::vector<int64_t>{8, 2}));
}

TEST_F(Partitions, ObjectsAreOfOneDevice) {
  const Ran ran = scratch_.tessera("compile " + program_ + "--partitions=8 -o step.o --header=step.h --name=step");
  EXPECT_EQ(ran.exit, 0) << ran.err;
}

TEST_F(Partitions, WhatDoesNotFitIsRefused) {
  refused("run " + program_ + "--partitions=4", 2, "the sharding is not over the program's partitions");
  scratch_.write("plain.hlo", "HloModule p\nENTRY e {\n ROOT x = f32[8] parameter(0)\n}\n");
  refused("cost plain.hlo --partitions=2", 64, "the program has no sharding annotations");
}

}  // namespace
}  // namespace tessera
