// Edits: applied to a copy, undone exactly, written as JSON and read back.
#include <gtest/gtest.h>

#include "core/edit/edit.h"

namespace tessera {
namespace {

struct Chain {
  Module module{"m"};
  InstructionId p, first, second;

  Chain() {
    ComputationId main = module.addComputation("main");
    Shape shape = Shape::arrayRowMajor(ElementType::F32, {4});
    Instruction parameter;
    parameter.opcode = Opcode::Parameter;
    parameter.parameterNumber = 0;
    parameter.name = "p";
    p = module.add(main, std::move(parameter), shape);
    first = module.add(main, Opcode::Negate, shape, {{p}});
    second = module.add(main, Opcode::Add, shape, {{first, p}});
    for (InstructionId id : {first, second}) module.edit(id).shapeWritten = true;
    module.setRoot(main, second);
    module.setEntry(main);
    ModuleConfig config;
    config.entryParameterLayouts = {shape};
    config.entryResultLayout = shape;
    module.setConfig(std::move(config));
  }
};

TEST(Edit, ShapeOfAParameterGoesDownstream) {
  Chain chain;
  auto result = apply(chain.module, {"shape", {SetParameterShape{chain.p, Shape::array(ElementType::F32, {2, 8})}}});
  ASSERT_TRUE(result) << result.error().toString();
  EXPECT_TRUE(result->diagnostics.empty()) << result->diagnostics.items()[0].toString();
  EXPECT_EQ(toString(result->module.shapeOf(chain.second)), "f32[2,8]{1,0}");
  EXPECT_EQ(result->changed.size(), 3u);
  EXPECT_EQ(toString(chain.module.shapeOf(chain.second)), "f32[4]{0}");
}

TEST(Edit, SenselessActionsAreRefused) {
  Chain chain;
  EXPECT_FALSE(apply(chain.module, {"", {Rename{InstructionId(99), "x"}}}));
  EXPECT_FALSE(apply(chain.module, {"", {Rename{chain.first, "p"}}}));
  EXPECT_FALSE(apply(chain.module, {"", {Rename{chain.first, "a b"}}}));
  EXPECT_FALSE(apply(chain.module, {"", {SetOperand{chain.first, 0, chain.second}}}));
  EXPECT_FALSE(apply(chain.module, {"", {SetParameterShape{chain.first, Shape::array(ElementType::F32, {})}}}));
}

TEST(Edit, UndoIsExact) {
  Chain chain;
  History history(chain.module);
  ASSERT_TRUE(history.perform({"rename", {Rename{chain.first, "minus"}}}));
  ASSERT_TRUE(history.perform({"note", {SetNote{chain.first, "turns the sign"}}}));
  EXPECT_EQ(history.undoTitle(), "note");
  history.undo();
  history.undo();
  EXPECT_FALSE(history.canUndo());
  EXPECT_EQ(history.current().at(chain.first).name, chain.module.at(chain.first).name);
  history.redo();
  EXPECT_EQ(history.current().at(chain.first).name, "minus");
  EXPECT_EQ(history.redoTitle(), "note");
}

TEST(Edit, JsonRoundTrip) {
  Shape shape = Shape::arrayRowMajor(ElementType::BF16, {2, 3});
  Edit edit{"all of them",
            {SetParameterShape{InstructionId(1), shape}, SetAttribute{InstructionId(2), Attr::dimensions, "{0,1}"},
             Rename{InstructionId(3), "x"}, SetOperand{InstructionId(4), 1, InstructionId(5)},
             SetNote{InstructionId(6), "a \"note\"\n"}}};
  const std::string line = toJson(edit);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  auto back = editFromJson(line);
  ASSERT_TRUE(back) << back.error().toString();
  EXPECT_EQ(toJson(*back), line);
  EXPECT_FALSE(editFromJson("{\"title\":3}"));
  EXPECT_FALSE(editFromJson("["));
}

}  // namespace
}  // namespace tessera
