// The palette: what a line finds, and that placing alone builds softmax and runs to its values.
#include <gtest/gtest.h>

#include <cmath>

#include "core/edit/palette/palette.h"
#include "core/edit/palette/palette_forms.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

std::string first(const std::string& line) {
  const auto found = searchPalette(line);
  return found.empty() ? "" : found.front().title;
}

TEST(EditPalette, FindsByNameSynonymAndLetters) {
  EXPECT_EQ(first("add"), "add");
  EXPECT_EQ(first("matmul"), "dot");
  EXPECT_EQ(first("relu"), "relu");
  EXPECT_EQ(first("exp"), "exponential");
  EXPECT_EQ(first("reduce max"), "reduce max");
  EXPECT_EQ(first("sigmoid"), "logistic");
  EXPECT_EQ(first("mean"), "reduce mean");  // a word of the name goes before one of the description, as in mse
  EXPECT_EQ(first("pool"), "max pool");
  EXPECT_EQ(first("trnsps"), "transpose");
  EXPECT_EQ(first("no such thing"), "");
  EXPECT_EQ(searchPalette("", 1000).size(), allOps().size() + 9 + paletteForms().size());
}

TEST(EditPalette, ALineMayBeAValueAShapeOrSayAttributes) {
  EXPECT_EQ(searchPalette("3.5").front().opcode, Opcode::Constant);
  EXPECT_EQ(searchPalette("f32[4,8]").front().opcode, Opcode::Parameter);
  const PaletteEntry iota = searchPalette("iota s32[10]").front();
  EXPECT_EQ(iota.opcode, Opcode::Iota);
  EXPECT_EQ(toString(iota.shape.value(), false), "s32[10]");
  const PaletteEntry turned = searchPalette("transpose dimensions={0, 1}").front();
  ASSERT_EQ(turned.attributes.size(), 1u);
  EXPECT_EQ(turned.attributes[0].text, "{0, 1}");
}

struct Hand {
  History history{emptyModule()};
  InstructionId place(const std::string& line, std::vector<InstructionId> sources = {}) {
    const auto found = searchPalette(line);
    auto done = history.perform(placing(history.current(), history.current().entry(), found.at(0), sources));
    EXPECT_TRUE(done) << done.error().toString();
    EXPECT_TRUE(!done || done->diagnostics.empty()) << done->diagnostics.items()[0].toString();
    return done ? done->added.back() : InstructionId();
  }
  std::string shape(InstructionId id) const { return toString(history.current().shapeOf(id), false); }
};

TEST(EditPalette, WhatIsAddedIsInTheScopeOfWhatItReads) {
  const ReadResult read = readHloText(R"(HloModule m

ENTRY e {
  x = f32[4] parameter(0), metadata={op_name="x"}
  a = f32[4] exponential(x), metadata={op_name="jit(f)/layer/exp"}
  b = f32[4] negate(a), metadata={op_name="jit(f)/loss/neg"}
  ROOT s = f32[4] sine(b), metadata={op_name="jit(f)/loss/sin"}
}
)");
  ASSERT_TRUE(read.module);
  const auto scopeOf = [&](const std::string& line, std::vector<std::string> sources) {
    History history{*read.module};
    std::vector<InstructionId> ids;
    for (const std::string& each : sources) ids.push_back(history.current().findInstruction(each).value());
    auto done = history.perform(placing(history.current(), history.current().entry(), searchPalette(line).at(0), ids));
    EXPECT_TRUE(done);
    const Metadata* metadata = history.current().at(done->added.back()).metadata;
    return metadata ? metadata->opName : "";
  };
  EXPECT_EQ(scopeOf("tanh", {"a"}), "jit(f)/layer/tanh");
  EXPECT_EQ(scopeOf("add", {"a", "b"}), "jit(f)/add");
  EXPECT_EQ(scopeOf("multiply", {"x", "s"}), "jit(f)/loss/multiply");
  EXPECT_EQ(scopeOf("tanh", {"x"}), "");
}

TEST(EditPalette, SoftmaxIsSixLines) {
  Hand hand;
  const auto x = hand.place("f32[2,3]");
  const auto most = hand.place("reduce max", {x});
  const auto less = hand.place("subtract", {x, most});
  const auto power = hand.place("exp", {less});
  const auto sum = hand.place("reduce sum", {power});
  const auto y = hand.place("divide", {power, sum});
  const Module& module = hand.history.current();
  EXPECT_EQ(module.entryComputation().root, y);
  EXPECT_EQ(hand.shape(y), "f32[2,3]");
  const ReadResult read = readHloText(printHloText(module));
  ASSERT_TRUE(read.module);
  EXPECT_TRUE(read.diagnostics.empty());
  const auto input = parseLiteral("{{1, 2, 3}, {0, 0, 0}}", module.shapeOf(x));
  ASSERT_TRUE(input);
  const auto value = evaluateModule(module, {{*input}});
  ASSERT_TRUE(value) << value.error().toString();
  const double total = std::exp(-2.0) + std::exp(-1.0) + 1;
  const double expected[] = {std::exp(-2.0) / total, std::exp(-1.0) / total, 1 / total, 1.0 / 3, 1.0 / 3, 1.0 / 3};
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(value->front().data<float>()[i], expected[i], 1e-6);
}

