// The CPU backend against the reference evaluator on small modules built by hand: kernels with tails, broadcasts,
// row and column reductions, dot, while with a carry.
#include <gtest/gtest.h>

#include "tests/support/like_evaluator.h"

namespace tessera {
namespace {

using test::expectLikeEvaluator;
using E = ElementType;

class Build {
 public:
  Build() {
    entry = module.addComputation("main");
    module.setEntry(entry);
  }
  InstructionId parameter(ComputationId c, int number, const Shape& shape) {
    Instruction i;
    i.opcode = Opcode::Parameter;
    i.parameterNumber = number;
    i.name = module.tables().intern("p" + std::to_string(c.value) + "_" + std::to_string(number));
    return module.add(c, i, shape);
  }
  InstructionId op(ComputationId c, Opcode opcode, const Shape& shape, std::vector<InstructionId> operands,
                   AttributeSet attributes = {}) {
    return module.add(c, opcode, shape, operands, std::move(attributes));
  }
  InstructionId constant(ComputationId c, const Literal& value) {
    Instruction i;
    i.opcode = Opcode::Constant;
    i.name = module.tables().intern("c" + std::to_string(module.instructionSlots()));
    i.literal = std::make_shared<const Literal>(value);
    return module.add(c, i, value.shape());
  }
  ComputationId combiner(Opcode opcode, E type) {
    ComputationId c = module.addComputation("combine" + std::to_string(module.computationSlots()));
    Shape scalar = Shape::arrayRowMajor(type, {});
    auto a = parameter(c, 0, scalar), b = parameter(c, 1, scalar);
    module.setRoot(c, op(c, opcode, scalar, {a, b}));
    return c;
  }
  Module module{"test"};
  ComputationId entry;
};

TEST(BackendCpu, ElementwiseWithTail) {
  for (E type : {E::F32, E::F64, E::BF16, E::F16, E::S32, E::U8}) {
    Build b;
    Shape s = Shape::arrayRowMajor(type, {3, 37});
    auto x = b.parameter(b.entry, 0, s), y = b.parameter(b.entry, 1, s);
    auto sum = b.op(b.entry, Opcode::Add, s, {x, y});
    b.module.setRoot(b.entry, b.op(b.entry, Opcode::Multiply, s, {sum, y}));
    expectLikeEvaluator(b.module, {.fill = {0, 1.0, 8}});
  }
}

TEST(BackendCpu, ReductionsAlongRowsAndColumns) {
  for (int64_t dimension : {0, 1}) {
    Build b;
    auto x = b.parameter(b.entry, 0, Shape::arrayRowMajor(E::F32, {33, 65}));
    AttributeSet attributes;
    attributes.set(Attr::dimensions, std::vector<int64_t>{dimension});
    attributes.set(Attr::to_apply, b.combiner(Opcode::Add, E::F32));
    auto zero = b.constant(b.entry, Literal::scalar(E::F32, 0.0f));
    Shape out = Shape::arrayRowMajor(E::F32, {dimension == 0 ? 65 : 33});
    b.module.setRoot(b.entry, b.op(b.entry, Opcode::Reduce, out, {x, zero}, attributes));
    expectLikeEvaluator(b.module, {.fill = {0, 1.0, 8}});
  }
}

TEST(BackendCpu, DotOfEveryOrientation) {
  for (E type : {E::F32, E::F64, E::BF16, E::S32}) {
    for (int64_t lhsK : {1, 2}) {
      Build b;
      Shape lhs =
          Shape::arrayRowMajor(type, lhsK == 2 ? std::vector<int64_t>{2, 5, 19} : std::vector<int64_t>{2, 19, 5});
      auto x = b.parameter(b.entry, 0, lhs);
      auto y = b.parameter(b.entry, 1, Shape::arrayRowMajor(type, {2, 19, 21}));
      AttributeSet a;
      a.set(Attr::lhs_batch_dims, std::vector<int64_t>{0});
      a.set(Attr::rhs_batch_dims, std::vector<int64_t>{0});
      a.set(Attr::lhs_contracting_dims, std::vector<int64_t>{lhsK});
      a.set(Attr::rhs_contracting_dims, std::vector<int64_t>{1});
      b.module.setRoot(b.entry, b.op(b.entry, Opcode::Dot, Shape::arrayRowMajor(type, {2, 5, 21}), {x, y}, a));
      expectLikeEvaluator(b.module, {.fill = {0, 1.0, 8}});
    }
  }
}

TEST(BackendCpu, WhileWithACarry) {
  Build b;
  Shape s = Shape::arrayRowMajor(E::S32, {}), pair = Shape::tuple({s, s});
  auto element = [&](ComputationId c, InstructionId tuple, int64_t index) {
    AttributeSet a;
    a.set(Attr::index, index);
    return b.op(c, Opcode::GetTupleElement, s, {tuple}, a);
  };
  ComputationId condition = b.module.addComputation("condition"), body = b.module.addComputation("body");
  auto cp = b.parameter(condition, 0, pair), bp = b.parameter(body, 0, pair);
  AttributeSet less;
  less.set(Attr::direction, std::string("LT"));
  b.module.setRoot(
      condition, b.op(condition, Opcode::Compare, Shape::arrayRowMajor(E::Pred, {}),
                      {element(condition, cp, 0), b.constant(condition, Literal::scalar(E::S32, int32_t{10}))}, less));
  auto i = element(body, bp, 0), sum = element(body, bp, 1);
  auto next = b.op(body, Opcode::Add, s, {i, b.constant(body, Literal::scalar(E::S32, int32_t{1}))});
  b.module.setRoot(body, b.op(body, Opcode::Tuple, pair, {next, b.op(body, Opcode::Add, s, {sum, i})}));
  auto zero = b.constant(b.entry, Literal::scalar(E::S32, int32_t{0}));
  AttributeSet calls;
  calls.set(Attr::condition, condition);
  calls.set(Attr::body, body);
  auto start = b.op(b.entry, Opcode::Tuple, pair, {zero, b.parameter(b.entry, 0, s)});
  b.module.setRoot(b.entry, b.op(b.entry, Opcode::While, pair, {start}, calls));
  expectLikeEvaluator(b.module, {.fill = {0, 1.0, 8}});
}

}  // namespace
}  // namespace tessera
