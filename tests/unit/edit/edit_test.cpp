// Edits: applied to a copy, undone exactly; steps of one gesture are one step.
#include <gtest/gtest.h>

#include <cmath>

#include "core/edit/edit.h"
#include "core/formats/hlo_text.h"

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
  Shape otherRank = Shape::arrayRowMajor(ElementType::F32, {4, 2});
  otherRank.dimensions = {4};
  EXPECT_FALSE(apply(chain.module, {"", {SetParameterShape{chain.p, otherRank}}})) << "its text could not be read";
}

TEST(Edit, WhatIsCalledStandsFirst) {
  Module module = *readHloText(
                       "HloModule m\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                       "  ROOT c = f32[] add(a, b)\n}\n"
                       "sums {\n  x = f32[4] parameter(0)\n  z = f32[] constant(0)\n"
                       "  ROOT s = f32[] reduce(x, z), dimensions={0}, to_apply=add\n}\n"
                       "ENTRY e {\n  y = f32[4] parameter(0)\n  ROOT t = f32[] call(y), to_apply=sums\n}\n")
                       .module;
  module.setOrder({*module.findComputation("sums"), *module.findComputation("add"), module.entry()});
  ASSERT_FALSE(readHloText(printHloText(module)).module) << "a text that cannot be read";
  const auto result = apply(module, {"note", {SetNote{*module.findInstruction("y"), "an input"}}});
  ASSERT_TRUE(result) << result.error().toString();
  EXPECT_TRUE(readHloText(printHloText(result->module)).module);
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

Edit noteOf(InstructionId id, const char* note) { return {"Note", {SetNote{id, note}}}; }

TEST(History, StepsOfOneGestureAreOne) {
  Chain chain;
  History history(chain.module);
  const StepKey typing{chain.first, "note", 1};
  ASSERT_TRUE(history.perform(noteOf(chain.first, "a"), typing));
  ASSERT_TRUE(history.perform(noteOf(chain.first, "ab"), typing));
  EXPECT_FALSE(history.perform({"Note", {SetNote{InstructionId(99), "x"}}}, typing));  // leaves the step as it is
  EXPECT_EQ(history.current().at(chain.first).note, "// ab");
  history.undo();
  EXPECT_FALSE(history.canUndo());
  EXPECT_TRUE(history.canRedo());
}

// The title is the same in all of them.
TEST(History, AnotherFieldInstructionOrGestureIsAnotherStep) {
  Chain chain;
  History history(chain.module);
  for (const StepKey& key : {StepKey{chain.first, "note", 1}, StepKey{chain.first, "note", 2},
                             StepKey{chain.second, "note", 2}, StepKey{chain.second, "name", 2}, StepKey{}, StepKey{}})
    ASSERT_TRUE(history.perform(noteOf(chain.first, "a"), key));
  int steps = 0;
  for (; history.canUndo(); ++steps) history.undo();
  EXPECT_EQ(steps, 6);
}

TEST(History, AGestureOfArrangingReplacesItsOwnStepOnly) {
  Chain chain;
  History history(chain.module);
  const auto add = [](Project& project) {
    project.page("main").muted.insert(std::to_string(project.page("main").muted.size()));
  };
  history.arrange(add, "Mute");
  history.arrange(add, "Mute", {{}, "mute", 1});
  history.arrange(add, "Mute", {{}, "mute", 1});
  EXPECT_EQ(history.project().find("main")->muted.size(), 2u);
  history.undo();
  EXPECT_EQ(history.project().find("main")->muted.size(), 1u);
}

// Whatever is dragged, pasted or read: from a page that reaches further nothing can be told on the canvas.
TEST(History, PlacesStayInReach) {
  Chain chain;
  History history(chain.module);
  Edit placed{"Place", {Rename{chain.first, "minus"}}};
  placed.places = {{chain.first, {1e13, -1e300}}, {chain.second, {NAN, 12}}};
  placed.groups = {{chain.module.entry(), "g", {-INFINITY, 3e38}}};
  ASSERT_TRUE(history.perform(placed));
  history.arrange([](Project& project) { project.page("main").reroutes[{"minus", 0}] = {{1e20, 5}}; }, "Reroute");
  const ProjectPage& page = *history.project().find("main");
  const auto isAt = [](PagePoint point, double x, double y) { return point.x == x && point.y == y; };
  EXPECT_TRUE(isAt(page.instructions.at("minus"), kFarthestPlace, -kFarthestPlace));
  EXPECT_TRUE(isAt(page.instructions.at(std::string(chain.module.at(chain.second).name)), 0, 12));
  EXPECT_TRUE(isAt(page.groups.at("g"), -kFarthestPlace, kFarthestPlace));
  EXPECT_TRUE(isAt(page.reroutes.at({"minus", 0})[0], kFarthestPlace, 5));
}

}  // namespace
}  // namespace tessera
