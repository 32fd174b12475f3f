// Passes from first to last: those of a dump of XLA whose partners are found by structure, and our own; what a pass
// did, the history of one instruction, and folders with files missing, cut or doubled.
#include "core/tools/passes/pass_trail.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "core/passes/pipeline.h"
#include "core/tools/find_instruction.h"
#include "core/tools/passes/pass_history.h"
#include "core/tools/passes/pass_text.h"
#include "core/tools/passes/why.h"
#include "tests/support/source_tree.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

const fs::path kAttention = test::inSourceTree("tests/passes/attention");

// "0021 %multiply.3: fused into %broadcast_select_fusion", a line an event.
std::string historyText(PassTrail& trail, std::string_view name) {
  const auto found = lastNamed(trail, name);
  if (!found) return found.error().toString();
  const auto history = historyOf(trail, found->first, found->second);
  if (!history) return history.error().toString();
  std::string out;
  for (const PassEvent& event : history->events)
    out += std::to_string(trail.moments()[event.moment].number) + " %" + event.name + ": " + event.words + "\n";
  return out;
}

std::string changesText(PassTrail& trail, size_t moment) {
  const auto module = trail.moduleAt(moment);
  const auto changes = trail.changesTo(moment);
  if (!module || !changes) return "unreadable";
  std::string out;
  for (const PassChange& change : (*changes)->changes)
    out += (change.after.valid() ? (*module)->at(change.after).reference() : "gone") + " " + phraseOf(change) + "\n";
  return out;
}

TEST(PassTrail, AttentionFromItsFirstPassToItsLast) {
  auto trail = PassTrail::ofFolder(kAttention);
  ASSERT_TRUE(trail) << trail.error().toString();
  ASSERT_EQ(trail->moments().size(), 28u);
  EXPECT_EQ(trail->name(), "jit_attention");
  EXPECT_TRUE(trail->warnings().empty());
  EXPECT_EQ(trail->moments()[14].pass, "layout-assignment");
  EXPECT_EQ(trail->moments()[10].pass, "");
  EXPECT_EQ(changesText(*trail, 12), "");
  EXPECT_EQ(changesText(*trail, 13),
            "%dot.1 changed: rhs_contracting_dims {2} → {3}\ngone removed: its users read %multiply.1\n");
  EXPECT_NE(changesText(*trail, 14).find("%transpose relaid: layout f32[2,4,64,32]{3,2,1,0} → "), std::string::npos);
  const auto fused = trail->changesTo(21);
  ASSERT_TRUE(fused);
  EXPECT_EQ((*fused)->count(PassMark::Fused), 23u);
  EXPECT_EQ((*fused)->count(PassMark::Added), 7u);  // the fusions; their parameters are no work
  EXPECT_EQ((*fused)->count(PassMark::Removed), 0u);
  const auto first = trail->costAt(0), last = trail->costAt(27);
  ASSERT_TRUE(first && last);
  EXPECT_EQ(first->instructions, 53u);
  EXPECT_EQ(last->instructions, 66u);
  EXPECT_LT(last->bytes, first->bytes);
}

TEST(PassTrail, TheHistoryOfOneFusedMultiply) {
  auto trail = PassTrail::ofFolder(kAttention);
  ASSERT_TRUE(trail);
  EXPECT_EQ(historyText(*trail, "multiply.3"),
            "0 %div.7: there from the start\n"
            "5 %div.7: rewired: operand 0: %dot_general.2 → %reshape.2\n"
            "7 %div.7: rewired: operand 0: %reshape.2 → %dot\n"
            "9 %multiply: changed: opcode divide → multiply\n"
            "18 %multiply: rewired: operand 0: %dot → %ynn_fusion.3\n"
            "21 %multiply.3: fused into %broadcast_select_fusion\n");
  // Whatever the moment that it is asked for.
  const auto start = trail->moduleAt(0);
  ASSERT_TRUE(start);
  const auto history = historyOf(*trail, 0, *instructionNamed(**start, "div.7"));
  ASSERT_TRUE(history);
  EXPECT_EQ(history->events.size(), 6u);
  EXPECT_TRUE(history->ids[27].valid());
  EXPECT_EQ(nextTouch(*history, 0, 1), 5u);
  EXPECT_EQ(nextTouch(*history, 12, -1), 9u);
  EXPECT_EQ(nextTouch(*history, 21, 1), 21u);
}

