// Building a computation by edits alone: adding with defaults, open inputs, removal that heals, roots, reducers.
#include <gtest/gtest.h>

#include "core/edit/edit.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

struct Builder {
  History history{emptyModule()};

  const Module& module() const { return history.current(); }
  InstructionId add(Opcode opcode, std::vector<InstructionId> operands, std::vector<NewAttribute> attributes = {},
                    std::optional<Shape> shape = {}, std::string literal = {}) {
    auto done = history.perform({"Add",
                                 {AddInstruction{module().entry(), opcode, "", std::move(operands),
                                                 std::move(attributes), std::move(shape), std::move(literal)}}});
    EXPECT_TRUE(done) << done.error().toString();
    return done ? done->added.back() : InstructionId();
  }
  InstructionId parameter(std::vector<int64_t> sizes) {
    return add(Opcode::Parameter, {}, {}, Shape::array(ElementType::F32, std::move(sizes)));
  }
  bool perform(EditAction action) { return history.perform({"edit", {std::move(action)}}).has_value(); }
  std::string shape(InstructionId id) const { return toString(module().shapeOf(id), false); }
  std::string text(InstructionId id) const { return printInstruction(module(), id); }
};

TEST(EditBuild, ParametersAreNumberedAndNamed) {
  Builder b;
  const auto x = b.parameter({4, 8}), y = b.parameter({8});
  EXPECT_EQ(b.module().at(x).parameterNumber, 0);
  EXPECT_EQ(b.module().at(y).parameterNumber, 1);
  EXPECT_EQ(b.module().at(y).name, "parameter.1");
  EXPECT_EQ(b.module().entryComputation().root, x);
}

TEST(EditBuild, RequiredAttributesHaveDefaults) {
  Builder b;
  const auto x = b.parameter({4, 8}), w = b.parameter({8, 3});
  EXPECT_EQ(b.shape(b.add(Opcode::Dot, {x, w})), "f32[4,3]");
  EXPECT_EQ(b.shape(b.add(Opcode::Transpose, {x})), "f32[8,4]");
  EXPECT_EQ(b.shape(b.add(Opcode::Concatenate, {x, x})), "f32[8,8]");
  EXPECT_EQ(b.shape(b.add(Opcode::Slice, {x})), "f32[4,8]");
  EXPECT_EQ(b.shape(b.add(Opcode::Compare, {x, x})), "pred[4,8]");
  EXPECT_EQ(b.shape(b.add(Opcode::Iota, {}, {}, Shape::array(ElementType::S32, {5}))), "s32[5]");
}

TEST(EditBuild, ASaidAttributeIsNoDefault) {
  Builder b;
  const auto x = b.parameter({4, 8});
  const auto t = b.add(Opcode::Transpose, {x}, {{Attr::dimensions, "{0,1}"}});
  EXPECT_EQ(b.shape(t), "f32[4,8]");
  EXPECT_TRUE(b.perform(SetAttribute{t, Attr::dimensions, "{1,0}"}));
  EXPECT_EQ(b.shape(t), "f32[8,4]");
}

TEST(EditBuild, AnOpenInputIsLegalAndSaid) {
  Builder b;
  const auto x = b.parameter({4});
  auto done = b.history.perform(
      {"Add", {AddInstruction{b.module().entry(), Opcode::Add, "", {x, InstructionId()}, {}, {}, ""}}});
  ASSERT_TRUE(done);
  ASSERT_FALSE(done->diagnostics.empty());
  EXPECT_NE(done->diagnostics.items()[0].message.find("open"), std::string::npos);
  const auto sum = done->added.back();
  EXPECT_NE(b.text(sum).find("?"), std::string::npos) << b.text(sum);
  done = b.history.perform({"wire", {SetOperand{sum, 1, x}}});
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->diagnostics.empty()) << done->diagnostics.items()[0].toString();
}

TEST(EditBuild, AnUnfinishedDocumentReadsBack) {
  Builder b;
  const auto x = b.parameter({4});
  b.add(Opcode::Add, {x, InstructionId()});
  const std::string text = printHloText(b.module());
  const ReadResult read = readHloText(text);
  ASSERT_TRUE(read.module) << text;
  EXPECT_EQ(printHloText(*read.module), text);
}

