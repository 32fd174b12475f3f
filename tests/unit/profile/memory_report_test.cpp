// The memory of modules whose buffers can be counted by hand, and edits whose predictions are what a new report says.
#include "core/memory/memory_report.h"

#include <algorithm>
#include <ctime>
#include <map>

#include "core/memory/memory_edits.h"
#include "core/memory/xla_buffers.h"
#include "tests/unit/tools/test_modules.h"

namespace tessera::memory_tests {
namespace {

using test::moduleOf;

MemoryReport reportOf(const Module& module) {
  auto report = memoryReport(module);
  EXPECT_TRUE(report) << (report ? "" : report.error().toString());
  return report ? std::move(*report) : MemoryReport(Module());
}

// A product takes no memory of its operands: x 400, a, b, c 400 each, the result 400.
const char* kChain = R"(HloModule m

ENTRY e {
  x = f32[10,10] parameter(0)
  a = f32[10,10] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[10,10] dot(a, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  c = f32[10,10] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[10,10] dot(c, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)";

TEST(MemoryReport, BytesLiveOverTheSchedule) {
  const MemoryReport report = reportOf(moduleOf(kChain));
  ASSERT_EQ(report.moments.size(), 5u);
  EXPECT_EQ(report.live, (std::vector<int64_t>{400, 800, 1200, 1600, 1200}));
  EXPECT_EQ(report.peakMoment, 3u);
  EXPECT_EQ(report.module.at(report.moments[3]).name, "c");
  EXPECT_EQ(report.liveAt(3).size(), 4u);
}
TEST(MemoryReport, LivesEndAtTheLastUse) {
  const MemoryReport report = reportOf(moduleOf(kChain));
  for (const MemoryBuffer& buffer : report.buffers) {
    const auto name = report.module.at(buffer.instruction).name;
    if (name == "r") continue;
    const std::map<std::string_view, std::pair<size_t, size_t>> lives{
        {"x", {0, 4}}, {"a", {1, 3}}, {"b", {2, 3}}, {"c", {3, 4}}};
    EXPECT_EQ(std::pair(buffer.begin, buffer.end), lives.at(name)) << name;
  }
}
TEST(MemoryReport, WhatWritesOverItsOperandIsOneBuffer) {
  const MemoryReport report = reportOf(moduleOf(R"(HloModule m

ENTRY e {
  x = f32[100] parameter(0)
  a = f32[100] negate(x)
  b = f32[100] sine(a)
  ROOT r = f32[100] negate(b)
}
)"));
  EXPECT_EQ(report.peakBytes(), 800);
  EXPECT_EQ(report.buffers.size(), 2u);
}
TEST(MemoryReport, PaddingOfALayoutCounts) {
  const MemoryReport report = reportOf(
      moduleOf("HloModule m\n\nENTRY e {\n  x = f32[3,5]{1,0:T(8,128)} parameter(0)\n  ROOT r = f32[3,5]{1,0:T(8,128)} "
               "negate(x)\n}\n"));
  int64_t padding = 0;
  for (const MemoryBuffer& buffer : report.buffers)
    if (buffer.kind == MemoryKind::Parameter) padding = buffer.padding;
  EXPECT_EQ(padding, 8 * 128 * 4 - 3 * 5 * 4);
}
TEST(MemoryReport, BodiesOfLoopsStandBehindTheirLoop) {
  const MemoryReport report = reportOf(moduleOf(R"(HloModule m

less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT
}

body {
  s = (s32[], f32[100]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = f32[100] get-tuple-element(s), index=1
  one = s32[] constant(1)
  n = s32[] add(i, one)
  w = f32[100] sort(v), dimensions={0}, to_apply=less
  ROOT t = (s32[], f32[100]) tuple(n, w)
}

condition {
  s = (s32[], f32[100]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  most = s32[] constant(5)
  ROOT c = pred[] compare(i, most), direction=LT
}

ENTRY e {
  x = f32[100] parameter(0)
  zero = s32[] constant(0)
  s = (s32[], f32[100]) tuple(zero, x)
  w = (s32[], f32[100]) while(s), condition=condition, body=body
  ROOT r = f32[100] get-tuple-element(w), index=1
}
)"));
  size_t loop = 0, sort = 0;
  for (size_t i = 0; i < report.moments.size(); ++i) {
    const Opcode opcode = report.module.at(report.moments[i]).opcode;
    if (opcode == Opcode::While) loop = i;
    if (opcode == Opcode::Sort) sort = i;
  }
  EXPECT_LT(loop, sort);
  EXPECT_GE(report.live[sort], 3 * 400) << "the argument, the state and the sorted state";
}

// --- edits
TEST(MemoryEdits, ADonatedArgumentIsSharedOnceItIsRead) {
  const Module module = moduleOf(kChain);
  const auto donated = editedForMemory(module, "donate:0");
  ASSERT_TRUE(donated) << donated.error().toString();
  ASSERT_EQ(donated->config().inputOutputAlias.size(), 1u);
  const MemoryReport report = reportOf(*donated);
  EXPECT_EQ(report.donations.size(), 1u);
  EXPECT_EQ(report.live, (std::vector<int64_t>{400, 800, 1200, 1600, 800}));
}
TEST(MemoryEdits, AnArgumentThatIsReadAfterwardsGivesNothing) {
  const Module module = moduleOf(R"(HloModule m

ENTRY e {
  x = f32[10,10] parameter(0)
  a = f32[10,10] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[] constant(0)
  ROOT r = f32[10,10] dot(a, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)");
  const auto donated = editedForMemory(module, "donate:0");
  ASSERT_TRUE(donated);
  EXPECT_TRUE(reportOf(*donated).donations.empty());
  EXPECT_EQ(reportOf(*donated).peakBytes(), reportOf(module).peakBytes());
  const auto all = editedForMemory(module, "donate:all");
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->config().inputOutputAlias.empty());
}

// a is cheap, large, and needed again at the end.
const char* kKept = R"(HloModule m

ENTRY e {
  x = f32[] parameter(0)
  y = f32[20,20] parameter(1)
  a = f32[20,20] broadcast(x), dimensions={}
  p = f32[20,20] dot(a, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  q = f32[20,20] dot(p, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  s = f32[20,20] dot(q, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[20] dot(s, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={1}
  ROOT r = f32[20] dot(t, a), lhs_contracting_dims={0}, rhs_contracting_dims={0}
}
)";

TEST(MemoryEdits, AValueIsComputedAgainForItsLaterUsers) {
  const Module module = moduleOf(kKept);
  const MemoryReport now = reportOf(module);
  const auto edited = editedForMemory(module, "rematerialise:a");
  ASSERT_TRUE(edited) << edited.error().toString();
  const Module read = test::again(*edited);
  EXPECT_EQ(read.instructionCount(), module.instructionCount() + 1);
  EXPECT_LT(reportOf(read).peakBytes(), now.peakBytes());
}
TEST(MemoryEdits, EditsKeepTheValues) {
  const Module module = moduleOf(kKept);
  std::vector<Literal> arguments;
  uint64_t leaf = 0;
  for (const Shape& shape : entryArgumentShapes(module))
    arguments.push_back(fillParameter(shape, leaf++, FillRule()).value());
  const auto expected = evaluateModule(module, arguments);
  ASSERT_TRUE(expected);
  for (const char* words : {"schedule", "rematerialise:a", "rematerialise:a", "donate:all"}) {
    const auto edited = editedForMemory(module, words);
    ASSERT_TRUE(edited) << words;
    const auto found = evaluateModule(test::again(*edited), arguments);
    ASSERT_TRUE(found) << words;
    EXPECT_TRUE(found->at(0).identical(expected->at(0))) << words;
  }
}
TEST(MemoryEdits, SuggestionsArePredictedByMaking) {
  const Module module = moduleOf(kKept);
  const MemoryReport now = reportOf(module);
  const std::vector<MemoryEdit> edits = memoryEdits(module, now);
  ASSERT_FALSE(edits.empty());
  for (const MemoryEdit& edit : edits) {
    EXPECT_LT(edit.peakBytes, now.peakBytes()) << edit.words;
    EXPECT_EQ(reportOf(editedForMemory(module, edit.words).value()).peakBytes(), edit.peakBytes) << edit.words;
  }
  EXPECT_TRUE(std::ranges::any_of(edits, [](const MemoryEdit& edit) { return edit.words == "rematerialise:a"; }));
}
TEST(MemoryEdits, WordsThatAreNoEdit) {
  const Module module = moduleOf(kChain);
  for (const char* words : {"", "donate", "donate:", "donate:1", "donate:-1", "donate:x", "rematerialise:nobody",
                            "rematerialise:a", "rematerialise:x", "faster"})
    EXPECT_FALSE(editedForMemory(module, words)) << words;
}

// --- XLA's text
const char* kAssignment = R"(BufferAssignment:
allocation 0: size 400, output shape is |f32[10,10]|, maybe-live-out:
 value: <7 r @0> (size=400,offset=0): f32[10,10]{1,0}
allocation 1: size 400, parameter 0, shape |f32[10,10]| at ShapeIndex {}:
 value: <0 x @0> (size=400,offset=0): f32[10,10]{1,0}
allocation 2: size 1200, preallocated-temp:
 value: <1 a @0> (size=400,offset=0): f32[10,10]{1,0}
 value: <2 b @0> (size=400,offset=400): f32[10,10]{1,0}
 value: <3 c @0> (size=400,offset=800): f32[10,10]{1,0}

Total bytes used: 2000 (2.0KiB)
)";

TEST(XlaBuffers, AllocationsAndLives) {
  const auto read = readXlaBuffers(kAssignment, "a.txt");
  ASSERT_TRUE(read) << read.error().toString();
  ASSERT_EQ(read->size(), 3u);
  EXPECT_EQ((*read)[1].facts[0], "parameter 0");
  EXPECT_EQ((*read)[2].values[1].offset, 400);
  const auto report = memoryReport(moduleOf(kChain), *read);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->live, (std::vector<int64_t>{400, 800, 1200, 1600, 1200}));
  EXPECT_EQ(report->allocatedBytes(), 2000);
  EXPECT_EQ(report->fragmentationBytes(), 0);
  EXPECT_EQ(report->unplaced, 0);
}
TEST(XlaBuffers, ValuesOfLoopsAndLeavesAreNamedWithoutTheirMarks) {
  const auto read = readXlaBuffers(
      "BufferAssignment:\nallocation 5: size 16, output shape is |(f32[2], f32[2])|, maybe-live-out:\n"
      " value: <46 while.6{1,0} (phi) @0> (size=8,offset=8): f32[2]{0}\n value: <47 tuple.6{} @0> "
      "(size=16,offset=0): (f32[2]{0}, f32[2]{0})\n",
      "a.txt");
  ASSERT_TRUE(read) << read.error().toString();
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ((*read)[0].facts, (std::vector<std::string>{"output shape is |(f32[2], f32[2])|", "maybe-live-out"}));
  EXPECT_EQ((*read)[0].values[0].instruction, "while.6");
  EXPECT_EQ((*read)[0].values[0].index, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ((*read)[0].values[1].instruction, "tuple.6");
}
TEST(XlaBuffers, BytesThatSeveralLieInCountOnce) {
  std::string text = kAssignment;
  text.replace(text.find("(size=400,offset=800)"), 21, "(size=400,offset=200)");
  const auto report = memoryReport(moduleOf(kChain), *readXlaBuffers(text, "a.txt"));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->live, (std::vector<int64_t>{400, 800, 1200, 1200, 1200})) << "c lies between a and b";
  EXPECT_EQ(report->fragmentationBytes(), 400);
}
TEST(XlaBuffers, BadTextsAreRefusedWithTheirLine) {
  const std::string good = kAssignment;
  EXPECT_EQ(readXlaBuffers("", "a").error().found, "the end");
  EXPECT_EQ(readXlaBuffers("HloModule m\n", "a").error().position.line, 1u);
  const std::string half = good.substr(0, good.find("x @0> (size") + 8);
  EXPECT_EQ(readXlaBuffers(half, "a").error().position.line, 5u) << "half a file";
  std::string outside = good;
  outside.replace(outside.find("offset=800"), 10, "offset=900");
  EXPECT_EQ(readXlaBuffers(outside, "a").error().position.line, 9u);
  std::string huge = good;
  huge.replace(huge.find("size 1200"), 9, "size 99999999999999999999");
  EXPECT_EQ(readXlaBuffers(huge, "a").error().position.line, 6u);
  huge = good;
  huge.replace(huge.find("size 1200"), 9, "size 9223372036854775000");
  EXPECT_EQ(readXlaBuffers(huge, "a").error().position.line, 6u) << "no sum of sizes overflows";
}
TEST(XlaBuffers, DamagedTextsAreReadOrRefused) {
  const Module module = moduleOf(kChain);
  uint64_t state = 1;
  const auto next = [&](size_t bound) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (state >> 33) % bound;
  };
  for (int round = 0; round < 3000; ++round) {
    std::string text = kAssignment;
    for (int edits = 0; edits < 3; ++edits) {
      const size_t at = next(text.size());
      if (next(2))
        text[at] = "0129 ,:<>{}@=\n"[next(14)];
      else
        text.erase(at, 1 + next(40));
    }
    const auto read = readXlaBuffers(text, "a.txt");
    if (!read) continue;
    const auto report = memoryReport(module, *read);
    ASSERT_TRUE(report) << text;
    for (int64_t live : report->live) EXPECT_LE(live, report->allocatedBytes()) << text;
  }
}
TEST(XlaBuffers, ValuesOfAnotherModuleAreCounted) {
  const auto read = readXlaBuffers(kAssignment, "a.txt");
  const auto report = memoryReport(moduleOf(kKept), *read);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->unplaced, 2) << "b and c";
}

// A training step has hundreds of results and as many arguments that could lend them memory.
TEST(MemoryEdits, ManyResultsAreLinear) {
  const auto donateAll = [](int size) {
    std::string text = "HloModule m\n\nENTRY e {\n", operands;
    for (int i = 0; i < size; ++i) {
      const std::string n = std::to_string(i);
      text += "  p" + n + " = f32[4] parameter(" + n + ")\n  r" + n + " = f32[4] sine(p" + n + ")\n";
      operands += (i ? ", r" : "r") + n;
    }
    std::string types = "f32[4]";
    for (int i = 1; i < size; ++i) types += ", f32[4]";
    const Module module = moduleOf((text + "  ROOT t = (" + types + ") tuple(" + operands + ")\n}\n").c_str());
    const std::clock_t begin = std::clock();
    const auto edited = editedForMemory(module, "donate:all");
    EXPECT_TRUE(edited && edited->config().inputOutputAlias.size() == static_cast<size_t>(size));
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  donateAll(64);
  EXPECT_LT(donateAll(2000), 3);  // minutes, were every result sought in the tuple for every argument
}

}  // namespace
}  // namespace tessera::memory_tests
