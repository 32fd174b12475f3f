// `tessera run` with files: a project's are refused until --allow names them, feeds of tuples, several devices measured
// like one and compared with their own outputs, wrong arrays, and numbers that are none.
#include <nlohmann/json.hpp>

#include "tests/cli/spawn.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOutfeed =
    "ENTRY main {\n  x = f32[2] constant({1, 2})\n  t = token[] after-all()\n  ROOT o = token[] outfeed(x, t), "
    "outfeed_shape=f32[2]\n}\n";

class RunFiles : public testing::Test {
 protected:
  void refused(const std::string& arguments, int exit, const std::string& words) {
    const Ran ran = scratch_.tessera("run " + arguments);
    EXPECT_EQ(ran.exit, exit) << arguments << "\n" << ran.err;
    EXPECT_NE(ran.err.find(words), std::string::npos) << arguments << "\n" << ran.err;
  }
  void runs(const std::string& arguments) {
    const Ran ran = scratch_.tessera("run " + arguments);
    EXPECT_EQ(ran.exit, 0) << arguments << "\n" << ran.err;
  }
  // A project whose graph and run lines are these.
  void project(const std::string& runLines, const std::string& graph) {
    fs::create_directories(scratch_.folder() / "p");
    scratch_.write("p/work.tessera", "tessera project 1\n" + runLines + "hlo\nHloModule m\n\n" + graph + "end\n");
  }
  std::string npz(const std::string& name, const std::string& constants) {
    scratch_.write("make.hlo", "HloModule m\nENTRY main {\n" + constants + "}\n");
    runs("make.hlo --out=" + name);
    return name;
  }
  Scratch scratch_;
};

TEST_F(RunFiles, AProjectsOutfeedIsRefusedUntilItIsAllowed) {
  scratch_.write("victim", "precious");
  const std::string victim = (scratch_.folder() / "victim").string();
  for (const std::string& name : {std::string("../victim"), victim, std::string("out.npz")}) {
    project("run outfeed " + name + "\n", kOutfeed);
    refused("p/work.tessera", 73, "the project asks to write what outfeeds give to " + name);
  }
  EXPECT_EQ(contentOf(victim), "precious");
  EXPECT_FALSE(fs::exists(scratch_.folder() / "p/out.npz"));
  runs("p/work.tessera --allow=out.npz");
  EXPECT_TRUE(fs::exists(scratch_.folder() / "p/out.npz"));
  // The command line's own word goes over the project's, and is where the program runs.
  project("run outfeed ../victim\n", kOutfeed);
  runs("p/work.tessera --outfeed=mine.npz");
  EXPECT_TRUE(fs::exists(scratch_.folder() / "mine.npz"));
  EXPECT_EQ(contentOf(victim), "precious");
  refused("p/work.tessera --allow=other.npz", 64, "names no such file");
}

TEST_F(RunFiles, AProjectsLibraryIsRefusedUntilItIsAllowed) {
  const std::string graph =
      "ENTRY main {\n  x = f32[4]{0} constant({1, 2, 3, 4})\n  ROOT r = f32[4]{0} custom-call(x), "
      "custom_call_target=\"my_target\", api_version=API_VERSION_ORIGINAL\n}\n";
  const std::string mark = (scratch_.folder() / "loaded").string();
  scratch_.write("lib.c", "#include <stdio.h>\n__attribute__((constructor)) static void start(void) { fclose(fopen(\"" +
                              mark +
                              "\", \"w\")); }\nvoid my_target(float* out, const float** in) { for (int i = 0; i < 4; "
                              "++i) out[i] = in[0][i]; }\n");
  project("run library notes.dat\n", graph);
  const std::string folder = scratch_.folder().string();
  ASSERT_EQ(std::system(("cc -shared -fPIC -o " + folder + "/p/notes.dat " + folder + "/lib.c").c_str()), 0);
  refused("p/work.tessera", 66, "the project asks to load the library notes.dat");
  EXPECT_FALSE(fs::exists(mark));
  runs("p/work.tessera --allow=notes.dat");
  EXPECT_TRUE(fs::exists(mark));
}

