// The contract of `tessera` that scripts rely on: each exit code, what goes to stdout and to stderr, and that bad input
// and full disks end in a message, never in a crash or a hang. Everything through the real program.
#include <chrono>
#include <filesystem>

#include "tests/cli/contract.h"
#include "tests/support/skips.h"

namespace tessera {
namespace {

// --- 0: fine
TEST_F(Contract, CheckPrintsALineAFile) {
  const Ran ran = scratch_.tessera("check add.hlo add.hlo");
  EXPECT_EQ(ran.exit, 0);
  EXPECT_EQ(ran.out, "add.hlo: ok, 3 instructions\nadd.hlo: ok, 3 instructions\n");
  EXPECT_EQ(ran.err, "");
}
TEST_F(Contract, RunWritesWhatItThenExpects) {
  EXPECT_EQ(scratch_.tessera("run add.hlo --out=out.npz").exit, 0);
  EXPECT_EQ(scratch_.tessera("run add.hlo --expected=out.npz --backend=evaluator").exit, 0);
}
TEST_F(Contract, HugeShapesAreReadAndShown) {
  scratch_.write("huge.hlo", negateProgram("4611686018427387904"));
  EXPECT_EQ(scratch_.tessera("check huge.hlo").exit, 0);
  EXPECT_TRUE(contains(scratch_.tessera("print huge.hlo").out, "f32[4611686018427387904]"));
  EXPECT_EQ(scratch_.tessera("stats huge.hlo").exit, 0);
  EXPECT_EQ(scratch_.tessera("render huge.hlo -o huge.svg").exit, 0);
}

// --- 2: does not parse, verify or compile
TEST_F(Contract, TruncatedFile) {
  scratch_.write("cut.hlo", std::string(kAddProgram).substr(0, 100));
  refused("check cut.hlo", 2, "cut.hlo:6:");
  refused("run cut.hlo", 2, "too early");
}
TEST_F(Contract, BinaryJunk) {
  std::string junk;
  for (uint32_t i = 0, x = 1; i < 5000; ++i, x = x * 1664525u + 1013904223u) junk.push_back(static_cast<char>(x >> 24));
  scratch_.write("junk.hlo", junk);
  for (const char* call :
       {"check junk.hlo", "print junk.hlo", "stats junk.hlo", "run junk.hlo", "render junk.hlo -o j.svg"})
    refused(call, 2, "binary");
}
// As large as they are, their beginnings tell.
TEST_F(Contract, LargeFilesThatAreNoModules) {
  for (const auto& [beginning, message] : {std::pair(std::string(1, '\0'), "begins with zero bytes alone"),
                                           std::pair(std::string("\x07\xff\xfe\x01 junk"), "binary")}) {
    scratch_.write("large.hlo", beginning);
    std::filesystem::resize_file(scratch_.folder() / "large.hlo", uint64_t{3} << 30);  // without blocks on the disk
    const auto start = std::chrono::steady_clock::now();
    refused("check large.hlo", 2, message);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)) << message;
  }
}
TEST_F(Contract, EmptyFile) {
  scratch_.write("empty.hlo", "");
  for (const char* call : {"check empty.hlo", "print empty.hlo", "run empty.hlo"}) refused(call, 2, "empty.hlo");
}
TEST_F(Contract, ACycleIsToldFromAnUndefinedName) {
  scratch_.write("cycle.hlo", "HloModule m\n\nENTRY e {\n  a = f32[2] negate(b)\n  ROOT b = f32[2] negate(a)\n}\n");
  scratch_.write("undefined.hlo", "HloModule m\n\nENTRY e {\n  ROOT b = f32[2] negate(nope)\n}\n");
  refused("check cycle.hlo", 2, "cycle.hlo:4:21: error: cycle or use before definition");
  refused("check undefined.hlo", 2, "undefined.hlo:4:26: error: undefined name %nope");
}
TEST_F(Contract, AWrongModuleCanStillBePrinted) {
  scratch_.write("wrong.hlo", "HloModule m\n\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT b = f32[3] negate(x)\n}\n");
  EXPECT_EQ(scratch_.tessera("print wrong.hlo").exit, 0);
  refused("check wrong.hlo", 2, "wrong.hlo:5:");
}

