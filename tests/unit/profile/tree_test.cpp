// The tree of a profile: a fusion's own and inclusive time, loops without a rate of their body, medians over runs,
// groups, filter, order, CSV, and what the machine would allow.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/formats/hlo_text.h"
#include "core/profile/op_tree.h"
#include "core/profile/sources/instruction_index.h"

namespace tessera {
namespace {

std::shared_ptr<const Module> fusedModule() {
  auto read = readHloText(R"(HloModule jit_f

body_fused {
  a = f32[64] parameter(0)
  m = f32[64] multiply(a, a), metadata={op_name="jit(f)/layer/mul" source_file="a.py" source_line=3}
  ROOT e = f32[64] exponential(m), metadata={op_name="jit(f)/layer/exp" source_file="a.py" source_line=4}
}

step {
  s = f32[64] parameter(0)
  ROOT n = f32[64] negate(s), metadata={op_name="jit(f)/loop/body/neg"}
}

more {
  t = f32[64] parameter(0)
  ROOT no = pred[] constant(false)
}

ENTRY main {
  p = f32[64] parameter(0)
  f = f32[64] fusion(p), kind=kLoop, calls=body_fused
  w = f32[64] while(f), condition=more, body=step, metadata={op_name="jit(f)/loop/while"}
  ROOT c = f32[64] copy(w)
}
)");
  return std::make_shared<const Module>(*std::move(read.module));
}

struct Made {
  std::shared_ptr<const Module> module = fusedModule();
  Profile profile;
  InstructionId id(const char* name) const { return module->findInstruction(name).value(); }