TEST(EditPalette, ALineMaySayTheSecondInput) {
  Hand hand;
  const auto x = hand.place("f32[4,8]");
  const auto product = hand.place("matmul f32[8,16]", {x});
  EXPECT_EQ(hand.shape(product), "f32[4,16]");
  const auto biased = hand.place("add f32[16]", {product});
  EXPECT_EQ(hand.shape(biased), "f32[4,16]");
  EXPECT_EQ(hand.shape(hand.place("multiply 2", {biased})), "f32[4,16]");
  EXPECT_EQ(hand.history.current().entryComputation().parameters.size(), 3u);
}

TEST(EditPalette, AConvolutionKeepsThePicturesSize) {
  Hand hand;
  const auto x = hand.place("f32[1,8,8,3]");
  EXPECT_EQ(hand.shape(hand.place("conv f32[3,3,3,4]", {x})), "f32[1,8,8,4]");
}

TEST(EditPalette, ACountingLoopCarriesWhatIsSelectedAndRuns) {
  Hand hand;
  const auto x = hand.place("f32[3]");
  const auto y = hand.place("counting loop", {x});
  EXPECT_EQ(hand.shape(y), "f32[3]");
  hand.place("counting loop", {x});  // a second one has bodies of its own or shares them
  const auto input = parseLiteral("{1, 2, 3}", hand.history.current().shapeOf(x));
  const auto value = evaluateModule(hand.history.current(), {{*input}});
  ASSERT_TRUE(value) << value.error().toString();
  EXPECT_EQ(value->front().data<float>()[2], 3.f);
}

TEST(EditPalette, WhatTakesAShapeIsFoundWithWhatItGives) {
  const auto found = searchPaletteFor("reduce max", Shape::arrayRowMajor(ElementType::F32, {2, 3}));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(toString(found[0].gives.value(), false), "f32[2]");
  for (const auto& each : searchPaletteFor("", Shape::arrayRowMajor(ElementType::F32, {2, 3}), 1000)) {
    EXPECT_NE(each.entry.title, "and");
    EXPECT_NE(each.entry.title, "iota");
  }
  EXPECT_FALSE(searchPaletteFor("and", Shape::arrayRowMajor(ElementType::Pred, {2})).empty());
}

TEST(EditPalette, SeveralPlacementsAreNotGuessed) {
  History history{emptyModule()};
  std::vector<InstructionId> made;
  for (const char* line : {"f32[3,3]", "f32[3]"})
    made.push_back(history.perform(placing(history.current(), history.current().entry(), searchPalette(line)[0], {}))
                       ->added.back());
  const auto done =
      history.perform(placing(history.current(), history.current().entry(), searchPalette("add")[0], made));
  ASSERT_TRUE(done);
  EXPECT_EQ(done->added.size(), 1u);
  EXPECT_FALSE(done->diagnostics.empty());
}

TEST(EditPalette, IntegersStartReductionsAtTheirOwnEnds) {
  Hand hand;
  const auto x = hand.place("s8[4]");
  const auto most = hand.place("reduce max", {x});
  EXPECT_NE(printHloText(hand.history.current()).find("constant(-128)"), std::string::npos);
  EXPECT_EQ(hand.shape(most), "s8[]");
}

TEST(EditPalette, OneValueFillsAnArray) {
  Hand hand;
  const auto filled = hand.place("3.5 f32[2,3]");
  EXPECT_EQ(hand.shape(filled), "f32[2,3]");
  EXPECT_EQ(hand.history.current().at(filled).opcode, Opcode::Broadcast);
}

// Where a person looks for it, whether it is a block or not.
TEST(EditPalette, BlocksStandAmongWhatTheyAre) {
  for (const auto& [title, category] : {std::pair("linear block", "Layers"),
                                        {"attention block", "Layers"},
                                        {"layer norm block", "Normalization"},
                                        {"mse block", "Training"}}) {
    const auto found = searchPalette(title, 1);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].title, title);
    EXPECT_EQ(found[0].category, category);
  }
}

TEST(EditPalette, EveryEntryIsPlacedWithoutSourcesAndUndone) {
  for (const PaletteEntry& entry : searchPalette("", 1000)) {
    History history{emptyModule()};
    const auto done = history.perform(placing(history.current(), history.current().entry(), entry, {}));
    if (entry.category == "Training" && !entry.form.starts_with("block ")) {  // of nothing
      EXPECT_EQ(done.error().message, "select a value, and what its gradient is with respect to");
      continue;
    }
    ASSERT_TRUE(done) << entry.title << ": " << done.error().toString();
    EXPECT_FALSE(printHloText(history.current()).empty());
    history.undo();
    EXPECT_EQ(history.current().instructionCount(), 0u) << entry.title;
  }
}

}  // namespace
}  // namespace tessera
