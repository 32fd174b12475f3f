// ElementBuilder: interning, folding and index arithmetic; the loop nest as text; tracing and counting.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/element/element_builder.h"
#include "core/element/interpret.h"
#include "core/element/trace_reads.h"

namespace tessera {
namespace {

TEST(ElementBuilder, EqualNodesAreOne) {
  ElementBuilder b({Shape::arrayRowMajor(ElementType::F32, {8})}, {8});
  NodeId i[] = {b.outputIndex(0)};
  EXPECT_EQ(b.read(0, i), b.read(0, i));
  EXPECT_EQ(b.add(b.read(0, i), b.read(0, i)), b.add(b.read(0, i), b.read(0, i)));
}

TEST(ElementBuilder, ConstantsAreFolded) {
  ElementBuilder b({}, {});
  EXPECT_EQ(b.add(b.constant(ElementType::F32, 1), b.constant(ElementType::F32, 2)), b.constant(ElementType::F32, 3));
  EXPECT_EQ(b.convert(ElementType::S8, b.constant(ElementType::F32, 300)), b.constant(ElementType::S8, 127));
  EXPECT_EQ(b.divide(b.constant(ElementType::S32, 7), b.constant(ElementType::S32, 0)),
            b.constant(ElementType::S32, -1));
}

// What holds for every value of the type: x + 0 is not x for x = -0.
TEST(ElementBuilder, NeutralOperandsGo) {
  for (ElementType type : {ElementType::F32, ElementType::F64, ElementType::BF16, ElementType::S32, ElementType::U8}) {
    ElementBuilder b({Shape::arrayRowMajor(type, {8})}, {8});
    const NodeId place[] = {b.outputIndex(0)};
    const NodeId x = b.read(0, place), zero = b.zero(type), one = b.constant(type, 1), two = b.constant(type, 2);
    EXPECT_EQ(b.multiply(x, one), x);
    EXPECT_EQ(b.multiply(one, x), x);
    EXPECT_EQ(b.divide(x, one), x);
    EXPECT_EQ(b.maximum(x, x), x);
    EXPECT_EQ(b.minimum(x, x), x);
    EXPECT_EQ(b.add(x, zero) == x, isInteger(type));
    EXPECT_EQ(b.add(zero, x) == x, isInteger(type));
    EXPECT_EQ(b.subtract(x, zero) == x, isInteger(type));
    EXPECT_EQ(b.multiply(x, zero) == zero, isInteger(type));
    EXPECT_EQ(b.multiply(zero, x) == zero, isInteger(type));
    for (NodeId kept : {b.divide(one, x), b.multiply(x, two), b.divide(x, two), b.subtract(zero, x)})
      EXPECT_TRUE(kept != x && kept != one && kept != zero) << nameOf(type);
  }
  ElementBuilder b({Shape::arrayRowMajor(ElementType::Pred, {8})}, {8});
  const NodeId place[] = {b.outputIndex(0)};
  const NodeId x = b.read(0, place), no = b.constantBits(ElementType::Pred, 0),
               yes = b.constantBits(ElementType::Pred, 1);
  EXPECT_TRUE(b.logicalAnd(x, yes) == x && b.logicalAnd(yes, x) == x && b.logicalAnd(x, x) == x);
  EXPECT_TRUE(b.logicalAnd(x, no) == no && b.logicalAnd(no, x) == no);
  EXPECT_TRUE(b.binary(NodeOp::Or, x, no) == x && b.binary(NodeOp::Or, no, x) == x);
  EXPECT_TRUE(b.binary(NodeOp::Or, x, yes) == yes && b.binary(NodeOp::Or, yes, x) == yes);
}

TEST(ElementBuilder, SumsAreNormalised) {
  ElementBuilder b({}, {4, 6});
  NodeId i = b.outputIndex(0), j = b.outputIndex(1);
  EXPECT_EQ(b.add(i, b.add(j, b.index(1))), b.add(b.add(b.index(1), i), j));
  EXPECT_EQ(b.subtract(b.add(i, j), i), j);
}

TEST(ElementBuilder, QuotientsFoldByRange) {
  ElementBuilder b({}, {4, 6, 5});
  NodeId i = b.outputIndex(0), j = b.outputIndex(1), k = b.outputIndex(2);
  const auto times = [&](NodeId x, int64_t c) { return b.multiply(x, b.index(c)); };
  NodeId linear = b.add(times(i, 30), b.add(times(j, 5), k));
  EXPECT_EQ(b.divide(linear, b.index(30)), i);
  EXPECT_EQ(b.remainder(linear, b.index(5)), k);
  EXPECT_EQ(b.remainder(b.divide(linear, b.index(5)), b.index(6)), j);
  EXPECT_EQ(b.divide(b.add(times(i, 6), times(j, 2)), b.index(2)), b.add(times(i, 3), j));
}

TEST(ElementBuilder, QuotientAndRemainderRecombine) {
  ElementBuilder b({}, {60});
  NodeId i = b.outputIndex(0);
  const auto c = [&](int64_t v) { return b.index(v); };
  NodeId high = b.divide(i, c(15)), middle = b.remainder(b.divide(i, c(5)), c(3)), low = b.remainder(i, c(5));
  NodeId back = b.add(b.multiply(high, c(15)), b.add(b.multiply(middle, c(5)), low));
  EXPECT_EQ(back, i);
}

// Simplification against plain arithmetic on random forms and divisors.
TEST(ElementBuilder, IndexAlgebraAgreesWithArithmetic) {
  uint64_t state = 1;
  const auto random = [&](int64_t n) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(n));
  };
  for (int round = 0; round < 400; ++round) {
    const std::vector<int64_t> dims{random(5) + 1, random(7) + 1, random(4) + 1};
    ElementBuilder b({}, dims);
    int64_t coefficients[3], constant = random(20) - 5, divisor = random(12) + 1, outer = random(4) + 1;
    NodeId sum = b.index(constant);
    for (int d = 0; d < 3; ++d) {
      coefficients[d] = random(30) - 4;
      sum = b.add(sum, b.multiply(b.outputIndex(d), b.index(coefficients[d])));
    }
    NodeId q = b.divide(sum, b.index(divisor)), r = b.remainder(sum, b.index(divisor));
    NodeId all = b.add(b.multiply(q, b.index(divisor)), r);
    // The largest remainder is what the range of r ends with.
    const int64_t largest = std::max<int64_t>(divisor - 1, 1);
    const ElementProgram program =
        b.finish({q, r, all, b.divide(q, b.index(outer)), b.remainder(q, b.index(outer)), b.divide(r, b.index(largest)),
                  b.remainder(r, b.index(largest)), b.inRange(r, 1 - divisor, divisor), b.inRange(r, 0, largest)});
    const auto out = interpret(program, {}).value();
    size_t at = 0;
    for (int64_t i = 0; i < dims[0]; ++i)
      for (int64_t j = 0; j < dims[1]; ++j)
        for (int64_t k = 0; k < dims[2]; ++k, ++at) {
          const int64_t x = constant + coefficients[0] * i + coefficients[1] * j + coefficients[2] * k;
          ASSERT_EQ(out[0].data<int64_t>()[at], x / divisor);
          ASSERT_EQ(out[1].data<int64_t>()[at], x % divisor);
          ASSERT_EQ(out[2].data<int64_t>()[at], x);
          ASSERT_EQ(out[3].data<int64_t>()[at], x / divisor / outer);
          ASSERT_EQ(out[4].data<int64_t>()[at], x / divisor % outer);
          ASSERT_EQ(out[5].data<int64_t>()[at], x % divisor / largest);
          ASSERT_EQ(out[6].data<int64_t>()[at], x % divisor % largest);
          ASSERT_EQ(out[7].data<bool>()[at], true);
          ASSERT_EQ(out[8].data<bool>()[at], x % divisor >= 0 && x % divisor < largest);
        }
  }
}