  void step(const char* name, std::vector<int64_t> runs, std::vector<const char*> sources, double flops, double bytes) {
    StepProfile out{.name = name, .what = "kernel", .flops = flops, .bytes = bytes};
    out.count = static_cast<int64_t>(runs.size());
    for (int64_t ns : runs) out.totalNs += ns;
    out.runNs = std::move(runs);
    for (const char* source : sources)
      profile.shares.push_back({static_cast<int32_t>(profile.steps.size()), id(source),
                                static_cast<double>(out.totalNs) / static_cast<double>(sources.size())});
    profile.steps.push_back(std::move(out));
  }
  OpTimes times() {
    profile.module = "jit_f";
    profile.runs = 3;
    profile.runNs = {1100, 1000, 1200};
    profile.totalNs = 3300;
    step("fusion.1", {400, 300, 900}, {"f", "m", "e"}, 3 * 6400, 3 * 512);
    step("neg", {200, 200, 200}, {"n"}, 0, 3 * 4096);
    step("while.2", {50, 50, 50}, {"w"}, 0, 0);
    return opTimesOf(profile, module);
  }
};

const OpRow& rowOf(const OpTree& tree, const std::string& name) {
  const auto at = std::ranges::find_if(tree.rows, [&](const OpRow& row) { return row.facts.name == name; });
  EXPECT_NE(at, tree.rows.end()) << name;
  return at == tree.rows.end() ? tree.rows[0] : *at;
}

// Traced by jax without name scopes: the path of op_name says nothing of the program.
std::shared_ptr<const Module> moduleWithoutScopes() {
  auto read = readHloText(R"(HloModule jit_step

FileNames
1 "train.py"

FunctionNames
1 "<module>"
2 "step"
3 "gpt.<locals>.blk"
4 "attention"
5 "xent"

FileLocations
1 {file_name_id=1 function_name_id=1 line=90 end_line=90 column=1 end_column=9}
2 {file_name_id=1 function_name_id=2 line=40 end_line=40 column=1 end_column=9}
3 {file_name_id=1 function_name_id=3 line=20 end_line=20 column=1 end_column=9}
4 {file_name_id=1 function_name_id=4 line=10 end_line=10 column=1 end_column=9}
5 {file_name_id=1 function_name_id=5 line=30 end_line=41 column=1 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}
3 {file_location_id=3 parent_frame_id=3}
4 {file_location_id=4 parent_frame_id=4}
5 {file_location_id=5 parent_frame_id=3}

body {
  s = f32[64] parameter(0)
  ROOT n = f32[64] negate(s)
}

more {
  t = f32[64] parameter(0)
  ROOT no = pred[] constant(false)
}

ENTRY main {
  p = f32[64] parameter(0)
  e = f32[64] exponential(p), metadata={op_name="jit(step)/jvp()/exp" stack_frame_id=4}
  c = f32[64] cosine(e), metadata={op_name="jit(step)/jvp()/cos" stack_frame_id=5}
  w = f32[64] while(c), condition=more, body=body
  ROOT k = f32[64] copy(w)
}
)");
  return std::make_shared<const Module>(*std::move(read.module));
}

TEST(OpTree, WithoutScopesTheTreeIsOfSourceFunctionsAndComputations) {
  const auto module = moduleWithoutScopes();
  Profile profile{.module = "jit_step"};
  profile.runs = 1;
  for (const char* name : {"e", "c", "n", "k"}) {
    profile.shares.push_back({static_cast<int32_t>(profile.steps.size()), module->findInstruction(name).value(), 100});
    profile.steps.push_back({.name = name, .what = "kernel", .count = 1, .totalNs = 100, .runNs = {100}});
  }
  const OpTree tree = opTree(opTimesOf(profile, module), OpGrouping::Scope);
  const auto pathOf = [&](const char* name) {
    std::string out;
    for (int32_t at = rowOf(tree, name).parent; at >= 0; at = tree.rows[static_cast<size_t>(at)].parent)
      out = tree.rows[static_cast<size_t>(at)].facts.name + (out.empty() ? "" : " > ") + out;
    return out;
  };
  EXPECT_EQ(pathOf("e"), "jit(step) › jvp() > blk › attention");
  EXPECT_EQ(pathOf("c"), "jit(step) › jvp() > xent");
  EXPECT_EQ(pathOf("n"), "body");
  EXPECT_EQ(pathOf("k"), "jit(step) › jvp() > xent");  // of what it copies
}

// The table that `tessera profile --by=scope` prints has the same places.
TEST(OpTree, SumsByScopeHaveThePlacesOfTheTree) {
  OpProfile profile;
  const auto module = moduleWithoutScopes();
  profile.modules.push_back({module->name, std::nullopt, module});
  const InstructionIndex index(module);
  for (const char* name : {"e", "c", "n", "k"})
    profile.instructions.push_back(index.describe(module->findInstruction(name).value()));
  std::set<std::string> names;
  for (const GroupTime& group : groupedBy(profile, ProfileGroup::Scope)) names.insert(group.name);
  EXPECT_EQ(names, (std::set<std::string>{"body", "jit(step)/jvp()/blk/attention", "jit(step)/jvp()/xent"}));
}

// Copies, fusions and gradients that XLA made say nothing: what is round them does.
TEST(OpTree, WhatSaysNoScopeIsWhereItsReadersAreOrWhatItIsComputedFrom) {
  auto read = readHloText(R"(HloModule jit_f

turned {
  a = f32[64] parameter(0)
  ROOT b = f32[64] copy(a)
}

inside {
  a = f32[64] parameter(0)
  m = f32[64] sine(a), metadata={op_name="jit(f)/inner/sin" source_file="a.py" source_line=3}
  ROOT b = f32[64] copy(m)
}

ENTRY main {
  p = f32[64] parameter(0), metadata={op_name="p['net/linear']['w']"}
  for_user = f32[64] fusion(p), kind=kLoop, calls=turned
  d = f32[64] sine(for_user), metadata={op_name="jit(f)/first/sin;jit(f)/other/mul" source_file="a.py" source_line=5}
  by_inside = f32[64] fusion(d), kind=kLoop, calls=inside
  of_operand = f32[64] copy(by_inside)
  of_argument = f32[64] copy(p)
  gradient = f32[64] multiply(by_inside, d)
  moment = f32[64] negate(gradient), metadata={op_name="jit(f)/adam/mu/neg"}
  square = f32[64] abs(gradient), metadata={op_name="jit(f)/adam/nu/abs"}
  ROOT t = (f32[64], f32[64], f32[64], f32[64]) tuple(of_operand, of_argument, moment, square)
}
)");
  const InstructionIndex index(std::make_shared<const Module>(*std::move(read.module)));
  const auto of = [&](const char* name) { return index.describe(index.find(name).id); };
  EXPECT_EQ(of("d").scope, "jit(f)/first");
  EXPECT_EQ(of("for_user").scope, "jit(f)/first");
  EXPECT_EQ(of("for_user").source, "a.py:5");
  EXPECT_EQ(of("by_inside").scope, "jit(f)/inner");
  EXPECT_EQ(of("of_operand").scope, "jit(f)/inner");
  EXPECT_EQ(of("of_operand").source, "a.py:3");
  EXPECT_EQ(of("of_argument").scope, "");
  EXPECT_EQ(of("gradient").scope, "jit(f)/inner");
  EXPECT_EQ(of("m").scope, "jit(f)/inner");
}

TEST(OpTree, AFusionIsMeasuredOnceAndItsMembersAreEstimatesWithinIt) {
  Made made;
  const OpTree tree = opTree(made.times(), OpGrouping::None);
  const OpRow& fusion = rowOf(tree, "f");
  EXPECT_EQ(fusion.kind, OpRowKind::Fusion);
  EXPECT_EQ(fusion.totalNs, 400);  // the median
  EXPECT_EQ(fusion.lowNs, 300);
  EXPECT_EQ(fusion.highNs, 900);
  EXPECT_EQ(fusion.selfNs, 0);
  ASSERT_EQ(fusion.children.size(), 2u);
  double members = 0, all = 0;
  for (int32_t child : fusion.children) {
    EXPECT_TRUE(tree.rows[static_cast<size_t>(child)].estimated());
    members += tree.rows[static_cast<size_t>(child)].selfNs;
  }
  EXPECT_DOUBLE_EQ(members, 400);
  for (const OpRow& row : tree.rows) all += row.kind == OpRowKind::Group ? 0 : row.selfNs;
  EXPECT_DOUBLE_EQ(all, tree.totalNs);
  EXPECT_EQ(tree.totalNs, 1100);
  EXPECT_EQ(textOf(tree, rowOf(tree, "m"), OpColumn::Total).substr(0, 3), "≈");
}

TEST(OpTree, ALoopHasItsBodysTimeButNoRateOfIt) {
  Made made;
  const OpTree tree = opTree(made.times(), OpGrouping::None);
  const OpRow& loop = rowOf(tree, "w");
  EXPECT_EQ(loop.selfNs, 50);
  EXPECT_EQ(loop.totalNs, 250);
  EXPECT_EQ(textOf(tree, loop, OpColumn::FlopRate), "");
  EXPECT_EQ(textOf(tree, loop, OpColumn::ByteRate), "");
  EXPECT_EQ(textOf(tree, rowOf(tree, "n"), OpColumn::ByteRate), "20.5");  // 4096 bytes in 200 ns
}

TEST(OpTree, ScopesHoldWhatIsBelowThemOnce) {
  Made made;
  const OpTree tree = opTree(made.times(), OpGrouping::Scope);
  const OpRow& top = rowOf(tree, "jit(f)");
  EXPECT_EQ(top.totalNs, 650);
  EXPECT_EQ(rowOf(tree, "loop").totalNs, 250);
  EXPECT_EQ(rowOf(tree, "layer").totalNs, 400);
  EXPECT_EQ(rowOf(tree, "outside of steps").totalNs, 450);
  EXPECT_EQ(top.lowNs, 550);  // of a whole run, not the sum of each part's quickest
  const auto all = tree.instructionsOf(tree.rowOf(made.id("f")));
  EXPECT_EQ(all, std::vector<InstructionId>{made.id("f")});
}

TEST(OpTree, EveryGroupingAddsUpToTheSame) {
  Made made;
  const OpTimes times = made.times();
  for (const OpGrouping by : {OpGrouping::Scope, OpGrouping::Opcode, OpGrouping::Category, OpGrouping::Source,
                              OpGrouping::Computation, OpGrouping::None}) {
    const OpTree tree = opTree(times, by);
    double sum = 0;
    for (int32_t root : tree.roots) {
      const OpRow& row = tree.rows[static_cast<size_t>(root)];
      sum += row.kind == OpRowKind::Group || row.kind == OpRowKind::Lost ? row.totalNs : row.ratedNs;
    }
    EXPECT_DOUBLE_EQ(sum, 1100) << nameOf(by);
  }
  EXPECT_EQ(rowOf(opTree(times, OpGrouping::Opcode), "fusion").children.size(), 1u);
  EXPECT_EQ(rowOf(opTree(times, OpGrouping::Computation), "step").totalNs, 200);
}

TEST(OpTree, TheFilterKeepsWhatItsWordsDescribeWithWhatIsAround) {
  Made made;
  const OpTimes times = made.times();
  const OpTree byMember = opTree(times, OpGrouping::None, "MUL layer");
  EXPECT_EQ(byMember.rows.size(), 2u);
  EXPECT_EQ(rowOf(byMember, "m").parent, 0);
  EXPECT_TRUE(opTree(times, OpGrouping::None, "nothing").rows.empty());
}

TEST(OpTree, RowsSortByNumbersWithThoseThatHaveNoneLast) {
  Made made;
  OpTree tree = opTree(made.times(), OpGrouping::None);
  sortRows(tree, OpColumn::ByteRate, false);
  EXPECT_EQ(tree.rows[static_cast<size_t>(tree.roots[0])].facts.name, "f");
  EXPECT_EQ(tree.rows[static_cast<size_t>(tree.roots[1])].facts.name, "n");
  sortRows(tree, OpColumn::Name, true);
  EXPECT_EQ(tree.rows[static_cast<size_t>(tree.roots[0])].facts.name, "w");
}

TEST(OpTree, TheMachineSaysWhatBindsAndWhatIsWasted) {
  Made made;
  OpTimes times = made.times();
  holdAgainst(times, {"machine", {{"f32", 32e9}}, 40.96e9});
  const OpTree tree = opTree(times, OpGrouping::None);
  EXPECT_EQ(rowOf(tree, "f").bound, BoundBy::Compute);
  EXPECT_DOUBLE_EQ(rowOf(tree, "f").attainableNs, 200);  // 6400 flops at 32 GF/s
  EXPECT_DOUBLE_EQ(rowOf(tree, "f").wastedNs, 200);
  EXPECT_EQ(rowOf(tree, "n").bound, BoundBy::Memory);
  EXPECT_DOUBLE_EQ(rowOf(tree, "n").attainableNs, 100);
  EXPECT_EQ(rowOf(tree, "w").bound, BoundBy::Unknown);
  holdAgainst(times, {"quick", {{"f32", 32e12}}, 40.96e12});
  EXPECT_EQ(times.units[1].bound, BoundBy::Overhead);
}

TEST(OpTree, AnotherProgramsFusionGetsItsMembersByWork) {
  const auto module = fusedModule();
  OpProfile profile;
  profile.steps = 2;
  profile.instructions.push_back(
      {.name = "f", .computation = "main", .module = "jit_f", .times = {4, 800, 800, 150, 200, 250, 250}});
  profile.instructions.push_back({.name = "gone", .module = "other", .times = {1, 100, 100, 100, 100, 100, 100}});
  profile.unmatched.push_back({"kernel", "the event names no instruction", {}, {2, 60, 60}});
  const OpTimes times = opTimesOf(profile, module);
  const OpTree tree = opTree(times, OpGrouping::None);
  EXPECT_EQ(tree.totalNs, 400 + 50 + 30);
  EXPECT_EQ(rowOf(tree, "f").totalNs, 400);
  EXPECT_GT(rowOf(tree, "e").selfNs, rowOf(tree, "m").selfNs);
  EXPECT_DOUBLE_EQ(rowOf(tree, "e").selfNs + rowOf(tree, "m").selfNs, 400);
  EXPECT_FALSE(rowOf(tree, "gone").facts.instruction.valid());
  EXPECT_EQ(rowOf(tree, "kernel").reason, "the event names no instruction");
  EXPECT_EQ(tree.spreadOf, "execution");
  // A mean of executions says little where one of them was preempted.
  EXPECT_EQ(textOf(tree, rowOf(tree, "f"), OpColumn::Spread), "200 ns (150 ns – 250 ns)");
}

TEST(OpTree, CsvHasALineARowWithTheDepth) {
  Made made;
  const OpTree tree = opTree(made.times(), OpGrouping::Scope);
  const std::string csv = toCsv(tree);
  EXPECT_EQ(std::ranges::count(csv, '\n'), static_cast<int64_t>(tree.rows.size()) + 1);
  EXPECT_NE(csv.find("\n2,\"f\",fusion,400,0,1,300,900,16,1.28,"), csv.npos) << csv;
}

TEST(OpTree, TheMedianRunIsOneRun) {
  Made made;
  made.times();
  for (const char* name : {"f", "m", "e", "n", "w"}) made.profile.sources.push_back({made.id(name), 1});
  const Profile one = medianRun(made.profile);
  EXPECT_EQ(one.runs, 1);
  EXPECT_EQ(one.totalNs, 1100);
  EXPECT_EQ(one.steps[0].totalNs, 400);
  double fused = 0;
  for (int i : {0, 1, 2}) fused += one.sources[static_cast<size_t>(i)].timeNs;
  EXPECT_NEAR(fused, 400, 1e-9);
}

}  // namespace
}  // namespace tessera
