// `tessera compile`: the example in C, built by the system's compiler as its README says, and what cannot be compiled,
// linked or written.
#include "tests/cli/spawn.h"
#include "tests/support/skips.h"
#include "tests/support/source_tree.h"

namespace tessera {
namespace {

const std::string kAotExample = test::inSourceTree("resources/examples/aot");
constexpr const char* kShares = "0.7311 0.2689\n0.2689 0.7311\n";

// Shell text in the scratch folder, with what it prints.
Ran shell(const Scratch& scratch, const std::string& command) {
  const std::string folder = scratch.folder().string();
  const int status =
      std::system(("cd '" + folder + "' && { timeout 60 sh -c '" + command + "' ; } > .out 2> .err").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contentOf(scratch.folder() / ".out"),
          contentOf(scratch.folder() / ".err")};
}

class Compile : public testing::Test {
 protected:
  Ran compile(const std::string& arguments, const std::string& before = {}) {
    return scratch_.tessera("compile " + arguments, {}, before);
  }
  void refused(const std::string& arguments, int exit, const std::string& message, const std::string& before = {}) {
    const Ran ran = compile(arguments, before);
    EXPECT_EQ(ran.exit, exit) << ran.err;
    EXPECT_NE(ran.err.find(message), std::string::npos) << ran.err;
  }
  bool has(const std::string& file) const { return std::filesystem::exists(scratch_.folder() / file); }
  Scratch scratch_;
};

// The words that the README and the command itself print.
TEST_F(Compile, TheExampleRunsFromAnObject) {
#ifdef TESSERA_NO_RUNTIME
  TESSERA_SKIP("sanitizer-runtime");
#endif
  const Ran ran = compile("'" + kAotExample + "/classify.hlo' -o classify.o --header=classify.h --name=classify");
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const size_t at = ran.out.find("link with ");
  ASSERT_NE(at, std::string::npos) << ran.out;
  const std::string link = ran.out.substr(at + 10, ran.out.find('\n', at) - at - 10);
  const Ran built =
      shell(scratch_, "cc -Wall -Werror -I. " + kAotExample + "/main.c classify.o " + link + " -o classify");
  ASSERT_EQ(built.exit, 0) << built.err;
  EXPECT_EQ(shell(scratch_, "./classify").out, kShares);
  EXPECT_NE(contentOf(kAotExample + "/README.md").find("0.7311 0.2689"), std::string::npos);
}
TEST_F(Compile, TheExampleRunsFromALibrary) {
#ifdef TESSERA_NO_RUNTIME
  TESSERA_SKIP("sanitizer-runtime");
#endif
  const Ran ran = compile("'" + kAotExample + "/classify.hlo' -o classify.so --header=classify.h --name=classify");
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const Ran built = shell(scratch_, "cc -I. " + kAotExample + "/main.c ./classify.so -o classify");
  ASSERT_EQ(built.exit, 0) << built.err;
  EXPECT_EQ(shell(scratch_, "./classify").out, kShares);
  EXPECT_EQ(shell(scratch_, "nm -D --defined-only classify.so | grep -c classify_").out, "2\n");
  EXPECT_EQ(shell(scratch_, "readelf -d classify.so | grep -ciE \"llvm|libtessera\"").out, "0\n");
}
// For a CUDA device: the same calls, on the simulated one.
TEST_F(Compile, TheExampleRunsFromALibraryForADevice) {
#ifdef TESSERA_NO_RUNTIME
  TESSERA_SKIP("sanitizer-runtime");
#endif
  const Ran ran = compile("'" + kAotExample +
                          "/classify.hlo' --device=cuda:sm_90 -o classify.so --header=classify.h --name=classify");
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const Ran built = shell(scratch_, "cc -Wall -Werror -I. " + kAotExample + "/main.c ./classify.so -o classify");
  ASSERT_EQ(built.exit, 0) << built.err;
  const Ran simulated = shell(scratch_, "TESSERA_CUDA_DEVICE=simulated ./classify");
  EXPECT_EQ(simulated.out, kShares) << simulated.err;
  EXPECT_EQ(shell(scratch_, "nm -D --defined-only classify.so | grep -c classify_").out, "3\n");
  EXPECT_EQ(shell(scratch_, "nm -D --defined-only classify.so | grep -vc classify_").out, "0\n");
  EXPECT_EQ(shell(scratch_, "readelf -d classify.so | grep -ciE \"llvm|libtessera|libcuda\"").out, "0\n");
  EXPECT_NE(contentOf(scratch_.folder() / "classify.so").find(".target sm_90"), std::string::npos);
  const Ran old = shell(scratch_, "TESSERA_CUDA_DEVICE=simulated:sm_80 ./classify");
  EXPECT_NE(old.exit, 0);
  EXPECT_NE((old.out + old.err).find("compiled for sm_90 and later"), std::string::npos) << old.out << old.err;
}
TEST_F(Compile, CodeOfOneArchitectureAloneRunsThere) {
#ifdef TESSERA_NO_RUNTIME
  TESSERA_SKIP("sanitizer-runtime");
#endif
  const std::string example = "'" + kAotExample + "/classify.hlo'";
  ASSERT_EQ(compile(example + " --device=cuda:sm_90a -o classify.so --header=classify.h --name=classify").exit, 0);
  const Ran built = shell(scratch_, "cc -Wall -Werror -I. " + kAotExample + "/main.c ./classify.so -o classify");
  ASSERT_EQ(built.exit, 0) << built.err;
  EXPECT_EQ(shell(scratch_, "TESSERA_CUDA_DEVICE=simulated ./classify").out, kShares);
  const Ran old = shell(scratch_, "TESSERA_CUDA_DEVICE=simulated:sm_89 ./classify");
  EXPECT_NE(old.exit, 0);
  EXPECT_NE((old.out + old.err).find("compiled for sm_90a alone"), std::string::npos) << old.out << old.err;
}
TEST_F(Compile, PtxIsText) {
  ASSERT_EQ(compile("'" + kAotExample + "/classify.hlo' --device=cuda:sm_80 -o classify.ptx").exit, 0);
  const std::string ptx = contentOf(scratch_.folder() / "classify.ptx");
  EXPECT_NE(ptx.find(".target sm_80"), std::string::npos);
  EXPECT_NE(ptx.find(".visible .entry "), std::string::npos);
  refused("'" + kAotExample + "/classify.hlo' -o classify.ptx", 64, "OUT.ptx takes the device that it is for");
  refused("'" + kAotExample + "/classify.hlo' --device=gpu -o classify.so", 64, "cuda:sm_90");
  refused("'" + kAotExample + "/classify.hlo' --device=cuda:sm_50 -o classify.so", 4, "sm_50 is too old");
}
TEST_F(Compile, WhatRunsOnTheHostIsNoProgramForADevice) {
  scratch_.write("m.hlo",
                 "HloModule m\n\nENTRY main {\n  ROOT state = u64[2] rng-get-and-update-state(), delta=1\n}\n");
  refused("m.hlo --device=cuda:sm_80 -o m.so", 4, "state cannot be compiled ahead of time: it runs on the host");
}
TEST_F(Compile, TheHeaderTellsEveryArray) {
  ASSERT_EQ(
      compile("'" + kAotExample + "/classify.hlo' -o classify.o --header=classify.h --target=x86-64-v2 --threads=3")
          .exit,
      0);
  const std::string header = contentOf(scratch_.folder() / "classify.h");
  for (const char* line :
       {" *     0  points: f32[2,3], float, 24 bytes, aligned to 4\n",
        " *     2  bias: f32[2], float, 8 bytes, aligned to 4\n",
        " *     0  result: f32[2,2], float, 16 bytes, aligned to 4\n", "#define CLASSIFY_ARGUMENTS 3\n",
        "At most 3 threads", "with sse3,ssse3,sse4.1,sse4.2,popcnt.", "-ltessera_runtime -lstdc++ -lm -lpthread"})
    EXPECT_NE(header.find(line), std::string::npos) << line << "\n" << header;
}
TEST_F(Compile, OnlyWhatNeedsALibraryNamesIt) {
  scratch_.write("m.hlo",
                 "HloModule m\n\nENTRY main {\n  x = f32[2,32,32,16] parameter(0)\n  k = f32[3,3,16,32] parameter(1)\n"
                 "  ROOT c = f32[2,30,30,32] convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f\n}\n");
  ASSERT_EQ(compile("m.hlo -o m.o --header=m.h").exit, 0);
  EXPECT_NE(contentOf(scratch_.folder() / "m.h").find("-ltessera_runtime -ldnnl -lgomp -lstdc++ -lm -lpthread"),
            std::string::npos);
}
TEST_F(Compile, NamesThatAreNoneInC) {
  scratch_.write("m.hlo", "HloModule odd.name-1\n\nENTRY main {\n  ROOT x = f32[] parameter(0)\n}\n");
  ASSERT_EQ(compile("m.hlo -o m.o --header=m.h").exit, 0);
  EXPECT_NE(contentOf(scratch_.folder() / "m.h").find("int odd_name_1_run("), std::string::npos);
  refused("m.hlo -o m2.o --name=1st", 64, "\"1st\" is no name of a C function");
  refused("m.hlo -o m.exe", 64, "OUT.o, OUT.so or OUT.ptx");
  EXPECT_FALSE(has("m2.o"));
}
TEST_F(Compile, WhatNeedsMoreThanTheRunTimeIsNamed) {
  scratch_.write("feed.hlo",
                 "HloModule m\n\nENTRY main {\n  t = token[] after-all()\n  fed = (f32[4], token[]) infeed(t)\n  ROOT "
                 "x = f32[4] get-tuple-element(fed), index=0\n}\n");
  refused("feed.hlo -o m.o", 4, "fed cannot be compiled ahead of time");
  scratch_.write("target.hlo",
                 "HloModule m\n\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT own = f32[4] custom-call(x), "
                 "custom_call_target=\"users.own\"\n}\n");
  refused("target.hlo -o m.o", 4, "own");
  EXPECT_FALSE(has("m.o"));
}
TEST_F(Compile, OutputsThatCannotBeWritten) {
  scratch_.write("model.hlo", kAddProgram);
  refused("model.hlo -o absent/m.o", 73, "absent/m.o");
  refused("model.hlo -o m.o --header=absent/m.h", 73, "absent/m.h");
  refused("absent.hlo -o n.o", 66, "absent.hlo");
  EXPECT_FALSE(has("n.o"));
}
TEST_F(Compile, AFullDisk) {
  if (!std::filesystem::exists("/dev/full")) TESSERA_SKIP("no-dev-full");
  scratch_.write("model.hlo", kAddProgram);
  std::filesystem::create_symlink("/dev/full", scratch_.folder() / "m.o");
  refused("model.hlo -o m.o", 73, "m.o");
}
TEST_F(Compile, ALinkerThatIsAbsentOrFails) {
  scratch_.write("model.hlo", kAddProgram);
  refused("model.hlo -o m.so", 4, "no linker was found", "CC=/absent/cc");
  refused("model.hlo -o m.so", 4, "cannot link the library", "CC=false");
  EXPECT_FALSE(has("m.so"));
  EXPECT_EQ(compile("model.hlo -o m.o", "CC=/absent/cc").exit, 0);
}

}  // namespace
}  // namespace tessera