TEST(ElementBuilder, BoundsAreProven) {
  ElementBuilder b({Shape::arrayRowMajor(ElementType::S32, {4})}, {4});
  NodeId i = b.outputIndex(0), yes = b.constantBits(ElementType::Pred, 1), no = b.constantBits(ElementType::Pred, 0);
  EXPECT_EQ(b.inRange(i, 0, 4), yes);
  EXPECT_EQ(b.inRange(b.add(i, b.index(4)), 0, 4), no);
  NodeId at[] = {i};
  NodeId data = b.convert(ElementType::S64, b.read(0, at));
  EXPECT_EQ(b.inRange(b.clampIndex(data, 0, 9), 0, 10), yes);
  EXPECT_NE(b.inRange(data, 0, 10), yes);
  // A remainder is below its divisor, however large the dividend.
  ElementBuilder c({}, {60});
  const NodeId rest = c.remainder(c.outputIndex(0), c.index(7));
  EXPECT_EQ(c.inRange(rest, 0, 7), c.constantBits(ElementType::Pred, 1));
  EXPECT_NE(c.inRange(rest, 0, 6), c.constantBits(ElementType::Pred, 1));
}

ElementProgram rowSums() {
  ElementBuilder b({Shape::arrayRowMajor(ElementType::F32, {3, 4})}, {3});
  auto sum = b.loop({4}, {b.zero(ElementType::F32)}, [&](auto loop, auto sums) -> Result<std::vector<NodeId>> {
    NodeId at[] = {b.outputIndex(0), loop[0]};
    return std::vector{b.add(sums[0], b.read(0, at))};
  });
  return b.finish(sum.value());
}