TEST(PassTrail, LikePartsOfDifferentArgumentsAreNotMixedUp) {
  auto trail = PassTrail::ofFolder(kAttention);
  ASSERT_TRUE(trail);
  EXPECT_EQ(historyText(*trail, "transpose.8"),  // of v; that of k is alike
            "5 %transpose.3: added reads %v.1\n"
            "14 %transpose.3: relaid: layout f32[2,4,32,64]{3,2,1,0} → f32[2,4,32,64]{2,1,3,0}\n"
            "21 %transpose.8: fused into %transpose_copy_fusion.3\n");
  EXPECT_EQ(historyText(*trail, "transpose_copy_fusion.3"),
            "21 %transpose_copy_fusion.3: added by fusion of %transpose.3, %copy.2\n");
  EXPECT_EQ(historyText(*trail, "dot.4"),
            "5 %dot: added reads %reshape, %reshape.1\n"
            "7 %dot: rewired: operand 0: %reshape → %transpose; operand 1: %reshape.1 → %transpose.2\n"
            "14 %dot: rewired: operand 0: %transpose → %copy; operand 1: %transpose.2 → %copy.1\n"
            "18 %dot.4: fused into %ynn_fusion.3\n");
  EXPECT_NE(historyText(*trail, "reshape.3").find("9 %reshape.3: removed"), std::string::npos);
}

constexpr const char* kSmall = R"(HloModule small
ENTRY main {
  x = f32[64]{0} parameter(0)
  y = f32[64]{0} parameter(1)
  two = f32[] constant(2)
  twos = f32[64]{0} broadcast(two), dimensions={}
  scaled = f32[64]{0} multiply(x, twos)
  unused = f32[64]{0} tanh(y)
  ROOT out = f32[64]{0} add(scaled, y)
}
)";

TEST(PassTrail, OurOwnPipelineKnowsWhoIsWho) {
  ReadResult read = readHloText(kSmall, "small.hlo");
  ASSERT_TRUE(read.module);
  inferModule(*read.module);
  auto trail = PassTrail::ofPipeline(*read.module, {"remove-dead-code", "fuse"});
  ASSERT_TRUE(trail) << trail.error().toString();
  ASSERT_EQ(trail->moments().size(), 3u);
  EXPECT_EQ(changesText(*trail, 1), "gone removed\n");
  const auto last = trail->moduleAt(2);
  const std::string fusion = (*last)->at((*last)->entryComputation().root).reference();
  EXPECT_NE(changesText(*trail, 2).find(fusion + " added by fusion of"), std::string::npos) << changesText(*trail, 2);
  const auto start = trail->moduleAt(0);
  const auto history = historyOf(*trail, 0, *instructionNamed(**start, "scaled"));
  ASSERT_TRUE(history);
  ASSERT_EQ(history->events.size(), 2u);
  EXPECT_EQ(history->events[1].words, "fused into " + fusion);
  EXPECT_EQ((*last)->at(history->ids[2]).opcode, Opcode::Multiply);
  EXPECT_FALSE(PassTrail::ofPipeline(*read.module, {"no-such-pass"}));
}

TEST(PassTrail, ChangedLinesWithTheirNeighbours) {
  auto trail = PassTrail::ofFolder(kAttention);
  ASSERT_TRUE(trail);
  const auto before = trail->moduleAt(12), after = trail->moduleAt(13);
  const auto changes = trail->changesTo(13);
  ASSERT_TRUE(before && after && changes);
  std::string signs;
  for (const PassLine& line : passText(**before, **after, **changes, 0)) signs += line.sign;
  EXPECT_EQ(std::ranges::count(signs, '+'), 1);  // the dot
  EXPECT_EQ(std::ranges::count(signs, '-'), 2);  // the dot as it was, and the transpose
  EXPECT_TRUE(passText(**before, **before, passChanges(**before, **before, SameIds::No)).empty());
}

std::string whyText(const Module& module, std::string_view name) {
  const auto why = whyHere(module, *instructionNamed(module, name));
  if (!why) return why.error().toString();
  std::string out = (why->known ? "known: " : "inferred: ") + why->answer;
  for (const WhyLink& link : why->chain) out += "\n" + module.at(link.id).reference() + " " + link.words;
  return out;
}

TEST(Why, ForeignModulesAreInferredAndOursKnown) {
  auto trail = PassTrail::ofFolder(kAttention);
  const auto last = trail->moduleAt(27);
  ASSERT_TRUE(last);
  EXPECT_EQ(
      whyText(**last, "copy.4"),
      "inferred: it changes the layout that %transpose.5 gives: the program's result has that layout for its caller\n"
      "%transpose.5 gives f32[2,64,4,32]{1,3,2,0}\n%copy.4 makes f32[2,64,4,32]{3,2,1,0}\n"
      "%transpose_copy_fusion calls it, the result of the program");
  const std::string fusion = whyText(**last, "transpose_copy_fusion.1");
  EXPECT_NE(fusion.find("%ynn_fusion.3 a fusion of kind kCustom, this one is kLoop"), std::string::npos) << fusion;
  EXPECT_NE(whyText(**last, "dot.4").find("computes something of its own"), std::string::npos);
  ReadResult read = readHloText(R"(HloModule relaid, entry_computation_layout={(f32[4,8]{1,0})->f32[4,8]{0,1}}
ENTRY main {
  x = f32[4,8]{1,0} parameter(0)
  ROOT out = f32[4,8]{0,1} negate(x)
}
)",
                                "relaid.hlo");
  ASSERT_TRUE(read.module);
  inferModule(*read.module);
  const auto optimized = optimize(*read.module);
  ASSERT_TRUE(optimized);
  for (InstructionId id : optimized->entryComputation().instructions)
    if (optimized->at(id).opcode == Opcode::Copy) {
      EXPECT_TRUE(whyText(*optimized, optimized->at(id).name).starts_with("known: inserted for"));
    }
}

