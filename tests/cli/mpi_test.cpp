// `tessera run --engine=mpi` under mpirun: the values of threads on 1, 2 and 4 ranks, each rank's own blocks of an npz,
// and what goes wrong with ranks: too few, other programs, meetings that not all come to, one that dies.
#include <nlohmann/json.hpp>
#include <set>

#include "core/evaluate/compare.h"
#include "core/formats/npz.h"
#include "tests/cli/spawn.h"
#include "tests/support/skips.h"

namespace tessera {
namespace {

bool hasMpi() {
  const auto library = std::filesystem::path(TESSERA_PROGRAM).parent_path().parent_path() / "lib/libtessera_mpi.so";
  return std::filesystem::exists(library) && std::system("command -v mpirun >/dev/null 2>&1") == 0;
}

// More ranks than cores, and root, are what Open MPI wants to be asked for. What MPI keeps to its end is no leak of
// ours.
constexpr const char* kEnvironment =
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
    "ASAN_OPTIONS=detect_leaks=0 ";

class MpiBase : public testing::Test {
 protected:
  void SetUp() override {
    if (!hasMpi()) TESSERA_SKIP("no-mpi");
  }
  Ran mpirun(const std::string& arguments) { return scratch_.program("mpirun", arguments, {}, kEnvironment); }
  Ran ranks(int count, const std::string& arguments) {
    return mpirun("-n " + std::to_string(count) + " " TESSERA_PROGRAM " run " + arguments + " --engine=mpi");
  }
  NamedArrays arrays(const std::string& file) {
    auto read = readNpz(scratch_.folder() / file);
    EXPECT_TRUE(read) << read.error().toString();
    return read ? *read : NamedArrays();
  }

