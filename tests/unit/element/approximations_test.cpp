// Approximations of f32 against long double libm: dense sweeps over the bits of all floats, measured in units in the
// last place of the true value.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>

#include "core/element/approximations/approximations.h"
#include "core/element/element_builder.h"
#include "core/element/interpret.h"

namespace tessera {
namespace {

Literal floatInputs(const std::vector<float>& values) {
  const Shape shape = Shape::arrayRowMajor(ElementType::F32, {static_cast<int64_t>(values.size())});
  return Literal::fromBytes(shape, std::as_bytes(std::span(values))).value();
}

// All floats, every `stride`-th, specials included.
std::vector<float> sweep(uint32_t stride) {
  std::vector<float> out;
  const float inf = std::numeric_limits<float>::infinity();
  for (float v : {0.0f, 1.0f, 0.5f, 2.0f, 0x1p-149f, 0x1p-126f, 3.4e38f, 88.7f, 104.0f, inf})
    out.insert(out.end(), {v, -v});
  out.push_back(std::numeric_limits<float>::quiet_NaN());
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += stride)
    out.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return out;
}

double ulpError(float found, long double expected) {
  const float rounded = static_cast<float>(expected);
  if (std::isnan(rounded) || std::isnan(found)) return std::isnan(rounded) && std::isnan(found) ? 0 : 1e30;
  if (std::bit_cast<uint32_t>(rounded) == std::bit_cast<uint32_t>(found)) return 0;
  if (rounded == 0 && found == 0) return std::signbit(rounded) == std::signbit(found) ? 0 : 1e30;
  if (std::isinf(rounded) || std::isinf(found)) {  // the overflow threshold may be missed by as much as any value
    if (rounded == -found) return 1e30;
    const float other = std::isinf(rounded) ? found : rounded;
    if (std::isinf(other)) return 1e30;
    return std::fabs(other) == std::numeric_limits<float>::max() ? 1 : 1e30;
  }
  int exponent = 0;
  std::frexp(expected, &exponent);
  const long double ulp = std::ldexp(1.0L, std::max(exponent - 24, -149));
  return static_cast<double>(std::fabs(static_cast<long double>(found) - expected) / ulp);
}

ElementProgram expandedOf(NodeOp op, size_t operands, int64_t count) {
  const Shape shape = Shape::arrayRowMajor(ElementType::F32, {count});
  ElementBuilder builder(std::vector<Shape>(operands, shape), {count});
  NodeId at[] = {builder.outputIndex(0)};
  NodeId x = builder.read(0, at);
  NodeId out = operands == 2 ? builder.binary(op, x, builder.read(1, at)) : builder.unary(op, x);
  return expandApproximations(builder.finish({out}));
}

struct Worst {
  double error = 0;
  float x = 0, y = 0, found = 0;
};

Worst worstOf(NodeOp op, const std::vector<float>& xs, const std::function<long double(long double)>& exact) {
  const ElementProgram program = expandedOf(op, 1, static_cast<int64_t>(xs.size()));
  for (const Node& node : program.nodes) EXPECT_NE(node.op, op);
  const Literal operands[] = {floatInputs(xs)};
  const auto out = interpret(program, operands).value();
  Worst worst;
  for (size_t i = 0; i < xs.size(); ++i) {
    const float found = out[0].data<float>()[i];
    const double error = ulpError(found, exact(xs[i]));
    if (error > worst.error) worst = {error, xs[i], 0, found};
  }
  return worst;
}

struct ApproximationCase {
  NodeOp op;
  const char* name;
  long double (*exact)(long double);
};

long double logisticOf(long double x) { return 1 / (1 + std::exp(-x)); }

const ApproximationCase kApproximationCases[] = {
    {NodeOp::Exp, "exp", std::exp},       {NodeOp::Expm1, "expm1", std::expm1},
    {NodeOp::Log, "log", std::log},       {NodeOp::Log1p, "log1p", std::log1p},
    {NodeOp::Tanh, "tanh", std::tanh},    {NodeOp::Logistic, "logistic", logisticOf},
    {NodeOp::Erf, "erf", std::erf},       {NodeOp::Cbrt, "cbrt", std::cbrt},
    {NodeOp::Asin, "asin", std::asin},    {NodeOp::Acos, "acos", std::acos},
    {NodeOp::Asinh, "asinh", std::asinh}, {NodeOp::Acosh, "acosh", std::acosh},
    {NodeOp::Atanh, "atanh", std::atanh}, {NodeOp::Sinh, "sinh", std::sinh},
    {NodeOp::Cosh, "cosh", std::cosh},
};

class Approximation : public testing::TestWithParam<ApproximationCase> {};

TEST_P(Approximation, WithinTwoUlp) {
  const Worst worst = worstOf(GetParam().op, sweep(65'521), [](long double x) { return GetParam().exact(x); });
  RecordProperty("max_ulp", std::to_string(worst.error));
  EXPECT_LE(worst.error, 2.0) << GetParam().name << "(" << worst.x << ") gave " << worst.found;
}

// Where results are about 1, the whole range counts again, densely.
TEST_P(Approximation, WithinTwoUlpNearOne) {
  std::vector<float> xs;
  for (int i = -40'000; i <= 40'000; ++i) xs.push_back(static_cast<float>(i) * 1.2345e-4f);
  const Worst worst = worstOf(GetParam().op, xs, [](long double x) { return GetParam().exact(x); });
  RecordProperty("max_ulp", std::to_string(worst.error));
  EXPECT_LE(worst.error, 2.0) << GetParam().name << "(" << worst.x << ") gave " << worst.found;
}

INSTANTIATE_TEST_SUITE_P(F32, Approximation, testing::ValuesIn(kApproximationCases),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(Approximations, CircularFunctions) {
  std::vector<float> xs = sweep(65'521);
  for (int i = -20'000; i <= 20'000; ++i) xs.push_back(static_cast<float>(i) * 1.37e-3f);
  EXPECT_LE(worstOf(NodeOp::Sin, xs, [](long double x) { return std::sin(x); }).error, 1.0);
  EXPECT_LE(worstOf(NodeOp::Cos, xs, [](long double x) { return std::cos(x); }).error, 1.0);
  EXPECT_LE(worstOf(NodeOp::Tan, xs, [](long double x) { return std::tan(x); }).error, 1.0);
}

Worst worstOfPairs(NodeOp op, long double (*exact)(long double, long double)) {
  std::vector<float> some = sweep(9'999'991), xs, ys;
  for (float v : {-3.0f, -2.5f, -1.5f, -1.0f, -0.5f, 0.25f, 0.3333f, 3.0f, 7.0f, 1.0000001f, 0.999999f, 100.0f})
    some.push_back(v);
  for (float x : some)
    for (float y : some) {
      xs.push_back(x);
      ys.push_back(y);
    }
  const ElementProgram program = expandedOf(op, 2, static_cast<int64_t>(xs.size()));
  const Literal operands[] = {floatInputs(xs), floatInputs(ys)};
  const auto out = interpret(program, operands).value();
  Worst worst;
  for (size_t i = 0; i < xs.size(); ++i) {
    const float found = out[0].data<float>()[i];
    const double error = ulpError(found, exact(xs[i], ys[i]));
    if (error > worst.error) worst = {error, xs[i], ys[i], found};
  }
  return worst;
}

TEST(Approximations, Power) {
  const Worst worst = worstOfPairs(NodeOp::Power, std::pow);
  EXPECT_LE(worst.error, 2.0) << "pow(" << worst.x << ", " << worst.y << ") gave " << worst.found;
}

TEST(Approximations, Atan2) {
  const Worst worst = worstOfPairs(NodeOp::Atan2, std::atan2);
  EXPECT_LE(worst.error, 2.0) << "atan2(" << worst.x << ", " << worst.y << ") gave " << worst.found;
}

TEST(Approximations, ComplexExponentialAndLogarithm) {
  const Shape shape = Shape::arrayRowMajor(ElementType::C64, {4});
  const std::vector<std::complex<float>> values{{0.5f, 1.0f}, {-2.0f, 3.0f}, {0.0f, -1.0f}, {0.75f, 0.0f}};
  const Literal operands[] = {Literal::fromBytes(shape, std::as_bytes(std::span(values))).value()};
  for (NodeOp op :
       {NodeOp::Exp, NodeOp::Log, NodeOp::Sqrt, NodeOp::Sin, NodeOp::Cos, NodeOp::Tanh, NodeOp::Asin, NodeOp::Atanh,
        NodeOp::Log1p, NodeOp::Expm1, NodeOp::Tan, NodeOp::Cosh, NodeOp::Sinh, NodeOp::Logistic, NodeOp::Rsqrt}) {
    ElementBuilder builder({shape}, {4});
    NodeId at[] = {builder.outputIndex(0)};
    const ElementProgram plain = builder.finish({builder.unary(op, builder.read(0, at))});
    const auto expected = interpret(plain, operands).value();
    const auto found = interpret(expandApproximations(plain), operands).value();
    for (size_t i = 0; i < values.size(); ++i) {
      const auto e = expected[0].data<std::complex<float>>()[i], f = found[0].data<std::complex<float>>()[i];
      EXPECT_LE(std::abs(e - f), 1e-5f * (1 + std::abs(e)))
          << static_cast<int>(op) << " of " << values[i] << ": " << e << f;
    }
  }
}

}  // namespace
}  // namespace tessera