TEST(ElementProgram, LoopsRun) {
  std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const Literal in[] = {
      Literal::fromBytes(Shape::arrayRowMajor(ElementType::F32, {3, 4}), std::as_bytes(std::span(values))).value()};
  const auto out = interpret(rowSums(), in).value();
  EXPECT_EQ(out[0].data<float>()[0], 10);
  EXPECT_EQ(out[0].data<float>()[2], 42);
}

TEST(ElementProgram, ReadsOutOfBoundsAreErrors) {
  const std::vector<float> values{1, 2, 3, 4};
  const Literal in[] = {
      Literal::fromBytes(Shape::arrayRowMajor(ElementType::F32, {4}), std::as_bytes(std::span(values))).value()};
  for (const int64_t by : {-1, 0, 1}) {
    ElementBuilder b({Shape::arrayRowMajor(ElementType::F32, {4})}, {4});
    NodeId at[] = {b.add(b.outputIndex(0), b.index(by))};
    const auto out = interpret(b.finish({b.read(0, at)}), in);
    EXPECT_EQ(out.has_value(), by == 0) << by;
    EXPECT_TRUE(out || out.error().message.find("operand 0 is out of bounds") != std::string::npos) << by;
  }
}

TEST(ElementProgram, TextIsTheLoopNest) {
  EXPECT_EQ(toString(rowSums()),
            "operand0: f32[3,4]{1,0}, strides [4, 1]\n"
            "for i0 < 3\n"
            "  a0_0 = 0\n"
            "  for r0_0 < 4\n"
            "    v4 = f32 operand0[i0, r0_0]\n"
            "    v5 = f32 add(a0_0, v4)\n"
            "    a0_0 = v5\n"
            "  result0[i0] = a0_0\n");
}

TEST(ElementProgram, ReadsAreTraced) {
  const int64_t at[] = {1};
  const auto reads = traceReads(rowSums(), at, 100);
  ASSERT_EQ(reads.size(), 4u);
  EXPECT_EQ(reads[3].index, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(traceReads(rowSums(), at, 2).size(), 2u);
}

TEST(ElementProgram, AffineFormsOfIndices) {
  ElementBuilder b({}, {4, 6});
  NodeId sum = b.add(b.multiply(b.outputIndex(0), b.index(6)), b.add(b.outputIndex(1), b.index(2)));
  NodeId odd = b.remainder(b.add(b.outputIndex(0), b.outputIndex(1)), b.index(4));
  const ElementProgram program = b.finish({sum, odd});
  const auto form = affineForm(program, program.results[0]);
  ASSERT_TRUE(form);
  EXPECT_EQ(form->constant, 2);
  ASSERT_EQ(form->terms.size(), 2u);
  EXPECT_FALSE(affineForm(program, program.results[1]));
  EXPECT_EQ(hashValue(program), hashValue(ElementProgram(program)));
}

}  // namespace
}  // namespace tessera
