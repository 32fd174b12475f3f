// `tessera run --custom-call-library`: the example library in C, called in XLA's words and in Tessera's, on both
// backends; and what is missing or fails, with its exit code.
#include "tests/cli/spawn.h"
#include "tests/support/source_tree.h"

namespace tessera {
namespace {

const std::string kLibrary = " --custom-call-library='" TESSERA_EXAMPLE_TARGETS "'";
const std::string kTargetsExample = "'" + test::inSourceTree("resources/examples/custom_call/targets.hlo") + "'";

std::string program(const std::string& call) {
  return "HloModule m\nENTRY main {\n  x = f32[2,2]{1,0} constant({{1, 2}, {3, 4}})\n  ROOT r = " + call + "\n}\n";
}

class CustomCall : public testing::TestWithParam<const char*> {
 protected:
  std::string backend() const { return std::string(" --backend=") + GetParam(); }
  void refused(const std::string& arguments, int exit, const std::string& message) {
    const Ran ran = scratch_.tessera(arguments + backend());
    EXPECT_EQ(ran.exit, exit) << ran.err;
    EXPECT_NE(ran.err.find(message), std::string::npos) << ran.err;
  }
  Scratch scratch_;
};

TEST_P(CustomCall, TheExampleRuns) {
  scratch_.write("expected.hlo",
                 "HloModule e\nENTRY main {\n  a = f32[] constant(20)\n  b = f32[] constant(8)\n  ROOT t = (f32[], "
                 "f32[]) tuple(a, b)\n}\n");
  ASSERT_EQ(scratch_.tessera("run expected.hlo --out=expected.npz").exit, 0);
  const Ran ran = scratch_.tessera("run " + kTargetsExample + kLibrary + " --expected=expected.npz" + backend());
  EXPECT_EQ(ran.exit, 0) << ran.err;
}
// The target sees memory in the order that the program writes: by columns, which is 1 3 2 4.
TEST_P(CustomCall, LayoutsAreTheInstructions) {
  scratch_.write(
      "m.hlo",
      "HloModule m\nENTRY main {\n  x = f32[2,2]{1,0} constant({{1, 2}, {-3, 4}})\n  ROOT r = f32[4]{0} "
      "custom-call(x), custom_call_target=\"example_double\", operand_layout_constraints={f32[2,2]{0,1}}\n}\n");
  scratch_.write("e.hlo", "HloModule e\nENTRY main {\n  ROOT r = f32[4]{0} constant({2, -6, 4, 8})\n}\n");
  ASSERT_EQ(scratch_.tessera("run e.hlo --out=e.npz").exit, 0);
  const Ran ran = scratch_.tessera("run m.hlo --expected=e.npz" + kLibrary + backend());
  EXPECT_EQ(ran.exit, 0) << ran.err;
}
TEST_P(CustomCall, StatusReturning) {
  const std::string call =
      "custom-call(x), custom_call_target=\"example_positive\", api_version=API_VERSION_STATUS_RETURNING";
  scratch_.write("good.hlo", program("f32[2,2]{1,0} " + call));
  EXPECT_EQ(scratch_.tessera("run good.hlo" + kLibrary + backend()).exit, 0);
  scratch_.write("bad.hlo", "HloModule m\nENTRY main {\n  x = f32[4]{0} constant({1, 0, 1, 1})\n  ROOT r = f32[4]{0} " +
                                call + "\n}\n");
  refused("run bad.hlo" + kLibrary, 5, "\"example_positive\" failed: a number is not positive");
}
TEST_P(CustomCall, AFailureIsTold) {
  scratch_.write(
      "m.hlo",
      program("f32[] custom-call(x), custom_call_target=\"example.always_fails\", backend_config=\"out of luck\""));
  refused("run m.hlo" + kLibrary, 5, "\"example.always_fails\" failed: out of luck");
}
TEST_P(CustomCall, AnUnknownTargetIsNamed) {
  scratch_.write("m.hlo", program("f32[] custom-call(x), custom_call_target=\"nobody.knows\""));
  refused("run m.hlo", 4, "\"nobody.knows\"");
  refused("run m.hlo" + kLibrary, 4, "\"nobody.knows\"");
}
// The library depends on the C library, whose functions are no targets of it.
TEST_P(CustomCall, FunctionsOfTheCLibraryAreNoTargets) {
  for (const std::string target : {"system", "exit", "puts", "dlopen", "abort", "malloc"}) {
    scratch_.write("m.hlo",
                   "HloModule m\nENTRY main {\n  x = u8[14]{0} constant({116, 111, 117, 99, 104, 32, 104, 97, "
                   "99, 107, 101, 100, 0, 0})\n  ROOT r = u8[14]{0} custom-call(x, x), custom_call_target=\"" +
                       target + "\", api_version=API_VERSION_ORIGINAL\n}\n");
    refused("run m.hlo" + kLibrary, 4, "\"" + target + "\"");
    refused("run m.hlo", 4, "\"" + target + "\"");
  }
  EXPECT_FALSE(std::filesystem::exists(scratch_.folder() / "hacked"));
}
TEST_P(CustomCall, ALibraryThatCannotBeLoaded) {
  scratch_.write("m.hlo", program("f32[] custom-call(x), custom_call_target=\"f\""));
  refused("run m.hlo --custom-call-library=absent.so", 66, "absent.so cannot be loaded");
  scratch_.write("text.so", "no library");
  refused("run m.hlo --custom-call-library=text.so", 66, "text.so cannot be loaded");
}
TEST_P(CustomCall, ALibraryThatCrashesWhileItIsLoaded) {
  scratch_.write("m.hlo", program("f32[] custom-call(x), custom_call_target=\"f\""));
  const auto build = [&](const std::string& name, const std::string& body) {
    scratch_.write(name + ".c", "#include <stdlib.h>\n__attribute__((constructor)) static void start(void) { " + body +
                                    " }\nvoid f(void) {}\n");
    const std::string folder = scratch_.folder().string();
    return std::system(("cc -w -shared -fPIC -o " + folder + "/" + name + ".so " + folder + "/" + name + ".c").c_str());
  };
  ASSERT_EQ(build("crash", "*(volatile int*)0 = 1;"), 0);
  refused("run m.hlo --custom-call-library=crash.so", 66, "crash.so cannot be loaded: its initialisation crashes");
  ASSERT_EQ(build("quietly", "exit(0);"), 0);
  refused("run m.hlo --custom-call-library=quietly.so", 66,
          "quietly.so cannot be loaded: its initialisation ends the process");
  ASSERT_EQ(build("leave", "_Exit(3);"), 0);
  refused("run m.hlo --custom-call-library=leave.so", 66,
          "leave.so cannot be loaded: its initialisation ends the process");
}
TEST_P(CustomCall, ATargetThatCrashesOrThrowsIsNamed) {
  scratch_.write("m.hlo", program("f32[] custom-call(x), custom_call_target=\"wild\""));
  const auto build = [&](const std::string& body) {
    scratch_.write("t.cpp",
                   "#include <stdexcept>\n#include <cstdlib>\nint deep(int n) { volatile char room[4096]; room[0] = n; "
                   "return deep(n + 1) + room[0]; }\n"
                   "extern \"C\" void wild(void*, const void**) { " +
                       body + " }\n");
    const std::string folder = scratch_.folder().string();
    return std::system(("c++ -w -O0 -shared -fPIC -o " + folder + "/t.so " + folder + "/t.cpp").c_str());
  };
  const auto told = [&](const std::string& words) {
    const Ran ran = scratch_.tessera("run m.hlo --custom-call-library=t.so" + backend());
    EXPECT_NE(ran.exit, 0);
    EXPECT_NE(ran.err.find("error: the custom call \"wild\" crashed: " + words), std::string::npos) << ran.err;
  };
  ASSERT_EQ(build("*(volatile int*)0 = 1;"), 0);
  told("Segmentation fault");
  ASSERT_EQ(build("deep(0);"), 0);
  told("Segmentation fault");
  ASSERT_EQ(build("std::abort();"), 0);
  told("Aborted");
  ASSERT_EQ(build("throw std::runtime_error(\"no luck\");"), 0);
  refused("run m.hlo --custom-call-library=t.so", 5, "\"wild\" failed: it threw no luck");
}
// The example of the operation semantics, with the function that it means.
TEST_P(CustomCall, TheReferencesMyfunc) {
  scratch_.write(
      "e.hlo", "HloModule e\nENTRY main {\n  ROOT r = f32[3,3]{1,0} constant({{42, 0, 0}, {0, 0, 0}, {0, 0, 0}})\n}\n");
  ASSERT_EQ(scratch_.tessera("run e.hlo --out=e.npz").exit, 0);
  const std::string file = test::inSourceTree("resources/examples/reference/custom_call_myfunc.hlo");
  const Ran ran = scratch_.tessera("run '" + file + "' --expected=e.npz" + kLibrary + backend());
  EXPECT_EQ(ran.exit, 0) << ran.err;
}

// --- typed foreign functions

const std::string kFfiLibrary = " --custom-call-library='" TESSERA_EXAMPLE_FFI_TARGETS "'";
std::string ffi(const std::string& shape, const std::string& target, const std::string& config) {
  return shape + " custom-call(x), custom_call_target=\"" + target +
         "\", api_version=API_VERSION_TYPED_FFI, backend_config=" + config;
}

TEST_P(CustomCall, TheFfiExampleRuns) {
  scratch_.write("e.hlo",
                 "HloModule e\nENTRY main {\n  a = f32[2,3]{1,0} constant({{0.25, 0.5, 0.75}, {1, 1.25, 1.5}})\n  b = "
                 "s64[4]{0} constant({5, 42, 5, 1})\n  ROOT t = (f32[2,3]{1,0}, s64[4]{0}) tuple(a, b)\n}\n");
  ASSERT_EQ(scratch_.tessera("run e.hlo --out=e.npz").exit, 0);
  const Ran ran = scratch_.tessera("run '" + test::inSourceTree("resources/examples/custom_call/ffi_targets.hlo") +
                                   "' --expected=e.npz" + kFfiLibrary + backend());
  EXPECT_EQ(ran.exit, 0) << ran.err;
}
TEST_P(CustomCall, AFfiHandlerFailsWithItsMessage) {
  scratch_.write("m.hlo", program(ffi("f32[2,2]{1,0}", "example_scale", "{factor = 2 : i32}")));
  refused("run m.hlo" + kFfiLibrary, 5, "\"example_scale\" failed: factor is a number of type f32");
}
TEST_P(CustomCall, FfiAttributesThatAreNone) {
  for (const char* config :
       {"{factor = }", "{factor 1}", "{factor = 1.0 : q7}", "{a = array<i64: 1, x>}", "\"{a = 1\""}) {
    scratch_.write("m.hlo", program(ffi("f32[2,2]{1,0}", "example_scale", config)));
    const Ran ran = scratch_.tessera("run m.hlo" + kFfiLibrary + backend());
    EXPECT_TRUE(ran.exit == 66 || ran.exit == 2) << config << " " << ran.exit << " " << ran.err;
    EXPECT_NE(ran.err.find("error"), std::string::npos) << config;
  }
}
TEST_P(CustomCall, AnUnknownFfiTargetIsNamed) {
  scratch_.write("m.hlo", program(ffi("f32[2,2]{1,0}", "nobody_knows", "{}")));
  refused("run m.hlo" + kFfiLibrary, 4, "\"nobody_knows\"");
}

INSTANTIATE_TEST_SUITE_P(Backends, CustomCall, testing::Values("cpu", "evaluator"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tessera
