// diff finds exactly the edits that were made: 200 random ones one by one, and many at once, each in a module with
// other names, ids, order of instructions and order of commutative operands.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/element/scalar_functions.h"
#include "core/passes/common_subexpressions.h"
#include "core/tools/diff/diff.h"
#include "core/tools/passes/pass_run.h"
#include "tests/unit/tools/random_edits.h"
#include "tests/unit/tools/test_modules.h"

namespace tessera::diff_edits {
namespace {

// The same module with other ids, names, order, commutative operands the other way round; names by those of before.
std::pair<Module, std::map<std::string, std::string>> disguise(Module module, Random& random) {
  std::map<std::string, std::string> before;
  size_t number = 0;
  for (ComputationId computation : std::vector(module.order())) {
    std::vector<InstructionId> order = module.at(computation).instructions;
    std::ranges::shuffle(order, random);
    module.edit(computation).instructions = order;
    auto sorted = topologicalOrder(module, computation);
    module.edit(computation).instructions = sorted.value();
    for (InstructionId id : *sorted) {
      const std::string name = "v" + std::to_string(number++);
      before[name] = nameOf(module, id);
      module.setName(id, name);
      if (isCommutative(module.at(id).opcode) && below(random, 2))
        module.setOperands(id, std::vector{module.at(id).operands[1], module.at(id).operands[0]});
    }
  }
  return {test::again(module), before};
}

Expected found(const Module& a, const Module& b, const std::map<std::string, std::string>& before) {
  Expected out;
  const DiffResult result = diff(a, b);
  for (const ChangedInstruction& one : result.changed)
    for (const Change& change : one.changes)
      out.changed[nameOf(a, one.left)].insert(change.what.starts_with("operand") ? "operand" : change.what);
  for (InstructionId id : result.added) out.added.insert(before.at(nameOf(b, id)));
  for (InstructionId id : result.removed) out.removed.insert(nameOf(a, id));
  for (const ChangedComputation& one : result.computations) out.changed["%" + a.at(one.left).name].insert("itself");
  return out;
}

std::string textOf(const Expected& expected) {
  std::string out;
  for (const auto& [name, whats] : expected.changed) {
    out += "~ " + name + ":";
    for (const std::string& what : whats) out += " " + what;
    out += "\n";
  }
  for (const std::string& name : expected.removed) out += "- " + name + "\n";
  for (const std::string& name : expected.added) out += "+ " + name + "\n";
  return out;
}

std::vector<InstructionId> shuffledInstructions(const Module& module, Random& random) {
  std::vector<InstructionId> out;
  for (ComputationId computation : module.order())
    out.insert(out.end(), module.at(computation).instructions.begin(), module.at(computation).instructions.end());
  std::ranges::shuffle(out, random);
  return out;
}

TEST(DiffEdits, ADisguiseIsNoDifference) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const RandomModule made(seed, 300);
    const auto [other, before] = disguise(made.module(), random);
    EXPECT_EQ(textOf(found(made.module(), other, before)), "") << "seed " << seed;
  }
}

TEST(DiffEdits, TwoHundredRandomEditsAreFoundExactly) {
  std::map<size_t, int> kinds;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Random random(1000 + seed);
    const RandomModule made(seed, 150 + below(random, 250));
    Module edited = made.module();
    Expected expected;
    Editor editor(edited, random, expected);
    const std::vector<InstructionId> places = shuffledInstructions(edited, random);
    ASSERT_TRUE(std::ranges::any_of(places, [&](InstructionId id) { return editor.tryAt(id); }));
    const auto [other, before] = disguise(edited, random);
    EXPECT_EQ(textOf(found(made.module(), other, before)), textOf(expected)) << "seed " << seed;
  }
}

// Places that are no neighbours of each other's: there what was edited is no matter of opinion.
TEST(DiffEdits, ManyEditsAtOnceAreFoundExactly) {
  Random random(7);
  const RandomModule made(7, 9000);
  Module edited = made.module();
  Expected expected;
  const UserTable users(made.module());
  std::set<InstructionId> busy;
  const auto neighbours = [&](InstructionId id) {
    std::vector<InstructionId> out{id};
    for (size_t begin = 0, ring = 0; ring < 2; ++ring)
      for (const size_t end = out.size(); begin < end; ++begin) {
        const auto operands = made.module().at(out[begin]).operands;
        const auto mine = users.users(out[begin]);
        out.insert(out.end(), operands.begin(), operands.end());
        if (mine.size() < 20) out.insert(out.end(), mine.begin(), mine.end());
      }
    return out;
  };
  int done = 0;
  for (InstructionId id : shuffledInstructions(edited, random)) {
    const std::vector<InstructionId> around = neighbours(id);
    if (done == 200 || std::ranges::any_of(around, [&](InstructionId one) { return busy.contains(one); })) continue;
    Editor editor(edited, random, expected);
    if (!editor.tryAt(id)) continue;
    ++done;
    busy.insert(around.begin(), around.end());
    for (InstructionId one : editor.touched())
      if (one.value < made.module().instructionSlots())
        for (InstructionId near : neighbours(one)) busy.insert(near);
  }
  ASSERT_EQ(done, 200);
  const auto [other, before] = disguise(edited, random);
  EXPECT_EQ(textOf(found(made.module(), other, before)), textOf(expected));
}