// --- 3: ran, values differ
TEST_F(Contract, DifferentValues) {
  scratch_.write("sub.hlo", std::string(kAddProgram).replace(std::string(kAddProgram).rfind("add("), 4, "subtract("));
  ASSERT_EQ(scratch_.tessera("run sub.hlo --out=sub.npz").exit, 0);
  refused("run add.hlo --expected=sub.npz", 3, "values differ: out0[");
  EXPECT_EQ(scratch_.tessera("run add.hlo --expected=sub.npz --atol=100").exit, 0);
  EXPECT_EQ(scratch_.tessera("run add.hlo --expected=sub.npz --floor=1").exit, 0);
  EXPECT_EQ(scratch_.tessera("run add.hlo --expected=sub.npz --atol=-1").exit, 64);
}
// At the output's own scale: 1e-7 in the place of 1e-6 is no rounding.
TEST_F(Contract, SmallValuesAreNotTakenForZero) {
  ASSERT_EQ(scratch_.tessera("run add.hlo --scale=1e-6 --out=small.npz").exit, 0);
  EXPECT_EQ(scratch_.tessera("run add.hlo --scale=1e-6 --expected=small.npz").exit, 0);
  refused("run add.hlo --scale=1e-7 --expected=small.npz", 3, "values differ: out0[");
  refused("run add.hlo --scale=0 --expected=small.npz", 3, "values differ: out0[");
}
TEST_F(Contract, MoreIsExpectedThanTheProgramGives) {
  scratch_.write("two.hlo",
                 "HloModule m\n\nENTRY e {\n  x = f32[4] parameter(0)\n  y = f32[4] parameter(1)\n  z = f32[4] add(x, "
                 "y)\n  ROOT t = (f32[4], f32[4]) tuple(z, x)\n}\n");
  ASSERT_EQ(scratch_.tessera("run two.hlo --out=two.npz").exit, 0);
  EXPECT_EQ(scratch_.tessera("run two.hlo --expected=two.npz").exit, 0);
  refused("run add.hlo --expected=two.npz", 66, "two.npz has out1, the program gives 1 output");
}

// --- 4: this backend cannot run it
TEST_F(Contract, AnInstructionThatNoBackendRuns) {
  scratch_.write("call.hlo",
                 "HloModule m\n\nENTRY e {\n  x = f32[2] parameter(0)\n"
                 "  ROOT mine = f32[2] custom-call(x), custom_call_target=\"nobody_has_this\"\n}\n");
  EXPECT_EQ(scratch_.tessera("check call.hlo").exit, 0);
  for (const char* backend : {"cpu", "evaluator"}) refused(std::string("run call.hlo --backend=") + backend, 4, "mine");
}

// --- 5: failed while running
TEST_F(Contract, MoreElementsThanAnyMachineHolds) {
  scratch_.write("huge.hlo", negateProgram("4611686018427387904"));
  for (const char* backend : {"cpu", "evaluator"})
    refused(std::string("run huge.hlo --backend=") + backend, 5, "f32[4611686018427387904]");
}
TEST_F(Contract, MoreMemoryThanThereIs) {
  scratch_.write("large.hlo", negateProgram("40000000000"));
  scratch_.write("larger.hlo", negateProgram("4000000000000"));
  refused("run larger.hlo", 5, "16000000000000 bytes");
  if (sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) < 160000000000) refused("run large.hlo", 5, "160000000000 bytes");
}
TEST_F(Contract, TemporariesThatDoNotFit) {
  scratch_.write("inside.hlo",
                 "HloModule m\n\nENTRY e {\n  x = f32[] parameter(0)\n"
                 "  wide = f32[2000000,2000000] broadcast(x), dimensions={}\n"
                 "  ROOT back = f32[2000000,2000000] sort(wide), dimensions={0}, to_apply=less\n}\n");
  const std::string less =
      "HloModule m\n\nless {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT c = pred[] compare(a, b), direction=LT\n}\n\n";
  scratch_.write("inside.hlo", less + contentOf(scratch_.folder() / "inside.hlo").substr(13));
  refused("run inside.hlo --backend=cpu", 5, "not enough memory: the program needs ");
  refused("run inside.hlo --backend=evaluator", 5, "16000000000000");
}