TEST_F(RunFiles, AProjectReadsInItsFolderOnly) {
  const std::string graph = "ENTRY main {\n  x = f32[2] parameter(0)\n  ROOT r = f32[2] negate(x)\n}\n";
  scratch_.write("secret.pgm", "P5\n2 2\n255\nabcd");
  const std::string image = "ENTRY main {\n  x = f32[2,2] parameter(0)\n  ROOT r = f32[2,2] negate(x)\n}\n";
  project("run argument 0 image ../secret.pgm\n", image);
  refused("p/work.tessera", 66, "the project asks to read, for arguments, ../secret.pgm");
  fs::create_symlink("../secret.pgm", scratch_.folder() / "p/near.pgm");
  project("run argument 0 image near.pgm\n", image);
  refused("p/work.tessera", 66, "near.pgm");
  runs("p/work.tessera --allow=near.pgm");
  fs::copy_file(scratch_.folder() / "secret.pgm", scratch_.folder() / "p/own.pgm");
  project("run argument 0 image own.pgm\n", image);
  runs("p/work.tessera");
  // And the graph that it names.
  scratch_.write("secret.hlo", "HloModule m\n\n" + graph);
  scratch_.write("p/side.tessera", "tessera project 1\ngraph \"../secret.hlo\"\nend\n");
  refused("p/side.tessera", 66, "lies outside the folder");
}

TEST_F(RunFiles, AProjectsSettingsAreThoseOfItsRuns) {
  project("run seed 3\n", "ENTRY main {\n  x = f32[2] parameter(0)\n  ROOT r = f32[2] negate(x)\n}\n");
  runs("p/work.tessera --out=a.npz");
  runs("p/work.tessera --seed=3 --expected=a.npz --rtol=0 --atol=0");
  EXPECT_EQ(scratch_.tessera("run p/work.tessera --seed=4 --expected=a.npz --rtol=0 --atol=0").exit, 3);
}

TEST_F(RunFiles, SeveralDevicesAndFeedsAreMeasuredLikeOne) {
  scratch_.write("two.hlo",
                 "HloModule m, replica_count=2\n\nENTRY main {\n  x = f32[64] parameter(0)\n  ROOT r = f32[64] "
                 "negate(x)\n}\n");
  scratch_.write("feed.hlo", std::string("HloModule m\n\n") + kOutfeed);
  for (const std::string& arguments : {std::string("two.hlo"), std::string("feed.hlo --outfeed=o.npz")}) {
    const Ran ran = scratch_.tessera("run " + arguments + " --runs=3 --profile=p.json --json");
    ASSERT_EQ(ran.exit, 0) << ran.err;
    const auto object = nlohmann::json::parse(ran.out);
    for (const char* key : {"compile_ms", "run_ms", "peak_bytes"}) EXPECT_TRUE(object.contains(key)) << key;
    EXPECT_GT(object["peak_bytes"], 0);
    const auto profile = nlohmann::json::parse(contentOf(scratch_.folder() / "p.json"));
    EXPECT_EQ(profile["tessera"]["runs"], 3) << arguments;
    EXPECT_GT(profile["tessera"]["steps"].size(), 0u) << arguments;
  }
}

