// `tessera profile` and `tessera dump` through the real program: the keys that scripts read, exit codes, the gate for
// CI, and that every command says of such files what they are.
#include <nlohmann/json.hpp>

#include "tests/cli/spawn.h"
#include "tests/support/source_tree.h"
#include "tests/support/xplane_bytes.h"

namespace tessera {
namespace {

using nlohmann::json;

const std::string kCorpusProfiles = test::inSourceTree("tests/corpus/profiles/");

class ProfileProgram : public testing::Test {
 protected:
  void SetUp() override { scratch_.write("add.hlo", kAddProgram); }
  json object(const std::string& arguments, int exit) {
    const Ran ran = scratch_.tessera(arguments);
    EXPECT_EQ(ran.exit, exit) << arguments << "\n" << ran.err;
    json out = json::parse(ran.out, nullptr, false);
    EXPECT_TRUE(out.is_object()) << ran.out;
    if (!out.is_object()) return json::object();
    EXPECT_EQ(out.contains("error"), exit != 0) << arguments;
    return out;
  }
  Scratch scratch_;
};

TEST_F(ProfileProgram, JsonHasTheKeysThatScriptsRead) {
  const json out = object("profile --json " + kCorpusProfiles + "lenet_train.xplane.pb.zst", 0);
  EXPECT_GT(out["total_ns"].get<int64_t>(), 0);
  EXPECT_EQ(out["total_ns"].get<int64_t>(), out["placed_ns"].get<int64_t>() + out["unmatched_ns"].get<int64_t>());
  EXPECT_EQ(out["steps"], 20);
  ASSERT_EQ(out["instructions"].size(), 94u);
  for (const json& row : out["instructions"])
    for (const char* key :
         {"name", "computation", "count", "total_ns", "min_ns", "flops", "bytes", "median_ns", "p99_ns"})
      EXPECT_TRUE(row.contains(key)) << key;
}

TEST_F(ProfileProgram, TheTableNamesWhatIsUnmatched) {
  PlaneBytes gpu("/device:GPU:0");
  gpu.line("Stream #1", {gpu.event("mystery", 0, 2'000'000)});
  scratch_.write("g.xplane.pb", spaceBytes({gpu}));
  const Ran ran = scratch_.tessera("profile g.xplane.pb");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(ran.out.find("unmatched 2.00 µs (100.0 %)"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("mystery on /device:GPU:0: the event names no instruction"), std::string::npos) << ran.out;
}

TEST_F(ProfileProgram, ProfilesOfOurRunsAndTables) {
  ASSERT_EQ(scratch_.tessera("run add.hlo --profile=p.json --runs=3").exit, 0);
  const json steps = object("profile p.json --json", 0);
  EXPECT_EQ(steps["steps"], 3);
  EXPECT_FALSE(steps["instructions"].empty());
  EXPECT_NE(scratch_.tessera("profile p.json").out.find("\nthe median run:\n"), std::string::npos);
  const json placed = object("profile p.json add.hlo --json --by=opcode", 0);
  EXPECT_EQ(placed["instructions"][0]["name"], "sum");
  EXPECT_EQ(placed["groups"][0]["name"], "add");
  scratch_.write("t.csv", "name,ns\nsum,5\n");
  EXPECT_EQ(object("profile t.csv add.hlo --json", 0)["placed_ns"], 5);
  const Ran csv = scratch_.tessera("profile t.csv add.hlo --csv");
  EXPECT_TRUE(csv.out.starts_with("name,computation,count,total_ns")) << csv.out;
  EXPECT_EQ(std::ranges::count(csv.out, '\n'), 2);
  EXPECT_EQ(scratch_.tessera("profile t.csv add.hlo --csv --by=opcode").out,
            "name,instructions,count,total_ns,self_ns,flops,bytes\nadd,1,1,5,5,4,48\n");
}

TEST_F(ProfileProgram, OtherCommandsTakeAnyProfile) {
  scratch_.write("t.csv", "name,ns\nsum,5\n");
  EXPECT_EQ(scratch_.tessera("render add.hlo -o a.svg --profile=t.csv").exit, 0);
  EXPECT_NE(contentOf(scratch_.folder() / "a.svg").find("5 ns"), std::string::npos);
  EXPECT_EQ(scratch_.tessera("findings add.hlo --profile=t.csv").exit, scratch_.tessera("findings add.hlo").exit);
  scratch_.write("other.csv", "name,ns\nnope,5\n");
  const Ran ran = scratch_.tessera("render add.hlo -o a.svg --profile=other.csv");
  EXPECT_EQ(ran.exit, 64);
  EXPECT_NE(ran.err.find("lands on the module add"), std::string::npos) << ran.err;
}

TEST_F(ProfileProgram, TheBaselineIsAGate) {
  scratch_.write("old.csv", "name,ns\nsum,100\n");
  scratch_.write("new.csv", "name,ns\nsum,110\n");
  EXPECT_EQ(scratch_.tessera("profile new.csv --baseline=old.csv --fail-over=11%").exit, 0);
  EXPECT_EQ(scratch_.tessera("profile new.csv --baseline=old.csv --fail-over=9%").exit, 1);
  EXPECT_EQ(scratch_.tessera("profile new.csv --baseline=old.csv").exit, 0);
  const json failed = object("profile new.csv --baseline=old.csv --fail-over=5% --json", 1);
  EXPECT_EQ(failed["baseline"]["failed"], true);
  EXPECT_EQ(failed["baseline"]["instructions"][0]["name"], "sum");
  scratch_.write("old.json", scratch_.tessera("profile old.csv --json").out);
  EXPECT_EQ(scratch_.tessera("profile new.csv --baseline=old.json --fail-over=5%").exit, 1);
  object("profile new.csv --fail-over=5% --json", 64);
  const Ran refused = scratch_.tessera("profile new.csv --baseline=old.csv --fail-over=lots");
  EXPECT_EQ(refused.out, "");  // before anything is listed
  scratch_.write("other.csv", "name,total_ns\nelsewhere,10\n");
  const Ran strange = scratch_.tessera("profile new.csv --baseline=other.csv");
  EXPECT_EQ(strange.exit, 0);
  EXPECT_NE(strange.err.find("they may be of different programs"), std::string::npos) << strange.err;
  object("profile new.csv --baseline=old.csv --fail-over=lots --json", 64);
  object("profile new.csv --baseline=missing.csv --json", 66);
}

// Steps of a fused graph have other names than its instructions.
TEST_F(ProfileProgram, ABaselineIsOfTheSameModuleAsTheProfile) {
  scratch_.write("chain.hlo", R"(HloModule chain
ENTRY main {
  x = f32[4096]{0} parameter(0)
  up = f32[4096]{0} exponential(x)
  ROOT down = f32[4096]{0} negate(up)
}
)");
  ASSERT_EQ(scratch_.tessera("run chain.hlo --profile=p.json --runs=3").exit, 0);
  const json same = object("profile p.json chain.hlo --baseline=p.json --json", 0)["baseline"];
  EXPECT_EQ(same["instructions"], json::array()) << same.dump(1);
  EXPECT_EQ(same["change"], 0.0);
}

// Of an instruction that a step computed alone the executions are that step's.
TEST_F(ProfileProgram, ExecutionsOfAnInstructionAreThoseOfItsStep) {
  ASSERT_EQ(scratch_.tessera("run add.hlo --profile=p.json --runs=9").exit, 0);
  const json alone = object("profile p.json --json", 0)["instructions"][0];
  const json placed = object("profile p.json add.hlo --json", 0)["instructions"][0];
  EXPECT_EQ(placed["name"], "sum");
  for (const char* key : {"count", "min_ns", "median_ns", "p99_ns", "total_ns"})
    EXPECT_EQ(placed[key], alone[key]) << key;
}

TEST_F(ProfileProgram, KernelsAreHeldAgainstADevice) {
  scratch_.write("t.csv", "name,us\nsum,5\n");
  const json h100 = object("profile t.csv add.hlo --json --device='nvidia h100 sxm'", 0)["roofline"];
  EXPECT_EQ(h100["device"], "NVIDIA H100 SXM");
  ASSERT_EQ(h100["instructions"].size(), 1u);
  EXPECT_EQ(h100["instructions"][0]["bound"], "overhead");
  EXPECT_GT(h100["instructions"][0]["attainable_ns"].get<double>(), 0);
  const json unknown = object("profile t.csv add.hlo --json --device=abacus", 64);
  EXPECT_NE(unknown["error"]["expected"].get<std::string>().find("Google TPU v4"), std::string::npos);
  const json machine = object("machine --devices --json", 0);
  EXPECT_GE(machine["devices"].size(), 10u);
  EXPECT_FALSE(machine["devices"][0]["source"].get<std::string>().empty());
}

TEST_F(ProfileProgram, OnePageHasAllOfIt) {
  scratch_.write("t.csv", "name,us\nsum,5\nghost,3\n");
  ASSERT_EQ(scratch_.tessera("profile t.csv add.hlo --device='NVIDIA L4' --html=r.html").exit, 0);
  const std::string page = contentOf(scratch_.folder() / "r.html");
  for (const char* wanted : {"<!DOCTYPE html>", "<h2>Graph</h2>", "<h2>Kernels</h2>", "<h2>Roofline</h2>", "ghost"})
    EXPECT_NE(page.find(wanted), std::string::npos) << wanted;
  EXPECT_EQ(page.find("src=\"http"), std::string::npos);
  const Ran printed = scratch_.tessera("profile t.csv add.hlo --html");
  EXPECT_TRUE(printed.out.starts_with("<!DOCTYPE html>"));
  EXPECT_EQ(object("profile t.csv add.hlo --json --html=/no/such/folder/r.html", 73).contains("error"), true);
}

TEST_F(ProfileProgram, CommunicationOfAModuleWithoutAny) {
  scratch_.write("t.csv", "name,us\nsum,5\n");
  const json found = object("profile t.csv add.hlo --json --communication", 0)["communication"];
  EXPECT_TRUE(found["collectives"].empty());
  EXPECT_EQ(object("profile t.csv --json --communication", 64).contains("error"), true);
}

TEST_F(ProfileProgram, TwoProfilesDifferByTime) {
  scratch_.write("a.csv", "name,ns\nsum,50\nold,10\nsame,7\n");
  scratch_.write("b.csv", "name,ns\nsum,80\nnew,5\nsame,7\n");
  const json found = json::parse(scratch_.tessera("diff a.csv b.csv --json").out);
  EXPECT_FALSE(found["equal"]);
  EXPECT_EQ(found["matched"], 1);
  EXPECT_EQ(found["changed"][0]["delta_ns"], 30);
  EXPECT_EQ(found["added"][0]["name"], "new");
  EXPECT_EQ(found["removed"][0]["name"], "old");
  EXPECT_EQ(found["delta"]["time_ns"], 25);
  EXPECT_EQ(scratch_.tessera("diff a.csv b.csv").exit, 1);
  EXPECT_EQ(scratch_.tessera("diff a.csv a.csv").exit, 0);
}

TEST_F(ProfileProgram, MeasuresColourAPicture) {
  ASSERT_EQ(scratch_.tessera("render add.hlo -o a.svg --measure=flops").exit, 0);
  EXPECT_NE(contentOf(scratch_.folder() / "a.svg").find("flops of a run"), std::string::npos);
  EXPECT_EQ(scratch_.tessera("render add.hlo -o a.svg --measure='self time'").exit, 64);
  EXPECT_EQ(scratch_.tessera("render add.hlo -o a.html --measure=intensity").exit, 64);
  EXPECT_EQ(scratch_.tessera("render add.hlo -o a.html --measure=bytes").exit, 0);
}

TEST_F(ProfileProgram, BadInputEndsInWords) {
  object("profile missing.xplane.pb --json", 66);
  object("profile add.hlo --json", 2);
  object("profile . --json", 66);
  scratch_.write("junk.xplane.pb", std::string(300, '\xff'));
  object("profile junk.xplane.pb --json", 2);
  const json other = object("profile " + kCorpusProfiles + "nbody.xplane.pb.zst add.hlo --json", 1);
  EXPECT_EQ(other["placed_ns"], 0);
  EXPECT_EQ(other["unmatched_ns"], other["total_ns"]);
}

TEST_F(ProfileProgram, DumpListsModulesPassesAndFiles) {
  ASSERT_EQ(scratch_.tessera("opt add.hlo --dump=dumped").exit, 0);
  const json out = object("dump dumped --json", 0);
  ASSERT_EQ(out["modules"].size(), 1u);
  const json& module = out["modules"][0];
  ASSERT_GT(module["passes"].size(), 1u);
  for (size_t i = 0; i < module["passes"].size(); ++i) {
    EXPECT_EQ(module["passes"][i]["number"], i);
    EXPECT_FALSE(module["passes"][i]["files"].empty());
  }
  EXPECT_TRUE(module.contains("buffer_assignment") && module.contains("llvm_ir") && module.contains("debug_options"));
  EXPECT_NE(scratch_.tessera("dump dumped").out.find("0000"), std::string::npos);
  object("dump . --json", 66);
  object("dump missing --json", 66);
  const Ran check = scratch_.tessera("check dumped");
  EXPECT_EQ(check.exit, 66);
  EXPECT_NE(check.err.find("tessera dump"), std::string::npos) << check.err;
}

TEST_F(ProfileProgram, PassesOfADumpAndOfAFile) {
  ASSERT_EQ(scratch_.tessera("opt add.hlo --dump=dumped").exit, 0);
  const json dump = object("passes dumped --json", 0), file = object("passes add.hlo --json", 0);
  ASSERT_EQ(dump["passes"].size(), file["passes"].size());
  for (const char* key : {"number", "pass", "instructions", "flops", "bytes", "peak", "added", "fused", "changes"})
    EXPECT_TRUE(file["passes"][0].contains(key)) << key;
  const json root = object("passes dumped --history=nothing.7 --json", 64);
  EXPECT_NE(root["error"]["message"].get<std::string>().find("nothing.7"), std::string::npos);
  object("passes dumped --module=other --json", 64);
  object("passes dumped --passes=fuse --json", 64);
  object("passes add.hlo --module=other --json", 64);
  object("passes . --json", 66);
  object("passes missing --json", 66);
  std::filesystem::resize_file(scratch_.folder() / "dumped" / dump["passes"][1]["files"][0].get<std::string>(), 40);
  const Ran damaged = scratch_.tessera("passes dumped");
  EXPECT_EQ(damaged.exit, 0) << damaged.err;
  EXPECT_NE(damaged.err.find("pass 0001 is left out"), std::string::npos) << damaged.err;
}

TEST_F(ProfileProgram, WhyACopyIsThere) {
  scratch_.write("copied.hlo", R"(HloModule copied
ENTRY main {
  x = f32[4,8]{1,0} parameter(0)
  y = f32[4,8]{0,1} copy(x)
  ROOT z = f32[4,8]{0,1} negate(y)
}
)");
  const json out = object("why copied.hlo y --json", 0);
  EXPECT_EQ(out["inferred"], true);
  EXPECT_EQ(out["bytes"], 256);
  EXPECT_EQ(out["chain"][0]["name"], "x");
  object("why copied.hlo z --json", 64);
  object("why copied.hlo nothing --json", 64);
  object("why copied.hlo y --machine=copied.hlo --json", 66);
}

TEST_F(ProfileProgram, EveryCommandSaysWhatAFileIs) {
  PlaneBytes cpu("/host:CPU");
  cpu.line("t", {cpu.event("x", 0, 5)});
  scratch_.write("a.pb", spaceBytes({cpu}));
  scratch_.write("a.bc", "ML\xefR\x0d");
  for (const char* command : {"check", "print", "stats", "run", "cost"}) {
    const Ran profile = scratch_.tessera(std::string(command) + " a.pb");
    EXPECT_EQ(profile.exit, 2) << command;
    EXPECT_NE(profile.err.find("XLA profile (xplane.pb)"), std::string::npos) << command << ": " << profile.err;
    EXPECT_NE(profile.err.find("tessera profile"), std::string::npos) << command;
    EXPECT_NE(scratch_.tessera(std::string(command) + " a.bc").err.find("MLIR bytecode"), std::string::npos) << command;
  }
}

}  // namespace
}  // namespace tessera
