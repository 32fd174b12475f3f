// Schedules, copies and buffers: carries share memory, swaps get copies, lives never overlap.
#include <gtest/gtest.h>

#include <map>

#include "core/passes/buffers/buffer_assignment.h"
#include "core/passes/buffers/copy_insertion.h"
#include "core/passes/buffers/schedule.h"
#include "tests/unit/cpu/apart_slots.h"
#include "tests/unit/passes/builder.h"

namespace tessera::test {
namespace {

Module prepared(const Module& source) {
  Module m = derive(source);
  EXPECT_TRUE(scheduleModule(m).has_value());
  auto copies = insertCopies(m);
  EXPECT_TRUE(copies.has_value()) << (copies ? "" : copies.error().message);
  return m;
}

// Straight-line code only: no step may write over bytes that a later step still reads, in the arena or in a result.
void expectNoClobber(const Module& m, const BufferAssignment& b) {
  std::map<std::pair<int32_t, int64_t>, InstructionId>
      writer;  // space (-1: the arena, else a result) and byte -> who wrote it last
  auto each = [&](InstructionId id, auto&& visit) {
    const Slot& slot = b.slots[static_cast<size_t>(b.slotOf(id))];
    if (slot.kind != SlotKind::Temp && slot.kind != SlotKind::Output) return;
    const int32_t space = slot.kind == SlotKind::Output ? slot.index : slot.lender;
    for (int64_t byte = slot.offset; byte < slot.offset + slot.bytes; byte += 4) visit(writer[{space, byte}]);
  };
  for (InstructionId id : m.entryComputation().instructions) {
    const Instruction& in = m.at(id);
    if (in.opcode == Opcode::Parameter || in.opcode == Opcode::Tuple) continue;
    for (InstructionId operand : in.operands) each(operand, [&](InstructionId last) { EXPECT_EQ(last, operand); });
    each(id, [&](InstructionId& last) { last = id; });
  }
  const Instruction& root = m.at(m.entryComputation().root);
  if (root.opcode == Opcode::Tuple)
    for (InstructionId result : root.operands) each(result, [&](InstructionId last) { EXPECT_EQ(last, result); });
}

TEST(PassesBuffers, ChainReusesMemory) {
  Module m;
  Graph g(m, "main");
  InstructionId x = g.parameter(f32({1000}));
  for (int i = 0; i < 50; ++i) x = g.op(Opcode::Negate, f32({1000}), {x});
  g.entry(x);
  Module d = prepared(m);
  BufferAssignment b = assignBuffers(d).value();
  EXPECT_EQ(b.arenaBytes, 0) << "each step writes over the one before, all in the result's memory";
  EXPECT_EQ(b.slots[static_cast<size_t>(b.slotOf(x))].kind, SlotKind::Output);
  expectNoClobber(d, b);
}

TEST(PassesBuffers, RandomGraphsNeverClobber) {
  uint64_t state = 42;
  auto next = [&](uint64_t n) {
    return (state = state * 6364136223846793005ull + 1442695040888963407ull), (state >> 33) % n;
  };
  for (int round = 0; round < 20; ++round) {
    Module m;
    Graph g(m, "main");
    std::vector<InstructionId> values{g.parameter(f32({64}))};
    for (int i = 0; i < 200; ++i) {
      InstructionId a = values[next(values.size())],
                    c = values[values.size() - 1 - next(std::min<size_t>(values.size(), 5))];
      values.push_back(
          g.op(Opcode::Add, f32({static_cast<int64_t>(next(2) ? 1 + next(12) : 16 + 16 * next(20))}), {a, c}));
    }
    g.entry(g.tuple({values.back(), values[100]}));
    Module d = prepared(m);
    auto b = assignBuffers(d);
    ASSERT_TRUE(b.has_value());
    expectNoClobber(d, *b);
    EXPECT_EQ(brokenPromise(*b), "");
    EXPECT_EQ(brokenPromise(d, d.entry(), *b), "");
  }
}

// x -> wide (dies at narrow) -> narrow -> result: the result is as wide, and computed after wide's death.
TEST(PassesBuffers, ResultsLendTheirMemory) {
  Module m;
  Graph g(m, "main");
  const InstructionId x = g.parameter(f32({1000}));
  const InstructionId wide = g.op(Opcode::Negate, f32({1000}), {x});
  const InstructionId narrow = g.op(Opcode::Abs, f32({20}), {wide});
  g.entry(g.op(Opcode::Negate, f32({1000}), {narrow}));
  Module d = prepared(m);
  BufferAssignment lent = assignBuffers(d).value(), own = assignBuffers(d, false).value();
  EXPECT_EQ(lent.slots[static_cast<size_t>(lent.slotOf(wide))].lender, 0);
  EXPECT_EQ(lent.slots[static_cast<size_t>(lent.slotOf(narrow))].lender, -1) << "it lives when the result is computed";
  EXPECT_EQ(lent.arenaBytes, 80);
  EXPECT_GE(own.arenaBytes, 4080);
  expectNoClobber(d, lent);
  expectNoClobber(d, own);
}

// One memory for values of which one dies before the other is born; apart are those that meet.
TEST(PassesBuffers, WhatLivesTogetherLiesApart) {
  Module m;
  Graph g(m, "main");
  const InstructionId x = g.parameter(f32({100})), y = g.parameter(f32({100}));
  const InstructionId wide =
      g.reduce(f32({10}), g.dims(Opcode::Broadcast, f32({10, 100}), x, {1}), g.constant(0.0f), {1}, adder(m));
  const InstructionId early = g.dims(Opcode::Broadcast, f32({10, 7}), wide, {0});
  const InstructionId narrow = g.reduce(f32({7}), early, g.constant(0.0f), {0}, adder(m));
  const InstructionId late = g.dims(Opcode::Broadcast, f32({7, 10}), narrow, {0});
  g.entry(g.reduce(f32({10}), late, g.constant(0.0f), {0}, adder(m)));
  Module d = prepared(m);
  const BufferAssignment b = assignBuffers(d).value();
  EXPECT_TRUE(b.areDisjoint(b.slotOf(wide), b.slotOf(early)));
  EXPECT_TRUE(b.areDisjoint(b.slotOf(x), b.slotOf(y)) && b.areDisjoint(b.slotOf(x), b.slotOf(late)));
  EXPECT_FALSE(b.areDisjoint(b.slotOf(early), b.slotOf(late))) << "the later one may take the memory of the earlier";
  EXPECT_TRUE(shareBytes(b.slots[static_cast<size_t>(b.slotOf(early))], b.slots[static_cast<size_t>(b.slotOf(late))]));
  EXPECT_EQ(brokenPromise(b), "");
}

// Scratch is where a value is dead, beside it while it lives; what has no memory takes none.
TEST(PassesBuffers, ScratchLiesAmongTemporaries) {
  Module m;
  Graph g(m, "main");
  const InstructionId x = g.parameter(f32({1000}));
  const InstructionId wide = g.op(Opcode::Negate, f32({1000}), {x});
  const InstructionId narrow = g.op(Opcode::Abs, f32({20}), {wide});
  const InstructionId result = g.op(Opcode::Negate, f32({1000}), {narrow});
  g.entry(result);
  Module d = prepared(m);
  const BufferAssignment plain = assignBuffers(d, false).value();
  std::vector<bool> hasMemory(plain.slots.size(), true);
  const auto wideSlot = static_cast<size_t>(plain.slotOf(wide));
  BufferAssignment later = plain, meanwhile = plain, without = plain;
  const ScratchNeed atResult{result, 4000}, atNarrow{narrow, 4000};
  ASSERT_TRUE(later.addScratch({&atResult, 1}, hasMemory));
  ASSERT_EQ(later.slots.size(), plain.slots.size() + 1);
  EXPECT_EQ(later.arenaBytes, plain.arenaBytes);
  EXPECT_EQ(later.slots.back().offset, later.slots[wideSlot].offset);
  ASSERT_TRUE(meanwhile.addScratch({&atNarrow, 1}, hasMemory));
  EXPECT_GE(meanwhile.arenaBytes, plain.arenaBytes + 4000);
  hasMemory[wideSlot] = false;
  ASSERT_TRUE(without.addScratch({}, hasMemory));
  EXPECT_EQ(without.arenaBytes, 80);
}

TEST(PassesBuffers, WhatIsReadElsewhereIsNotOverwritten) {
  Module m;
  Graph g(m, "main");
  const InstructionId x = g.parameter(f32({100}));
  const InstructionId a = g.op(Opcode::Negate, f32({100}), {x});
  const InstructionId twice = g.op(Opcode::Add, f32({100}), {a, a});
  const InstructionId later = g.op(Opcode::Multiply, f32({100}), {twice, a});
  const InstructionId narrow = g.op(Opcode::Convert, Shape::arrayRowMajor(ElementType::F16, {100}), {later});
  g.entry(g.op(Opcode::Convert, f32({100}), {narrow}));
  Module d = prepared(m);
  BufferAssignment b = assignBuffers(d).value();
  EXPECT_NE(b.slotOf(twice), b.slotOf(a)) << "a is read once more";
  EXPECT_EQ(b.slotOf(later), b.slotOf(twice));
  EXPECT_NE(b.slotOf(narrow), b.slotOf(later)) << "elements of another width lie elsewhere";
  expectNoClobber(d, b);
}

// (in-bounds + shift, in-bounds · other): both of `shape`; the second operand is summed as well when `sums`.
InstructionId twoResults(Graph& g, InstructionId a, InstructionId other, bool sums) {
  Graph body(g.module, "fused");
  const InstructionId p = body.parameter(f32({8, 8})), q = body.parameter(f32({8, 8}));
  InstructionId second = body.op(Opcode::Multiply, f32({8, 8}), {p, q});
  if (sums) {
    const InstructionId sum = body.reduce(f32({8}), p, body.constant(0.0f), {1}, adder(g.module));
    second = body.op(Opcode::Multiply, f32({8, 8}), {body.dims(Opcode::Broadcast, f32({8, 8}), sum, {0}), q});
  }
  body.root(body.tuple({body.op(Opcode::Negate, f32({8, 8}), {p}), second}));
  AttributeSet attributes;
  attributes.set(Attr::kind, std::string("kLoop"));
  attributes.set(Attr::calls, body.computation);
  return g.op(Opcode::Fusion, Shape::tuple({f32({8, 8}), f32({8, 8})}), {a, other}, attributes);
}

TEST(PassesBuffers, FusionsOfSeveralResultsOverwriteWhatTheyReadInPlace) {
  for (const bool sums : {false, true}) {
    Module m;
    Graph g(m, "main");
    const InstructionId x = g.parameter(f32({8, 8}));
    const InstructionId a = g.op(Opcode::Negate, f32({8, 8}), {x}), other = g.op(Opcode::Abs, f32({8, 8}), {x});
    const InstructionId both = twoResults(g, a, other, sums);
    g.entry(g.tuple({g.element(both, 0), g.element(both, 1)}));
    Module d = prepared(m);
    BufferAssignment b = assignBuffers(d).value();
    if (sums)
      EXPECT_TRUE(b.slotOf(a) != b.slotOf(both, 0) && b.slotOf(a) != b.slotOf(both, 1)) << "rows of it are summed";
    else
      EXPECT_EQ(b.slotOf(a), b.slotOf(both, 0));
    EXPECT_EQ(b.slotOf(other), b.slotOf(both, sums ? 0 : 1));
    EXPECT_NE(b.slotOf(both, 0), b.slotOf(both, 1));
  }
}

// A tuple among the operands does not hide the array behind it.
TEST(PassesBuffers, FusionsOverwriteAnArrayBehindATuple) {
  Module m;
  Graph body(m, "body");
  const InstructionId pair = body.parameter(Shape::tuple({f32({64}), f32({64})})), a = body.parameter(f32({64}));
  const ComputationId sum = body.root(body.op(Opcode::Add, f32({64}), {body.element(pair, 0), a}));
  Graph g(m, "main");
  const InstructionId given = g.parameter(Shape::tuple({f32({64}), f32({64})})), x = g.parameter(f32({64}));
  const InstructionId dies = g.op(Opcode::Negate, f32({64}), {x});
  AttributeSet attributes;
  attributes.set(Attr::kind, std::string("kLoop"));
  attributes.set(Attr::calls, sum);
  const InstructionId root = g.op(Opcode::Fusion, f32({64}), {given, dies}, attributes);
  g.entry(root);
  const Module d = prepared(m);
  const BufferAssignment b = assignBuffers(d).value();
  EXPECT_EQ(b.slotOf(dies), b.slotOf(root));
  EXPECT_EQ(b.arenaBytes, 0);
}

TEST(PassesBuffers, ArgumentAndTwiceTheSameResultAreCopied) {
  Module m;
  Graph g(m, "main");
  InstructionId x = g.parameter(f32({8}));
  InstructionId y = g.op(Opcode::Negate, f32({8}), {x});
  g.entry(g.tuple({x, y, y}));
  Module d = prepared(m);
  EXPECT_EQ(count(d, d.entry(), Opcode::Copy), 2);
  BufferAssignment b = assignBuffers(d).value();
  for (uint32_t leaf = 0; leaf < 3; ++leaf) {
    const Slot& slot = b.slots[static_cast<size_t>(b.slotOf(d.entryComputation().root, leaf))];
    EXPECT_EQ(slot.kind, SlotKind::Output);
    EXPECT_EQ(slot.index, static_cast<int32_t>(leaf));
  }
}

struct Loop {
  Module module;
  InstructionId loop, body, root;
};
// state = (i, a, b, c): i + 1, `next`(a, b), and c untouched.
template <class Next>
Loop makeLoop(Next next) {
  Loop out;
  Module& m = out.module;
  Shape state = Shape::tuple({s32(), f32({16}), f32({16}), f32({16})});
  ComputationId condition = below(m, state, 5);
  Graph body(m, "body");
  out.body = body.parameter(state);
  InstructionId i = body.op(Opcode::Add, s32(), {body.element(out.body, 0), body.constant(1)});
  auto [a, b] = next(body, body.element(out.body, 1), body.element(out.body, 2));
  out.root = body.tuple({i, a, b, body.element(out.body, 3)});
  body.root(out.root);
  Graph g(m, "main");
  InstructionId x = g.parameter(f32({16})), w = g.parameter(f32({16}));
  InstructionId x2 = g.op(Opcode::Negate, f32({16}), {x});
  out.loop = g.loop(g.tuple({g.constant(0), x, x2, w}), condition, body.computation);
  g.entry(g.tuple({g.element(out.loop, 1), g.element(out.loop, 2)}));
  return out;
}

void expectCarriesShare(const Module& d, const Loop& loop, const BufferAssignment& b) {
  const Computation& body = d.at(d.at(loop.body).computation);
  for (uint32_t leaf = 0; leaf < 4; ++leaf) {
    EXPECT_EQ(b.slotOf(loop.loop, leaf), b.slotOf(loop.body, leaf));
    EXPECT_EQ(b.slotOf(body.root, leaf), b.slotOf(loop.body, leaf));
    EXPECT_EQ(b.slotOf(d.at(loop.loop).operands[0], leaf), b.slotOf(loop.body, leaf));
  }
  for (uint32_t leaf = 0; leaf < 3; ++leaf)
    for (uint32_t other = 0; other < leaf; ++other) EXPECT_NE(b.slotOf(loop.loop, leaf), b.slotOf(loop.loop, other));
}

TEST(PassesBuffers, ElementwiseCarriesNeedNoCopyInside) {
  Loop loop = makeLoop([](Graph& g, InstructionId a, InstructionId b) {
    return std::pair(g.op(Opcode::Negate, f32({16}), {a}), g.op(Opcode::Abs, f32({16}), {b}));
  });
  Module d = prepared(loop.module);
  BufferAssignment b = assignBuffers(d).value();
  EXPECT_EQ(count(d, d.at(loop.body).computation, Opcode::Copy), 0);
  EXPECT_EQ(count(d, d.entry(), Opcode::Copy), 2)
      << "the counter's constant and the argument; the invariant one is read where it is";
  EXPECT_EQ(b.slots[static_cast<size_t>(b.slotOf(loop.loop, 3))].kind, SlotKind::Parameter);
  expectCarriesShare(d, loop, b);
}

TEST(PassesBuffers, SwappedCarriesGetCopies) {
  Loop loop = makeLoop([](Graph&, InstructionId a, InstructionId b) { return std::pair(b, a); });
  Module d = prepared(loop.module);
  BufferAssignment b = assignBuffers(d).value();
  EXPECT_EQ(count(d, d.at(loop.body).computation, Opcode::Copy), 3);
  expectCarriesShare(d, loop, b);
}

TEST(PassesBuffers, CrossedCarriesKeepTheOldValueWhileItIsRead) {
  Loop loop = makeLoop([](Graph& g, InstructionId a, InstructionId b) {
    return std::pair(g.op(Opcode::Add, f32({16}), {a, b}), g.op(Opcode::Subtract, f32({16}), {a, b}));
  });
  Module d = prepared(loop.module);
  BufferAssignment b = assignBuffers(d).value();
  expectCarriesShare(d, loop, b);
  EXPECT_GE(count(d, d.at(loop.body).computation, Opcode::Copy), 1);
  // The step that is executed first may not write into what the other one reads.
  const Computation& body = d.at(d.at(loop.body).computation);
  std::vector<InstructionId> steps;
  for (InstructionId id : body.instructions)
    if (d.at(id).opcode == Opcode::Add || d.at(id).opcode == Opcode::Subtract)
      if (d.shapeOf(id).rank() == 1) steps.push_back(id);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_NE(b.slotOf(steps[0]), b.slotOf(loop.body, 1));
  EXPECT_NE(b.slotOf(steps[0]), b.slotOf(loop.body, 2));
}

// a -> first -> second -> third -> the next a: only the second lives wholly between the two states.
TEST(PassesBuffers, WhatLivesBetweenTwoStatesLiesWhereTheyDo) {
  std::vector<InstructionId> steps;
  Loop loop = makeLoop([&](Graph& g, InstructionId a, InstructionId b) {
    for (int i = 0; i < 4; ++i) steps.push_back(a = g.op(Opcode::Reverse, f32({16}), {a}));
    return std::pair(a, g.op(Opcode::Negate, f32({16}), {b}));
  });
  Module d = prepared(loop.module);
  BufferAssignment b = assignBuffers(d).value();
  expectCarriesShare(d, loop, b);
  const int32_t state = b.slotOf(loop.body, 1);
  EXPECT_EQ(b.slotOf(steps[1]), state);
  EXPECT_EQ(b.slotOf(steps[3]), state);
  EXPECT_NE(b.slotOf(steps[0]), state) << "it is written while the old state is read";
  EXPECT_NE(b.slotOf(steps[2]), state) << "it is read while the next state is written";
}

TEST(PassesBuffers, UpdateInPlaceWhenTheOldValueDies) {
  for (bool readLater : {false, true}) {
    Module m;
    Graph g(m, "main");
    InstructionId x = g.parameter(f32({100})), u = g.parameter(f32({10})), at = g.parameter(s32());
    InstructionId y = g.op(Opcode::Negate, f32({100}), {x});
    InstructionId z = g.op(Opcode::DynamicUpdateSlice, f32({100}), {y, u, at});
    InstructionId after = readLater ? g.op(Opcode::Add, f32({100}), {z, y}) : g.op(Opcode::Abs, f32({100}), {z});
    g.entry(after);
    Module d = prepared(m);
    BufferAssignment b = assignBuffers(d).value();
    EXPECT_EQ(count(d, d.entry(), Opcode::Copy), readLater ? 1 : 0);
    EXPECT_EQ(b.slotOf(z), b.slotOf(d.at(z).operands[0]));
    EXPECT_EQ(b.slotOf(z) == b.slotOf(y), !readLater);
  }
}

TEST(PassesBuffers, BranchesWriteIntoTheResult) {
  Module m;
  auto branch = [&](const char* name, bool passOn) {
    Graph g(m, name);
    InstructionId p = g.parameter(f32({16}));
    return g.root(passOn ? p : g.op(Opcode::Negate, f32({16}), {p}));
  };
  ComputationId yes = branch("yes", true), no = branch("no", false);
  Graph g(m, "main");
  InstructionId which = g.parameter(pred()), x = g.parameter(f32({16}));
  AttributeSet attributes;
  attributes.set(Attr::true_computation, yes);
  attributes.set(Attr::false_computation, no);
  InstructionId c = g.op(Opcode::Conditional, f32({16}), {which, x, x}, attributes);
  g.entry(c);
  Module d = prepared(m);
  BufferAssignment b = assignBuffers(d).value();
  EXPECT_EQ(b.slotOf(d.at(yes).root), b.slotOf(c));
  EXPECT_EQ(b.slotOf(d.at(no).root), b.slotOf(c));
  EXPECT_EQ(b.slotOf(d.at(no).parameters[0]), b.slotOf(x));
  EXPECT_EQ(count(d, yes, Opcode::Copy), 1);
  EXPECT_EQ(count(d, no, Opcode::Copy), 0);
}

TEST(PassesBuffers, SizesThatOverflowAreAnError) {
  Module m;
  Graph g(m, "main");
  InstructionId x = g.parameter(f32({int64_t{1} << 62}));
  g.entry(g.op(Opcode::Negate, f32({int64_t{1} << 62}), {x}));
  Module d = prepared(m);
  auto b = assignBuffers(d);
  ASSERT_FALSE(b.has_value());
  EXPECT_EQ(b.error().kind, ErrorKind::Runtime);
}

}  // namespace
}  // namespace tessera::test