  // Threads write t.npz and ranks m.npz, which hold the same: to the bit where the run says so.
  void sameAsThreads(int count, const std::string& arguments) {
    const Ran threads = scratch_.tessera("run " + arguments + " --out=t.npz");
    ASSERT_EQ(threads.exit, 0) << threads.err;
    const Ran mpi = ranks(count, arguments + " --out=m.npz --json");
    ASSERT_EQ(mpi.exit, 0) << mpi.err;
    const auto said = nlohmann::json::parse(mpi.out);
    EXPECT_EQ(said["ranks"], count);
    const bool exact = said["reduction_order"] == "group";
    EXPECT_EQ(exact, said["reordered"].empty());
    const NamedArrays expected = arrays("t.npz"), found = arrays("m.npz");
    ASSERT_EQ(found.size(), expected.size());
    ASSERT_FALSE(expected.empty());
    for (const auto& [name, value] : expected) {
      ASSERT_TRUE(found.contains(name)) << name;
      const Literal& other = found.at(name);
      EXPECT_TRUE(exact ? value.identical(other)
                        : compareLiterals(value, other, defaultTolerance(value.shape().type), name).equal)
          << arguments << " " << name;
    }
  }
  Scratch scratch_;
};

// A layer whose rows and weights are cut, and the sum of its results.
std::string annotatedStep(int devices) {
  const std::string n = std::to_string(devices), rows = "sharding={devices=[" + n + ",1]<=[" + n + "]}";
  return "HloModule step, num_partitions=" + n +
         "\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] add(a, b)\n}\n"
         "ENTRY main {\n  x = f32[8,16] parameter(0), " +
         rows + "\n  w = f32[16,4] parameter(1), " + rows +
         "\n  y = f32[8,4] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, " + rows +
         "\n  t = f32[8,4] tanh(y)\n  zero = f32[] constant(0)\n"
         "  s = f32[] reduce(t, zero), dimensions={0,1}, to_apply=sum\n"
         "  ROOT r = (f32[8,4], f32[]) tuple(t, s), sharding={{devices=[" +
         n + ",1]<=[" + n + "]}, {replicated}}\n}\n";
}

struct ShardedRun {
  const char* program;
  int ranks;
};
class MpiValues : public MpiBase, public testing::WithParamInterface<ShardedRun> {};

TEST_P(MpiValues, AreThoseOfThreads) {
  sameAsThreads(GetParam().ranks, TESSERA_SHARDED "/" + std::string(GetParam().program) + ".hlo --seed=3 --scale=0.7");
}
INSTANTIATE_TEST_SUITE_P(All, MpiValues,
                         testing::Values(ShardedRun{"data_parallel_4", 4}, ShardedRun{"tensor_parallel_4", 4},
                                         ShardedRun{"fsdp_4", 4}, ShardedRun{"ring_4", 4}, ShardedRun{"exchange_4", 4},
                                         ShardedRun{"collectives_4", 4}, ShardedRun{"fsdp_2", 2},
                                         ShardedRun{"exchange_2", 2}),
                         [](const auto& info) { return std::string(info.param.program); });

class Mpi : public MpiBase {};

// Not partitioned yet: every rank makes the program of one device, and reads its blocks of whole arrays.
TEST_F(Mpi, AnnotatedProgramsArePartitioned) {
  for (const int count : {1, 2, 4}) {
    scratch_.write("step.hlo", annotatedStep(count));
    sameAsThreads(count, "step.hlo --seed=3 --scale=0.7");
  }
}

TEST_F(Mpi, OneRankIsOneDevice) {
  scratch_.write("add.hlo", kAddProgram);
  sameAsThreads(1, "add.hlo");
}

// Each rank reads its block, of both orders of elements and both ways to store.
TEST_F(Mpi, RanksReadTheirBlocks) {
  scratch_.write("whole.hlo",
                 "HloModule w\nENTRY main {\n  x = f32[8,6] parameter(0)\n  y = f32[8,6] parameter(1)\n"
                 "  n = f32[8,6] negate(x)\n  ROOT t = (f32[8,6], f32[8,6]) tuple(n, y)\n}\n");
  ASSERT_EQ(scratch_.tessera("run whole.hlo --out=outs.npz").exit, 0);
  NamedArrays outs = arrays("outs.npz");
  ASSERT_TRUE(writeNpz(scratch_.folder() / "in.npz", {{"arg0", outs["out0"]}, {"arg1", outs["out1"]}}));
  scratch_.write("cut.hlo",
                 "HloModule c, num_partitions=4\nENTRY main {\n"
                 "  x = f32[4,3] parameter(0), sharding={devices=[2,2]0,1,2,3}\n"
                 "  y = f32[8,6] parameter(1), sharding={replicated}\n"
                 "  ROOT t = (f32[4,3], f32[8,6]) tuple(x, y)\n}\n");
  sameAsThreads(4, "cut.hlo --inputs=in.npz");
  const Ran wrong = ranks(4, "cut.hlo --inputs=outs.npz");
  EXPECT_EQ(wrong.exit, 66);
  EXPECT_NE(wrong.err.find("an argument's array is named arg0"), std::string::npos) << wrong.err;
}

// Of every device: what several report is there once.
TEST_F(Mpi, ReportsOfSimulatedDevicesAreThoseOfThreads) {
  const std::string arguments = TESSERA_SHARDED "/data_parallel_4.hlo --backend=cuda --device=simulated --json";
  const Ran threads = scratch_.tessera("run " + arguments), mpi = ranks(4, arguments);
  ASSERT_EQ(threads.exit, 0) << threads.err;
  ASSERT_EQ(mpi.exit, 0) << mpi.err;
  const auto reports = nlohmann::json::parse(threads.out)["reports"];
  EXPECT_EQ(nlohmann::json::parse(mpi.out)["reports"], reports);
  ASSERT_FALSE(reports.empty());
  std::set<std::string> places;
  for (const auto& report : reports) {
    EXPECT_EQ(report["devices"], 4) << report;
    EXPECT_TRUE(places.insert(report["place"]).second) << report;
  }
}

// --- what goes wrong

TEST_F(Mpi, TooFewRanksAreToldHowMany) {
  const Ran ran = ranks(2, TESSERA_SHARDED "/ring_4.hlo --json");
  EXPECT_EQ(ran.exit, 64) << ran.err;
  for (const char* rank : {"rank 0: ", "rank 1: "}) EXPECT_NE(ran.err.find(rank), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("start it with mpirun -n 4"), std::string::npos) << ran.err;
  EXPECT_EQ(nlohmann::json::parse(ran.out)["error"]["found"], "2");
}

TEST_F(Mpi, AnotherProgramOnARankIsToldByBoth) {
  const std::string run = "-n 1 " TESSERA_PROGRAM " run ", engine = " --engine=mpi";
  const Ran ran =
      mpirun(run + TESSERA_SHARDED "/ring_2.hlo" + engine + " : " + run + TESSERA_SHARDED "/exchange_2.hlo" + engine);
  EXPECT_EQ(ran.exit, 5) << ran.err;
  for (const char* rank : {"rank 0: ", "rank 1: "}) EXPECT_NE(ran.err.find(rank), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("rank 0 has the program jit_ring"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("rank 1 has the program jit_exchange"), std::string::npos) << ran.err;
}

TEST_F(Mpi, ACollectiveThatARankLeavesOut) {
  const Ran ran = ranks(2, TESSERA_EXAMPLES "/reference/all_reduce_waiting_replica.hlo --replicas=2");
  EXPECT_EQ(ran.exit, 5) << ran.err;
  EXPECT_NE(ran.err.find("rank 0 waits at the end of the run for rank 1, which waits at %reducing (all-reduce)"),
            std::string::npos)
      << ran.err;
}

// Nobody's first is the one that others have come to: only all ranks together know it.
TEST_F(Mpi, RanksThatWaitForEachOtherInARing) {
  scratch_.write("ring.hlo", R"(HloModule swapped, replica_count=4

add {
  a = u32[] parameter(0)
  b = u32[] parameter(1)
  ROOT s = u32[] add(a, b)
}

first {
  x = u32[] parameter(0)
  ROOT one = u32[] all-reduce(x), replica_groups={{0,3},{1,2}}, to_apply=add
}

second {
  x = u32[] parameter(0)
  ROOT two = u32[] all-reduce(x), replica_groups={{0,1},{2,3}}, to_apply=add
}

ENTRY main {
  id = u32[] replica-id()
  one = u32[] constant(1)
  odd = u32[] and(id, one)
  p = s32[] convert(odd)
  ROOT r = u32[] conditional(p, id, id), branch_computations={first, second}
}
)");
  const Ran ran = ranks(4, "ring.hlo");
  EXPECT_EQ(ran.exit, 5) << ran.err;
  for (const char* rank : {"rank 0: ", "rank 1: ", "rank 2: ", "rank 3: "})
    EXPECT_NE(ran.err.find(rank), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("rank 0 waits at %one (all-reduce) for rank 3, and rank 3 waits at %two (all-reduce)"),
            std::string::npos)
      << ran.err;
}

constexpr const char* kLongProgram = R"(HloModule long, replica_count=2

add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT s = s32[] add(a, b)
}

more {
  x = s32[] parameter(0)
  limit = s32[] constant(2000000000)
  ROOT go = pred[] compare(x, limit), direction=LT
}

step {
  x = s32[] parameter(0)
  one = s32[] constant(1)
  y = s32[] add(x, one)
  z = s32[] all-reduce(y), replica_groups={}, to_apply=add
  ROOT half = s32[] subtract(z, y)
}

ENTRY main {
  zero = s32[] constant(0)
  ROOT r = s32[] while(zero), condition=more, body=step
}
)";

// signal: what rank 1 gets while it runs.
Ran disturbed(const Scratch& scratch, const std::string& signal, const std::string& options) {
  scratch.write("long.hlo", kLongProgram);
  scratch.write("rank.sh", "echo $$ > pid$OMPI_COMM_WORLD_RANK$PMI_RANK\nexec " TESSERA_PROGRAM
                           " run long.hlo --engine=mpi --json " +
                               options + "\n");
  // Both have begun when they catch SIGTERM (bit 14), as the engine does from its start on.
  scratch.write("go.sh",
                "mpirun -n 2 sh rank.sh &\nfor rank in 0 1; do\n  until grep -Eq '^SigCgt:.*[4567cdef][0-9a-f]{3}$' "
                "/proc/$(cat pid$rank 2>/dev/null || echo none)/status 2>/dev/null; do sleep 0.05; done\n"
                "done\nsleep 0.5\nkill -" +
                    signal + " $(cat pid1)\nwait $!\n");
  return scratch.program("sh", "go.sh", {}, kEnvironment);
}

TEST_F(Mpi, ARankThatDiesEndsTheOthersWithASentence) {
  const Ran ran = disturbed(scratch_, "KILL", "");
  EXPECT_NE(ran.exit, 0);
  EXPECT_NE(ran.exit, 124) << "hangs";
  EXPECT_NE(ran.err.find("rank 0 was ended from outside"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("another rank has died"), std::string::npos) << ran.err;
  EXPECT_NE(ran.out.find("rank 0 was ended from outside"), std::string::npos) << ran.out;
}

TEST_F(Mpi, ARankThatStopsIsWaitedForToTheLimit) {
  const Ran ran = disturbed(scratch_, "STOP", "--wait-limit=3");
  EXPECT_NE(ran.exit, 0);
  EXPECT_NE(ran.exit, 124) << "hangs";
  EXPECT_NE(ran.err.find("rank 0 has waited at "), std::string::npos) << ran.err;
  // It is named where the ranks meet; once values move, MPI alone knows whose are missing.
  EXPECT_NE(ran.err.find(" for longer than the limit of 3 s"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace tessera