// What is said to be free is what this process may have.
TEST_F(Contract, TheLimitOfTheProcessCounts) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  TESSERA_SKIP("sanitizer-memory");
#endif
  scratch_.write("inside.hlo",
                 "HloModule m\n\nless {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = pred[] "
                 "compare(a, b), direction=LT\n}\n\n"
                 "ENTRY e {\n  x = f32[1000] parameter(0)\n  wide = f32[1000,300000] broadcast(x), dimensions={0}\n"
                 "  back = f32[1000,300000] sort(wide), dimensions={0}, to_apply=less\n  ROOT part = f32[1000,3] "
                 "slice(back), slice={[0:1000], [0:3]}\n}\n");
  constexpr int64_t kLimit = 900'000'000;
  const Ran ran = scratch_.tessera("run inside.hlo", {}, "prlimit --as=" + std::to_string(kLimit));
  EXPECT_EQ(ran.exit, 5) << ran.err;
  const size_t at = ran.err.find("for temporary values), ");
  ASSERT_NE(at, std::string::npos) << ran.err;
  EXPECT_LT(std::stoll(ran.err.substr(at + 23)), kLimit) << ran.err;
}

// --- 64: usage
TEST_F(Contract, Usage) {
  for (const char* call :
       {"", "frobnicate", "check", "run add.hlo --bogus", "run add.hlo --runs=0", "run add.hlo --backend=tpu",
        "layout 'f32[2,3]' --index=5,0", "layout 'f32[2,3]' --index=1", "layout 'f32[2,3]' --linear=6",
        "layout 'f32[2,3]' --index=0,0 --linear=1", "render add.hlo"})
    EXPECT_EQ(scratch_.tessera(call).exit, 64) << call;
  refused("render add.hlo -o a.svg --computation=nope", 64, "no computation is named nope");
  refused("rum add.hlo", 64, "no subcommand rum; did you mean run?");
}

// --- 66: input cannot be opened or read
TEST_F(Contract, InputThatCannotBeRead) {
  for (const char* call : {"check", "print", "stats", "run"}) {
    refused(std::string(call) + " missing.hlo", 66, "missing.hlo: error: cannot be read: No such file");
    refused(std::string(call) + " .", 66, "directory");
    refused(std::string(call) + " /proc/self/mem", 66, "/proc/self/mem: error: cannot be read");
  }
  refused("run add.hlo --inputs=missing.npz", 66, "missing.npz");
  refused("run add.hlo --inputs=add.hlo", 66, "add.hlo");
  EXPECT_EQ(scratch_.tessera("run add.hlo --out=out.npz").exit, 0);
  refused("run add.hlo --inputs=out.npz", 66, "found out0");
  refused("run add.hlo --expected=missing.npz", 66, "missing.npz");
  refused("render add.hlo -o a.svg --profile=missing.json", 66, "missing.json");
}
TEST_F(Contract, AFileThatThisUserMayNotRead) {
  if (geteuid() == 0) TESSERA_SKIP("root");
  std::filesystem::permissions(scratch_.write("secret.hlo", kAddProgram), std::filesystem::perms::none);
  refused("check secret.hlo", 66, "Permission denied");
}
TEST_F(Contract, TheHighestOfSeveral) {
  scratch_.write("empty.hlo", "");
  const Ran ran = scratch_.tessera("check empty.hlo add.hlo missing.hlo");
  EXPECT_EQ(ran.exit, 66);
  EXPECT_EQ(ran.out, "add.hlo: ok, 3 instructions\n");
  EXPECT_TRUE(contains(ran.err, "empty.hlo")) << ran.err;
}

