// Inference over a module: written shapes are facts, derived ones follow; incremental inference across calls.
#include <gtest/gtest.h>

#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

Shape floats32(std::vector<int64_t> dims) { return Shape::arrayRowMajor(ElementType::F32, std::move(dims)); }

InstructionId parameter(Module& module, ComputationId computation, int number, const Shape& shape,
                        std::string_view name) {
  Instruction instruction;
  instruction.opcode = Opcode::Parameter;
  instruction.parameterNumber = number;
  instruction.name = name;
  return module.add(computation, std::move(instruction), shape);
}

// entry(p) = while(p; body(s) = -s, condition(s) = constant true)
struct Loop {
  Module module{"loop"};
  ComputationId body = module.addComputation("body"), condition = module.addComputation("condition"),
                entry = module.addComputation("entry");
  InstructionId state, negated, p, loop;

  Loop() {
    state = parameter(module, body, 0, floats32({4}), "state");
    negated = module.add(body, Opcode::Negate, floats32({4}), {{state}});
    module.setRoot(body, negated);
    parameter(module, condition, 0, floats32({4}), "tested");
    Instruction yes;
    yes.opcode = Opcode::Constant;
    yes.name = "yes";
    yes.literal = std::make_shared<const Literal>(Literal::scalar<uint8_t>(ElementType::Pred, 0));
    module.setRoot(condition, module.add(condition, std::move(yes), Shape::arrayRowMajor(ElementType::Pred, {})));
    p = parameter(module, entry, 0, floats32({4}), "p");
    AttributeSet attributes;
    attributes.set(Attr::condition, condition);
    attributes.set(Attr::body, body);
    loop = module.add(entry, Opcode::While, floats32({4}), {{p}}, std::move(attributes));
    module.setRoot(entry, loop);
    module.setEntry(entry);
  }
};

TEST(Infer, CleanModuleHasNoDiagnostics) {
  Loop loop;
  Diagnostics found = inferModule(loop.module);
  EXPECT_TRUE(found.empty()) << (found.empty() ? "" : found.items()[0].toString());
}

TEST(Infer, WrittenShapeIsAFactAndAMismatchIsSaid) {
  Loop loop;
  loop.module.setShape(loop.negated, floats32({5}));
  loop.module.edit(loop.negated).shapeWritten = true;
  Diagnostics found = inferModule(loop.module);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.items()[0].expected, "f32[4]");
  EXPECT_EQ(found.items()[0].found, "f32[5]");
  EXPECT_EQ(loop.module.shapeOf(loop.negated).dimensions[0], 5);
}

TEST(Infer, ParameterShapeGoesThroughTheLoop) {
  Loop loop;
  loop.module.setShape(loop.p, floats32({7, 2}));
  Reinferred again = reinfer(loop.module, {{loop.p}});
  EXPECT_TRUE(again.diagnostics.empty());
  EXPECT_EQ(toString(loop.module.shapeOf(loop.negated)), "f32[7,2]{1,0}");
  EXPECT_EQ(toString(loop.module.shapeOf(loop.loop)), "f32[7,2]{1,0}");
}

// Of what was looked at, as it is in the end.
TEST(Infer, WhatNoLongerInfersIsSaidUntilItDoes) {
  Module module("sum");
  const ComputationId entry = module.addComputation("entry");
  const InstructionId p = parameter(module, entry, 0, floats32({4}), "p"),
                      q = parameter(module, entry, 1, floats32({4}), "q");
  const InstructionId sum = module.add(entry, Opcode::Add, floats32({4}), {{p, q}});
  module.setRoot(entry, sum);
  module.setEntry(entry);
  EXPECT_TRUE(reinfer(module, {{p, q}}).diagnostics.empty());
  module.setShape(q, floats32({3}));
  const Reinferred broken = reinfer(module, {{q}});
  ASSERT_EQ(broken.diagnostics.items().size(), 1u);
  EXPECT_EQ(broken.diagnostics.items()[0].instructionName, module.at(sum).name);
  module.setShape(q, floats32({4}));
  EXPECT_TRUE(reinfer(module, {{q}}).diagnostics.empty());
}

TEST(Infer, StopsWhereNothingChanges) {
  Loop loop;
  Reinferred again = reinfer(loop.module, {{loop.negated}});
  EXPECT_EQ(again.changed, std::vector<InstructionId>{loop.negated});
}

TEST(Infer, ArityAndAttributesAreCheckedFirst) {
  Loop loop;
  loop.module.setOperands(loop.negated, {});
  auto wrong = inferInstruction(loop.module, loop.negated);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().label, "arity");
  loop.module.setAttributes(loop.loop, {});
  wrong = inferInstruction(loop.module, loop.loop);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().label, "unfinished");
}

}  // namespace
}  // namespace tessera