TEST_F(RunFiles, ATupleIsFedArrayByArray) {
  scratch_.write(
      "m.hlo",
      "HloModule m\n\nENTRY main {\n  t = token[] after-all()\n  in = ((f32[2], f32[2]), token[]) infeed(t)\n  "
      "p = (f32[2], f32[2]) get-tuple-element(in), index=0\n  a = f32[2] get-tuple-element(p), index=0\n  b = "
      "f32[2] get-tuple-element(p), index=1\n  ROOT r = f32[2] subtract(a, b)\n}\n");
  npz("feed.npz",
      "  a = f32[2] constant({5, 7})\n  b = f32[2] constant({1, 2})\n  ROOT t = (f32[2], f32[2]) tuple(a, b)\n");
  // feed0 and feed1 by way of an outfeed.
  scratch_.write("give.hlo",
                 "HloModule m\n\nENTRY main {\n  a = f32[2] constant({5, 7})\n  b = f32[2] constant({1, 2})\n  x "
                 "= (f32[2], f32[2]) tuple(a, b)\n  t = token[] after-all()\n  ROOT o = token[] outfeed(x, t), "
                 "outfeed_shape=(f32[2], f32[2])\n}\n");
  runs("give.hlo --outfeed=feeds.npz");
  npz("e.npz", "  ROOT r = f32[2] constant({4, 5})\n");
  runs("m.hlo --infeed=feeds.npz --expected=e.npz --runs=2");
  refused("m.hlo --infeed=feed.npz", 66, "the infeed wants feed0");
}

TEST_F(RunFiles, WrongArraysAreErrors) {
  scratch_.write("m.hlo", "HloModule m\n\nENTRY main {\n  x = f32[3] parameter(0)\n  ROOT r = f32[3] negate(x)\n}\n");
  scratch_.write("make.hlo", "HloModule m\n\nENTRY main {\n  ROOT r = f32[2] constant({1, 2})\n}\n");
  runs("make.hlo --out=out.npz");
  refused("m.hlo --inputs=out.npz", 66, "an argument's array is named arg0");
  refused("m.hlo --argument='1=constant 3'", 64, "the program has 1 arguments");
  refused("m.hlo --argument='0=nothing'", 64, "is no source of values");
}

// What --out writes of several devices, --expected reads: each device's output is compared with its own.
TEST_F(RunFiles, OutputsOfSeveralDevicesAreExpectedOnEach) {
  const auto program = [](const std::string& replicas) {
    return "HloModule m, replica_count=" + replicas +
           "\nENTRY main {\n  x = f32[3] parameter(0)\n  i = u32[] replica-id()\n  f = f32[] convert(i)\n"
           "  b = f32[3] broadcast(f), dimensions={}\n  ROOT r = f32[3] add(x, b)\n}\n";
  };
  scratch_.write("two.hlo", program("2"));
  scratch_.write("three.hlo", program("3"));
  runs("two.hlo --out=two.npz");
  runs("three.hlo --out=three.npz");
  runs("two.hlo --expected=two.npz");
  refused("two.hlo --argument='0=constant 3' --expected=two.npz", 3, "device0_out0[0]");
  refused("two.hlo --expected=three.npz", 66, "has device2_out0, the program gives 1 output on each of 2 devices");
  refused("three.hlo --expected=two.npz", 66, "lacks device2_out0");
  refused("two.hlo --replicas=1 --expected=two.npz", 66, "has device1_out0, the program gives 1 output");
}

TEST_F(RunFiles, NumbersThatAreNoneAreRefused) {
  scratch_.write("m.hlo", "HloModule m\n\nENTRY main {\n  x = f32[3] parameter(0)\n  ROOT r = f32[3] negate(x)\n}\n");
  for (const std::string& option : {std::string("--scale"), std::string("--rtol"), std::string("--atol")})
    for (const std::string& value : {std::string("-1"), std::string("nan"), std::string("inf"), std::string("abc"),
                                     std::string("1e400"), std::string("''"), std::string("1x")})
      refused("m.hlo " + option + "=" + value, 64, option);
  for (const std::string& option : {std::string("--seed"), std::string("--imax"), std::string("--runs"),
                                    std::string("--replicas"), std::string("--partitions")})
    for (const std::string& value : {std::string("-1"), std::string("nan"), std::string("abc"), std::string("1e9"),
                                     std::string("1.5"), std::string("99999999999999999999")})
      refused("m.hlo " + option + "=" + value, 64, option);
  for (const char* option : {"--imax=0", "--runs=0", "--replicas=0", "--partitions=1025"})
    refused("m.hlo " + std::string(option), 64, "--");
  runs("m.hlo --scale=0 --seed=18446744073709551615 --imax=1");
}

}  // namespace
}  // namespace tessera
