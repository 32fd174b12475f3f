// What an open input wants, for every operation of the reference's examples: each input of each is opened and asked.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "core/edit/palette/palette.h"
#include "core/edit/wiring/wiring.h"
#include "core/formats/hlo_text.h"
#include "core/formats/module_file.h"
#include "core/hlo/opcode.h"
#include "core/ops/inference/infer.h"
#include "tests/support/source_tree.h"

namespace tessera {
namespace {

Module inferred(const std::string& text) {
  ReadResult read = readHloText(text);
  EXPECT_TRUE(read.module) << text;
  inferModule(*read.module);
  return std::move(*read.module);
}

std::vector<std::string> wantedAt(const Module& module, const char* user, int32_t operand) {
  std::vector<std::string> out;
  for (const Shape& each : shapesWantedAt(module, *module.findInstruction(user), operand))
    out.push_back(toString(each, false));
  return out;
}
bool has(const std::vector<std::string>& all, const char* one) { return std::ranges::find(all, one) != all.end(); }

bool takesAnything(Opcode opcode) {
  constexpr Opcode kAll[] = {Opcode::Tuple,   Opcode::CustomCall, Opcode::AfterAll,        Opcode::AllReduce,
                             Opcode::Outfeed, Opcode::Send,       Opcode::SetDimensionSize};
  return std::ranges::find(kAll, opcode) != std::end(kAll);
}

TEST(Wanted, TheOtherSideOfAProduct) {
  const Module m = inferred(
      "ENTRY e { x = f32[2,3] parameter(0) ROOT d = ? dot(x, ?), lhs_contracting_dims={1}, rhs_contracting_dims={0} }");
  const auto wanted = wantedAt(m, "d", 1);
  EXPECT_TRUE(has(wanted, "f32[3,4]") || has(wanted, "f32[3]") || has(wanted, "f32[3,3]")) << wanted.size();
  EXPECT_FALSE(has(wanted, "f32[2,3]"));
  EXPECT_FALSE(has(wanted, "f32[]"));
}

TEST(Wanted, IndicesOfASliceAreScalars) {
  const Module m = inferred(
      "ENTRY e { x = f32[5,6] parameter(0) i = s32[] parameter(1) ROOT d = ? dynamic-slice(x, ?, i), "
      "dynamic_slice_sizes={2,2} }");
  const auto wanted = wantedAt(m, "d", 1);
  EXPECT_EQ(wanted, std::vector<std::string>{"s32[]"});
}

TEST(Wanted, AConditionOfSelect) {
  const Module m = inferred("ENTRY e { x = f32[5,6] parameter(0) ROOT d = ? select(?, x, x) }");
  const auto wanted = wantedAt(m, "d", 0);
  EXPECT_TRUE(has(wanted, "pred[5,6]"));
  EXPECT_FALSE(has(wanted, "f32[5,6]"));
}

TEST(Wanted, WhatNothingIsSaidOfWantsNothing) {
  const Module m = inferred("ENTRY e { ROOT d = ? dot(?, ?) }");
  EXPECT_TRUE(wantedAt(m, "d", 0).empty());
  EXPECT_TRUE(shapesWantedAt(m, InstructionId(77), 0).empty());
  EXPECT_TRUE(shapesWantedAt(m, *m.findInstruction("d"), 9).empty());
}

TEST(Wanted, EveryOperationTakesWhatItWants) {
  std::map<std::string, std::pair<int, int>> asked;  // inputs, and those of which something is known
  for (const auto& file : std::filesystem::directory_iterator(test::inSourceTree("resources/examples/reference"))) {
    if (file.path().extension() != ".hlo") continue;
    ReadResult read = readModule(file.path().string());
    ASSERT_TRUE(read.module) << file.path();
    inferModule(*read.module);
    const Module& module = *read.module;
    for (InstructionId id : module.entryComputation().instructions)
      for (size_t k = 0; k < module.at(id).operands.size() && module.at(id).operands.size() > 1; ++k) {
        const auto open = apply(module, {"open", {SetOperand{id, static_cast<int32_t>(k), {}}}});
        ASSERT_TRUE(open);
        auto& [inputs, known] = asked[std::string(nameOf(module.at(id).opcode))];
        const auto wanted = shapesWantedAt(open->module, id, static_cast<int32_t>(k));
        ++inputs, known += !wanted.empty();
        for (const Shape& shape : wanted) {
          Shape full = shape;
          fillDefaultLayouts(full);
          const Edit wire{"wire",
                          {AddInstruction{open->module.at(id).computation, Opcode::Parameter, "", {}, {}, full, ""},
                           SetOperand{id, static_cast<int32_t>(k), newInstruction(0)}}};
          EXPECT_TRUE(tried(open->module, wire, id))
              << file.path() << " " << module.at(id).name << " " << k << " " << toString(shape, false);
        }
        EXPECT_TRUE(!wanted.empty() || takesAnything(module.at(id).opcode) ||
                    file.path().stem() == "scatter_window_dims")  // its updates have five dimensions
            << file.path() << " " << module.at(id).name << " input " << k << " of " << nameOf(module.at(id).opcode)
            << ", which reads " << toString(module.shapeOf(module.at(id).operands[k]), false);
      }
  }
  EXPECT_GT(asked.size(), 15u);
  for (const auto& [opcode, counts] : asked)
    RecordProperty(opcode, std::to_string(counts.second) + " of " + std::to_string(counts.first));
}

}  // namespace
}  // namespace tessera