TEST(EditBuild, WiresOfAnEditMeanItsOwnInstructions) {
  Builder b;
  const auto x = b.parameter({4, 8});
  const ComputationId main = b.module().entry();
  auto done = b.history.perform(
      {"Add reduce",
       {AddReducer{"maximum.f32", Opcode::Maximum, ElementType::F32},
        AddInstruction{main, Opcode::Constant, "", {}, {}, Shape::array(ElementType::F32, {}), "-inf"},
        AddInstruction{main, Opcode::Reduce, "", {x, newInstruction(0)}, {{Attr::to_apply, "%maximum.f32"}}, {}, ""},
        SetRoot{newInstruction(1)}}});
  ASSERT_TRUE(done) << done.error().toString();
  EXPECT_TRUE(done->diagnostics.empty()) << done->diagnostics.items()[0].toString();
  EXPECT_EQ(b.shape(done->added.back()), "f32[4]");
  EXPECT_EQ(b.module().entryComputation().root, done->added.back());
  const ReadResult read = readHloText(printHloText(b.module()));
  ASSERT_TRUE(read.module);
  EXPECT_TRUE(read.diagnostics.empty());
}

TEST(EditBuild, RemovingHealsWhereTheShapeFits) {
  Builder b;
  const auto x = b.parameter({4, 8});
  const auto minus = b.add(Opcode::Negate, {x});
  const auto turned = b.add(Opcode::Transpose, {minus});
  const auto last = b.add(Opcode::Abs, {turned});
  EXPECT_TRUE(b.perform(SetRoot{last}));
  EXPECT_TRUE(b.perform(RemoveInstruction{minus}));
  EXPECT_EQ(b.module().at(turned).operands[0], x);
  EXPECT_TRUE(b.perform(RemoveInstruction{turned}));
  EXPECT_FALSE(b.module().at(last).operands[0].valid());
  EXPECT_TRUE(b.perform(RemoveInstruction{last}));
  EXPECT_EQ(b.module().entryComputation().root, x);
  EXPECT_TRUE(b.perform(RemoveInstruction{x}));
  EXPECT_FALSE(b.module().entryComputation().root.valid());
}

TEST(EditBuild, ParametersBehindARemovedOneMoveUp) {
  Builder b;
  const auto x = b.parameter({4}), y = b.parameter({5});
  EXPECT_TRUE(b.perform(RemoveInstruction{x}));
  EXPECT_EQ(b.module().at(y).parameterNumber, 0);
  EXPECT_EQ(b.module().entryComputation().parameters, std::vector<InstructionId>{y});
}

TEST(EditBuild, SenselessActionsAreRefused) {
  Builder b;
  const auto x = b.parameter({4});
  const auto minus = b.add(Opcode::Negate, {x});
  const ComputationId main = b.module().entry();
  EXPECT_FALSE(b.perform(AddInstruction{main, Opcode::Add, "", {x}, {}, {}, ""}));
  EXPECT_FALSE(b.perform(AddInstruction{ComputationId(7), Opcode::Iota, "", {}, {}, {}, ""}));
  EXPECT_FALSE(b.perform(AddInstruction{main, Opcode::Negate, "", {InstructionId(77)}, {}, {}, ""}));
  EXPECT_FALSE(
      b.perform(AddInstruction{main, Opcode::Constant, "", {}, {}, Shape::array(ElementType::F32, {}), "no number"}));
  EXPECT_FALSE(b.perform(SetShape{minus, Shape::array(ElementType::F32, {5})}));
  EXPECT_FALSE(b.perform(SetOperand{minus, 1, x}));
  EXPECT_FALSE(b.perform(SetOperand{minus, 0, minus}));
  EXPECT_TRUE(b.perform(SetOperand{minus, 0, InstructionId()}));
  EXPECT_FALSE(b.perform(AddReducer{"main", Opcode::Add, ElementType::F32}));
}

TEST(EditBuild, AReshapeTakesTheShapeThatIsSaid) {
  Builder b;
  const auto x = b.parameter({4, 8});
  const auto flat = b.add(Opcode::Reshape, {x});
  EXPECT_EQ(b.shape(flat), "f32[4,8]");
  EXPECT_TRUE(b.perform(SetShape{flat, Shape::array(ElementType::F32, {32})}));
  EXPECT_EQ(b.shape(flat), "f32[32]");
}

TEST(EditBuild, UndoingAllGivesTheEmptyDocument) {
  Builder b;
  const std::string before = printHloText(b.module());
  const auto x = b.parameter({4});
  b.add(Opcode::Negate, {x});
  EXPECT_TRUE(b.perform(RemoveInstruction{x}));
  const std::string after = printHloText(b.module());
  while (b.history.canUndo()) b.history.undo();
  EXPECT_EQ(printHloText(b.module()), before);
  while (b.history.canRedo()) b.history.redo();
  EXPECT_EQ(printHloText(b.module()), after);
}

}  // namespace
}  // namespace tessera