// As XLA wraps a copy that is a kernel of its own: the chain goes in through the fusion's operand, and out again.
TEST(Why, ACopyInAFusionOfItsOwnIsThatCopy) {
  const ReadResult read = readHloText(R"(HloModule m

wrapped {
  inner = f32[4,8]{0,1} parameter(0)
  ROOT copied = f32[4,8]{1,0} copy(inner)
}

ENTRY main {
  x = f32[8,4]{1,0} parameter(0)
  turned = f32[4,8]{0,1} bitcast(x)
  fused = f32[4,8]{1,0} fusion(turned), kind=kLoop, calls=wrapped
  other = f32[4,8]{1,0} negate(fused)
  ROOT out = (f32[4,8]{1,0}, f32[4,8]{1,0}) tuple(fused, other)
}
)",
                                      "wrapped.hlo");
  ASSERT_TRUE(read.module);
  const std::string chain = "\n%turned gives f32[4,8]{0,1}\n%copied makes f32[4,8]{1,0}\n%fused calls it\n";
  EXPECT_EQ(whyText(*read.module, "copied"),
            "inferred: it changes the layout that %turned gives: %other reads it in that form" + chain +
                "%other reads it, as 1 more do");
  EXPECT_EQ(whyText(*read.module, "fused"), whyText(*read.module, "copied"));
}

class DamagedDump : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tessera-passes-XXXXXX").string();
    ASSERT_TRUE(::mkdtemp(name.data()));
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }
  fs::path folder_;
};

TEST_F(DamagedDump, WhatCannotBeReadIsSteppedOver) {
  write("module_0000.m.0000.p.after_pipeline-start.before_a.txt", kSmall);
  write("module_0000.m.0001.p.after_a.before_b.txt", std::string(kSmall).substr(0, 150));
  write("module_0000.m.0003.p.after_c.before_d.txt", kSmall);
  auto trail = PassTrail::ofFolder(folder_);
  ASSERT_TRUE(trail);
  EXPECT_EQ(trail->moments().size(), 3u);
  EXPECT_FALSE(trail->warnings().empty());  // 0002 is missing
  EXPECT_FALSE(trail->moduleAt(1));
  EXPECT_FALSE(trail->changesTo(1));
  EXPECT_EQ(*trail->momentBefore(2), 0u);
  EXPECT_EQ(changesText(*trail, 2), "");
  EXPECT_EQ(historyText(*trail, "scaled"), "0 %scaled: there from the start\n");
}

TEST_F(DamagedDump, AnotherFormStandsInAndModulesAreChosen) {
  write("module_0000.m.0000.p.after_pipeline-start.before_a.txt", "HloModule half\nENTRY main {\n");
  write("module_0000.m.0000.p.after_pipeline-start.before_a.hlo", kSmall);
  write("module_0001.n.before_optimizations.txt", kSmall);
  write("module_0001.n.cpu_after_optimizations.txt", kSmall);
  auto first = PassTrail::ofFolder(folder_);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->name(), "m");
  EXPECT_TRUE(first->moduleAt(0));
  EXPECT_EQ(first->otherModules(), std::vector<std::string>{"module_0001.n"});
  EXPECT_EQ(PassTrail::ofFolder(folder_, "module_0001")->name(), "n");
  auto stages = PassTrail::ofFolder(folder_, "n");
  ASSERT_TRUE(stages);
  ASSERT_EQ(stages->moments().size(), 2u);
  EXPECT_EQ(stages->moments()[0].pass, "before_optimizations");
  const auto none = PassTrail::ofFolder(folder_, "x");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("module_0000.m, module_0001.n"), std::string::npos) << none.error().message;
}

TEST_F(DamagedDump, NoDump) {
  write("notes.txt", "x");
  EXPECT_FALSE(PassTrail::ofFolder(folder_));
  EXPECT_FALSE(PassTrail::ofFolder(folder_ / "missing"));
}

}  // namespace
}  // namespace tessera
