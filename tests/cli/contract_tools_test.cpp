// The contract of `tessera` for tools on modules: diff, grep, memory, compare, bisect, extract, isolate, opt and
// reduce; interrupts, and memory that ends.
#include <signal.h>

#include <chrono>
#include <filesystem>

#include "tests/cli/contract.h"
#include "tests/support/skips.h"

namespace tessera {
namespace {

TEST_F(Contract, DiffGrepAndReduceAnswerNo) {
  scratch_.write("renamed.hlo",
                 "HloModule other\n\nENTRY e {\n  b = f32[4] parameter(0)\n  a = f32[4] parameter(1)\n  ROOT c = "
                 "f32[4] add(a, b)\n}\n");
  EXPECT_EQ(scratch_.tessera("diff add.hlo renamed.hlo").exit, 0);
  scratch_.write("sub.hlo", std::string(kAddProgram).replace(std::string(kAddProgram).rfind("add("), 4, "subtract("));
  EXPECT_EQ(scratch_.tessera("diff add.hlo sub.hlo").exit, 1);
  EXPECT_EQ(scratch_.tessera("grep add.hlo --opcode=add").exit, 0);
  EXPECT_EQ(scratch_.tessera("grep add.hlo --opcode=subtract").exit, 1);
}
TEST_F(Contract, GrepTakesItsQueryAtEitherEnd) {
  const Ran behind = scratch_.tessera("grep add.hlo op:add"), before = scratch_.tessera("grep op:add add.hlo");
  EXPECT_EQ(behind.exit, 0);
  EXPECT_EQ(before.exit, 0);
  EXPECT_EQ(before.out, behind.out);
  EXPECT_EQ(scratch_.tessera("grep op:add nowhere.hlo").exit, 66);
}
TEST_F(Contract, DiffTellsWhatCameAndWent) {
  scratch_.write("more.hlo",
                 "HloModule more\n\nENTRY e {\n  a = f32[4] parameter(0)\n  b = f32[4] parameter(1)\n  n = f32[4] "
                 "negate(b)\n  ROOT c = f32[4] add(a, n)\n}\n");
  const Ran lines = scratch_.tessera("diff add.hlo more.hlo");
  EXPECT_EQ(lines.exit, 1);
  EXPECT_NE(lines.out.find("+ %e: %n = f32[4] negate(%b)"), std::string::npos) << lines.out;
  EXPECT_NE(lines.out.find("2 matched, 1 changed, 1 added, 0 removed"), std::string::npos) << lines.out;
  const Ran page = scratch_.tessera("diff add.hlo more.hlo --html");
  EXPECT_EQ(page.exit, 1);
  EXPECT_EQ(page.out.find("<!DOCTYPE html>"), 0u);
  EXPECT_EQ(page.out.find("http"), std::string::npos) << "a page that needs no other";
  EXPECT_EQ(scratch_.tessera("diff add.hlo more.hlo --html=page.html").exit, 1);
  EXPECT_EQ(contentOf(scratch_.folder() / "page.html") + "\n", page.out);
  EXPECT_EQ(scratch_.tessera("diff add.hlo more.hlo --html=/nowhere/page.html").exit, 73);
}
TEST_F(Contract, MemoryMeasuresAndEdits) {
  scratch_.write("chain.hlo",
                 "HloModule chain\n\nENTRY e {\n  x = f32[8,8] parameter(0)\n  a = f32[8,8] dot(x, x), "
                 "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  ROOT r = f32[8,8] dot(a, a), "
                 "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n");
  const Ran now = scratch_.tessera("memory chain.hlo");
  EXPECT_EQ(now.exit, 0);
  EXPECT_NE(now.out.find("peak 768 B at %r"), std::string::npos) << now.out;
  EXPECT_NE(now.out.find("donate:0"), std::string::npos) << now.out;
  const Ran donated = scratch_.tessera("memory chain.hlo --apply=donate:0 -o donated.hlo --check");
  EXPECT_EQ(donated.exit, 0) << donated.err;
  EXPECT_NE(donated.out.find("checked by running: the results are equal"), std::string::npos) << donated.out;
  EXPECT_NE(scratch_.tessera("memory donated.hlo").out.find("peak 512 B"), std::string::npos);
  EXPECT_EQ(scratch_.tessera("run donated.hlo --backend=evaluator").exit, 0);
  EXPECT_EQ(scratch_.tessera("memory chain.hlo --optimized").exit, 0);
  refused("memory chain.hlo --apply=donate:1 -o d.hlo", 64, "donate:1");
  refused("memory chain.hlo --apply=schedule", 64, "--output");
  refused("memory chain.hlo --buffer-assignment=none.txt", 66, "none.txt");
  refused("memory chain.hlo --buffer-assignment=chain.hlo", 2, "BufferAssignment:");
  scratch_.write("other.txt",
                 "BufferAssignment:\nallocation 0: size 4, parameter 0:\n value: <0 q @0> "
                 "(size=4,offset=0): f32[]\n");
  refused("memory chain.hlo --buffer-assignment=other.txt", 2, "another module");
}
TEST_F(Contract, CompareAndBisectShowWhereValuesPart) {
  scratch_.write("sub.hlo", std::string(kAddProgram).replace(std::string(kAddProgram).rfind("add("), 4, "subtract("));
  EXPECT_EQ(scratch_.tessera("compare add.hlo").exit, 0);
  EXPECT_EQ(scratch_.tessera("compare add.hlo --backends=evaluator").exit, 0);
  const Ran parted = scratch_.tessera("compare add.hlo sub.hlo --backends=evaluator");
  EXPECT_EQ(parted.exit, 3);
  EXPECT_NE(parted.out.find("first divergence: %"), std::string::npos) << parted.out;
  EXPECT_EQ(scratch_.tessera("compare add.hlo --precision=f64 --backends=evaluator").exit, 0);
  EXPECT_EQ(scratch_.tessera("compare add.hlo --precision=bf16 --rtol=0 --atol=0 --backends=evaluator").exit, 3);
  EXPECT_EQ(scratch_.tessera("bisect add.hlo sub.hlo --backends=evaluator -o found").exit, 0);
  const std::string command = contentOf(scratch_.folder() / "found/command.txt");
  ASSERT_TRUE(command.starts_with("tessera compare a.hlo b.hlo")) << command;
  EXPECT_EQ(scratch_.tessera(command.substr(8, command.size() - 9), scratch_.folder() / "found").exit, 3);
  refused("bisect add.hlo add.hlo --backends=evaluator -o none", 64, "nothing to bisect");
  EXPECT_FALSE(std::filesystem::exists(scratch_.folder() / "none"));
  refused("bisect add.hlo sub.hlo -o /proc/none", 73, "folder");
  refused("compare add.hlo --backends=gpu", 64, "gpu");
  refused("compare add.hlo sub.hlo --precision=f64", 64, "B");
  refused("compare add.hlo --inputs=missing.npz", 66, "missing.npz");
}
TEST_F(Contract, ExtractIsolateAndOptGiveModulesThatRun) {
  for (const char* call :
       {"extract add.hlo sum --height=0", "isolate add.hlo sum", "isolate add.hlo main", "opt add.hlo"}) {
    EXPECT_EQ(scratch_.tessera(std::string(call) + " -o part.hlo").exit, 0) << call;
    EXPECT_EQ(scratch_.tessera("run part.hlo --backend=evaluator").exit, 0) << call;
  }
}
TEST_F(Contract, OptDumpsANumberedFileAPass) {
  ASSERT_EQ(scratch_.tessera("opt add.hlo --passes=simplify,fuse --dump=passes").exit, 0);
  for (const char* name : {"before_optimizations.txt", "0000.optimize.after_pipeline-start.before_simplify.txt",
                           "0001.optimize.after_simplify.before_fuse.txt",
                           "0002.optimize.after_fuse.before_pipeline-end.txt", "after_optimizations.txt"}) {
    const std::string file = std::string("passes/module_0000.add.") + name;
    EXPECT_EQ(scratch_.tessera("check " + file).exit, 0) << file;
  }
  EXPECT_TRUE(contains(scratch_.tessera("opt --list").out, "simplify: "));
}
TEST_F(Contract, ReduceKeepsWhatTheCommandNeeds) {
  scratch_.write("long.hlo",
                 "HloModule m\n\nENTRY e {\n  x = f32[4] parameter(0)\n  a = f32[4] negate(x)\n  b = f32[4] tanh(a)\n"
                 "  ROOT c = f32[4] sine(b)\n}\n");
  const Ran ran = scratch_.tessera("reduce long.hlo -- sh -c '! grep -q tanh $0' {}");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "tanh") && !contains(ran.out, "negate") && !contains(ran.out, "sine")) << ran.out;
  const Ran crash = scratch_.tessera("reduce long.hlo --exit=139 -- sh -c '! grep -q tanh $0 || kill -SEGV $$'");
  EXPECT_TRUE(contains(crash.out, "tanh") && !contains(crash.out, "sine")) << crash.out << crash.err;
  refused("reduce long.hlo -- true", 64, "nothing to reduce");
  refused("reduce long.hlo -- ./no-such-program", 64, "cannot be started");
  refused("reduce long.hlo --timeout=0.05 -- sh -c 'sleep 50'", 64, "nothing to reduce");
  EXPECT_EQ(scratch_.tessera("reduce long.hlo").exit, 64);
}
// The child sits in a process group of its own, which a terminal's interrupt does not reach.
TEST_F(Contract, AnInterruptEndsTheChildOfReduceAndLeavesNothing) {
  scratch_.write("long.hlo", "HloModule m\n\nENTRY e {\n  x = f32[4] parameter(0)\n  ROOT a = f32[4] negate(x)\n}\n");
  const std::filesystem::path folder = scratch_.folder() / "temporary";
  std::filesystem::create_directory(folder);
  for (const char* signal : {"INT", "TERM", "HUP"}) {
    const Ran ran = scratch_.tessera(
        std::string("reduce long.hlo -- sh -c 'echo $$ > child; kill -") + signal + " $PPID; sleep 50'", {},
        "TMPDIR='" + folder.string() + "'");
    EXPECT_EQ(ran.exit, 5) << ran.err;
    EXPECT_TRUE(contains(ran.err, "interrupted")) << ran.err;
    EXPECT_TRUE(std::filesystem::is_empty(folder));
    EXPECT_NE(::kill(std::stoi(contentOf(scratch_.folder() / "child")), 0), 0) << "the child lives";
  }
}
TEST_F(Contract, MemoryThatEndsAnywhereEndsWithASentence) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  TESSERA_SKIP("sanitizer-memory");
#endif
  std::string text = "HloModule m\n\nENTRY e {\n  x = f32[64,64] parameter(0)\n";
  std::string last = "x";
  for (int i = 0; i < 40; ++i) {  // a kernel each
    const std::string n = std::to_string(i);
    text += "  d" + n + " = f32[64,64] dot(" + last + ", x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  v" +
            n + " = f32[64,64] sine(d" + n + ")\n";
    last = "v" + n;
  }
  scratch_.write("kernels.hlo", text + "  ROOT r = f32[64,64] negate(" + last + ")\n}\n");
  for (int megabytes = 200; megabytes <= 700; megabytes += 25) {
    const Ran ran = scratch_.tessera("--version >/dev/null; ulimit -v " + std::to_string(megabytes << 10) +
                                     "; TESSERA_KERNEL_CACHE=off '" TESSERA_PROGRAM "' run kernels.hlo");
    const bool loaderFailed = ran.exit == 127 || ran.exit == 4;  // libraries do not fit: nothing of ours runs
    EXPECT_TRUE(ran.exit == 0 || loaderFailed || (ran.exit == 5 && contains(ran.err, "error: ")))
        << megabytes << " MiB: " << ran.exit << " " << ran.err;
  }
}
TEST_F(Contract, ToolsRefuseBadInput) {
  scratch_.write("wrong.hlo", "HloModule m\n\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT b = f32[3] negate(x)\n}\n");
  for (const char* call : {"diff wrong.hlo add.hlo", "extract wrong.hlo b", "isolate wrong.hlo b", "cost wrong.hlo",
                           "explain wrong.hlo b", "opt wrong.hlo", "reduce wrong.hlo -- false", "memory wrong.hlo",
                           "compare wrong.hlo", "compare add.hlo wrong.hlo", "bisect wrong.hlo -o found"})
    refused(call, 2, "wrong.hlo:5:");
  for (const char* call :
       {"diff missing.hlo add.hlo", "extract missing.hlo b", "isolate missing.hlo b", "cost missing.hlo",
        "explain missing.hlo b", "opt missing.hlo", "reduce missing.hlo -- false", "grep missing.hlo",
        "memory missing.hlo", "compare missing.hlo", "compare add.hlo missing.hlo", "bisect missing.hlo -o found"})
    refused(call, 66, "missing.hlo");
  refused("extract add.hlo summ", 64, "did you mean sum?");
  refused("isolate add.hlo nope", 64, "nope");
  refused("resize add.hlo nope:0=3", 64, "nope");
  refused("resize add.hlo sum:0=x", 64, "sum:0=x");
  refused("explain add.hlo sum --index=4", 64, "outside 0 … 3");
  refused("render add.hlo#sum -o sum.svg", 64,
          "add.hlo#sum is a link to an instruction; expected a file, such as add.hlo");
  refused("grep add.hlo --shape='f32[a]'", 64, "not a shape pattern");
  refused("help dott", 64, "did you mean dot?");
  for (const char* call :
       {"extract add.hlo sum --height=-1", "opt", "opt add.hlo --list", "diff add.hlo", "cost add.hlo --by=beauty",
        "memory add.hlo -o out.hlo", "memory add.hlo --check", "bisect add.hlo", "bisect add.hlo --slow=2 -o found"})
    EXPECT_EQ(scratch_.tessera(call).exit, 64) << call;
  refused("opt add.hlo --dump=add.hlo/x", 73, "cannot be");
  refused("help dot --html=add.hlo", 73, "add.hlo");
  refused("extract add.hlo sum -o nowhere/a.hlo", 73, "nowhere/a.hlo");
}

}  // namespace
}  // namespace tessera
