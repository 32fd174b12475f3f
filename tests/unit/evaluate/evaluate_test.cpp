// The evaluator's walk, the rule for arguments, and comparison.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"

namespace tessera {
namespace {

Literal floats(std::vector<float> values) {
  Shape shape = Shape::arrayRowMajor(ElementType::F32, {static_cast<int64_t>(values.size())});
  return Literal::fromBytes(shape, std::as_bytes(std::span(values))).value();
}

// entry(a, b) = tuple(a + b, a)
Module sumModule() {
  Module module("sum");
  ComputationId main = module.addComputation("main");
  Shape shape = Shape::arrayRowMajor(ElementType::F32, {3});
  std::vector<InstructionId> parameters;
  for (int i = 0; i < 2; ++i) {
    Instruction p;
    p.opcode = Opcode::Parameter;
    p.parameterNumber = i;
    p.name = i ? "b" : "a";
    parameters.push_back(module.add(main, std::move(p), shape));
  }
  InstructionId sum = module.add(main, Opcode::Add, shape, parameters);
  module.setRoot(main, module.add(main, Opcode::Tuple, Shape::tuple({shape, shape}), {{sum, parameters[0]}}));
  module.setEntry(main);
  return module;
}

TEST(Evaluate, GivesTheRootsLeaves) {
  std::vector<Literal> arguments{floats({1, 2, 3}), floats({10, 20, 30})};
  auto out = evaluateModule(sumModule(), arguments);
  ASSERT_TRUE(out) << out.error().toString();
  ASSERT_EQ(out->size(), 2u);
  EXPECT_EQ((*out)[0].data<float>()[2], 33.f);
  EXPECT_TRUE((*out)[1].identical(arguments[0]));
}

TEST(Evaluate, WrongArgumentsAreNamed) {
  std::vector<Literal> one{floats({1, 2, 3})};
  EXPECT_FALSE(evaluateModule(sumModule(), one));
  std::vector<Literal> wrong{floats({1, 2, 3}), floats({1})};
  auto out = evaluateModule(sumModule(), wrong);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().expected, "f32[3]");
}

TEST(Evaluate, CancelIsARuntimeFault) {
  std::vector<Literal> arguments{floats({1, 2, 3}), floats({10, 20, 30})};
  std::atomic<bool> cancel = true;
  auto out = evaluateModule(sumModule(), arguments, &cancel);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().kind, ErrorKind::Runtime);
}

TEST(Evaluate, BackendMeasuresSteps) {
  auto backend = makeBackend("evaluator");
  ASSERT_TRUE(backend);
  auto executable = (*backend)->compile(sumModule());
  ASSERT_TRUE(executable);
  Profile profile;
  std::vector<Literal> arguments{floats({1, 2, 3}), floats({10, 20, 30})};
  ASSERT_TRUE((*executable)->run(arguments, {}, &profile));
  EXPECT_EQ(profile.runs, 1);
  EXPECT_EQ(profile.steps.size(), 2u);
  EXPECT_GE((*executable)->peakBytes(), 36);
  EXPECT_FALSE(makeBackend("abacus"));
}

TEST(Fill, FollowsTheRule) {
  // h of (seed 0, leaf 0, element 0) is splitmix64's first output for state 0.
  constexpr uint64_t kFirst = 0xE220A8397B1DCDAFu;
  auto integers = fillParameter(Shape::arrayRowMajor(ElementType::S32, {2}), 0, {});
  EXPECT_EQ(integers->data<int32_t>()[0], static_cast<int32_t>(kFirst % 8));
  auto reals = fillParameter(Shape::arrayRowMajor(ElementType::F64, {2}), 0, {});
  EXPECT_EQ(reals->data<double>()[0], static_cast<double>(kFirst >> 40) / (1 << 24) * 0.02);
  auto truth = fillParameter(Shape::arrayRowMajor(ElementType::Pred, {1}), 0, {});
  EXPECT_EQ(truth->data<uint8_t>()[0], kFirst & 1);
  EXPECT_FALSE(fillParameter(Shape::arrayRowMajor(ElementType::F32, {1ll << 62}), 0, {}));
}

}  // namespace
}  // namespace tessera