// --- 73: output cannot be written
TEST_F(Contract, OutputThatCannotBeWritten) {
  refused("print add.hlo -o nowhere/a.hlo", 73, "nowhere/a.hlo: error: cannot be written");
  refused("print add.hlo -o .", 73, "directory");
  refused("render add.hlo -o nowhere/a.svg", 73, "nowhere/a.svg");
  refused("run add.hlo --out=nowhere/a.npz", 73, "nowhere/a.npz");
  refused("run add.hlo --profile=nowhere/a.json", 73, "nowhere/a.json");
}
TEST_F(Contract, AFullDisk) {
  if (!std::filesystem::is_character_file("/dev/full")) TESSERA_SKIP("no-dev-full");
  for (const char* call :
       {"print add.hlo -o /dev/full", "run add.hlo --out=/dev/full", "run add.hlo --profile=/dev/full",
        "render add.hlo --to=svg -o /dev/full", "print add.hlo >/dev/full", "stats add.hlo >/dev/full",
        "check add.hlo --json >/dev/full", "layout 'f32[2]' >/dev/full", "--help >/dev/full"})
    EXPECT_EQ(scratch_.tessera(call).exit, 73) << call;
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full")) << "a device was replaced by a file";
}
TEST_F(Contract, AClosedStandardOutput) {
  for (const char* call : {"print add.hlo >&-", "stats add.hlo >&-", "check add.hlo >&-", "layout 'f32[2]' --json >&-"})
    EXPECT_EQ(scratch_.tessera(call).exit, 73) << call;
  EXPECT_EQ(scratch_.tessera("print add.hlo -o copy.hlo >&-").exit, 0);
  EXPECT_TRUE(contains(contentOf(scratch_.folder() / "copy.hlo"), "ROOT %sum"));
}
TEST_F(Contract, AnOldFileStaysWholeWhenWritingFails) {
  scratch_.write("kept.hlo", "old");
  EXPECT_EQ(scratch_.tessera("print missing.hlo -o kept.hlo").exit, 66);
  EXPECT_EQ(contentOf(scratch_.folder() / "kept.hlo"), "old");
}

// --- constants of speed
TEST_F(Contract, TuningConstantsAreListedAndSet) {
  const Ran listed =
      scratch_.tessera("machine --tuning", {}, "TESSERA_TUNING=fusion.launch=77,caches.lastBytes=4194304");
  EXPECT_EQ(listed.exit, 0) << listed.err;
  EXPECT_TRUE(contains(listed.out, "fusion.launch                                77  element operations"))
      << listed.out;
  EXPECT_TRUE(contains(listed.out, "movement.streamedBytes                  1048576  bytes")) << listed.out;
  const Ran refusal = scratch_.tessera("check add.hlo", {}, "TESSERA_TUNING=fusion.launch=low");
  EXPECT_EQ(refusal.exit, 64);
  EXPECT_TRUE(contains(refusal.err,
                       "TESSERA_TUNING: the tuning constant fusion.launch cannot have this value; "
                       "expected a number from 0 to 1000000000, found low"))
      << refusal.err;
}
TEST_F(Contract, KernelsOfOtherConstantsAreNotTakenFromTheCache) {
  const auto cached = [&](const std::string& tuning) {
    const Ran ran = scratch_.tessera("run add.hlo --json --kernel-cache=kept", {}, "TESSERA_TUNING=" + tuning);
    EXPECT_EQ(ran.exit, 0) << ran.err;
    return contains(ran.out, "\"kernels_cached\": 1");
  };
  EXPECT_FALSE(cached("codegen.smallBody=48"));
  EXPECT_TRUE(cached("codegen.smallBody=48"));
  EXPECT_FALSE(cached("codegen.smallBody=12"));
}

// A dump without the values of its large constants runs, and says that its results are others.
TEST_F(Contract, ConstantsLeftOutAreTold) {
  scratch_.write("dump.hlo",
                 "HloModule m\nENTRY main {\n  a = f32[64]{0} constant({...})\n  b = s32[64]{0} constant({...})\n  c = "
                 "f32[64]{0} convert(b)\n  ROOT r = f32[64]{0} add(a, c)\n}\n");
  const Ran ran = scratch_.tessera("run dump.hlo");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(ran.err.find("dump.hlo:3:3: warning: %a and 1 more constants are written as {...}"), std::string::npos)
      << ran.err;
}

}  // namespace
}  // namespace tessera