// Before against after one pass that takes values away and changes no other.
TEST(DiffEdits, APassThatMergesEqualValues) {
  const Module before = test::moduleOf(R"(HloModule m

ENTRY e {
  x = f32[4] parameter(0)
  a = f32[4] sine(x)
  b = f32[4] sine(x)
  c = f32[4] exponential(a)
  d = f32[4] negate(b)
  ROOT r = f32[4] divide(c, d)
}
)");
  const auto chosen = choosePasses(std::vector<std::string>{"common-subexpressions", "remove-dead-code"});
  ASSERT_TRUE(chosen);
  const auto after = runPasses(before, *chosen, [](const PassStep&, const Module&) { return Status(); });
  ASSERT_TRUE(after);
  const DiffResult found = diff(before, *after);
  EXPECT_EQ(found.matched, 4u);
  ASSERT_EQ(found.removed.size(), 1u);
  EXPECT_EQ(before.at(found.removed[0]).opcode, Opcode::Sine);
  ASSERT_EQ(found.changed.size(), 1u);
  EXPECT_EQ(found.changed[0].changes.size(), 1u);
  EXPECT_EQ(found.changed[0].changes[0].what, "operand 0");
  EXPECT_TRUE(found.added.empty());
}

TEST(DiffEdits, APassThatFusesMovesInstructions) {
  const Module before = test::moduleOf(R"(HloModule m

ENTRY e {
  x = f32[64] parameter(0)
  y = f32[64] parameter(1)
  a = f32[64] sine(x)
  b = f32[64] multiply(a, y)
  ROOT r = f32[64] subtract(b, x)
}
)");
  const auto chosen = choosePasses(std::vector<std::string>{"fuse"});
  ASSERT_TRUE(chosen);
  const auto after = runPasses(before, *chosen, [](const PassStep&, const Module&) { return Status(); });
  ASSERT_TRUE(after);
  const DiffResult found = diff(before, *after);
  EXPECT_TRUE(found.removed.empty());
  EXPECT_EQ(found.matched, 2u) << "the parameters";
  size_t moved = 0;
  for (const ChangedInstruction& one : found.changed) {
    if (one.changes[0].what != "computation") continue;
    ++moved;
    EXPECT_EQ(before.at(one.left).opcode, after->at(one.right).opcode);
    EXPECT_EQ(found.right[one.right.value].partner, one.left);
  }
  EXPECT_EQ(moved, 3u);
  for (InstructionId id : found.added)
    EXPECT_TRUE(after->at(id).opcode == Opcode::Fusion || after->at(id).opcode == Opcode::Parameter);
}

// Equal instructions in a row, or side by side, of which two came: nothing but their places tells them apart.
std::string sameAgain(bool chain, size_t count, const std::set<size_t>& inserted) {
  std::string text = "HloModule m\n\nENTRY e {\n  x = f32[4] parameter(0)\n", last = "x", all;
  for (size_t i = 0; i < count; ++i) {
    if (inserted.contains(i)) {
      text += fmt::format("  e{} = f32[4] sine({})\n", i, last);
      all += fmt::format(", e{}", i);
      if (chain) last = fmt::format("e{}", i);
    }
    text += fmt::format("  n{} = f32[4] negate({})\n", i, last);
    all += fmt::format(", n{}", i);
    if (chain) last = fmt::format("n{}", i);
  }
  if (chain) return text + "  ROOT r = f32[4] abs(" + last + ")\n}\n";
  std::string shape = "f32[4]";
  for (size_t i = 1; i < count + inserted.size(); ++i) shape += ", f32[4]";
  return text + "  ROOT r = (" + shape + ") tuple(" + all.substr(2) + ")\n}\n";
}
TEST(DiffEdits, InsertionsAmongEqualInstructions) {
  for (const bool chain : {true, false}) {
    const Module a = test::moduleOf(sameAgain(chain, 2000, {})),
                 b = test::moduleOf(sameAgain(chain, 2000, {500, 1500}));
    const DiffResult found = diff(a, b);
    EXPECT_EQ(found.added.size(), 2u);
    EXPECT_TRUE(found.removed.empty());
    EXPECT_EQ(found.changed.size(), chain ? 2u : 1u) << "the users, or the tuple";
  }
}

// Work grows with the size, also where nothing stands for anything; a quadratic step would take minutes.
TEST(DiffEdits, TwentyThousandInstructions) {
  Random random(3);
  const RandomModule made(3, 20000);
  const auto [other, before] = disguise(made.module(), random);
  EXPECT_TRUE(diff(made.module(), other).same());
  EXPECT_FALSE(diff(made.module(), RandomModule(4, 20000).module()).same());
}

}  // namespace
}  // namespace tessera::diff_edits
