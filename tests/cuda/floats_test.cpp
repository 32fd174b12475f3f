// Floats and conversions on the simulated device, against C++'s arithmetic in the same rounding.
#include <fenv.h>

#include <random>

#include "core/hlo/numbers.h"
#include "tests/cuda/snippet_case.h"

namespace tessera::cuda {
namespace {

template <class T>
std::vector<T> interestingFloats() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values{0,
                        T(-0.0),
                        1,
                        T(-1.5),
                        T(0.1),
                        T(1e-3),
                        T(3e7),
                        Limits::max(),
                        -Limits::max(),
                        Limits::min(),
                        Limits::denorm_min(),
                        -Limits::denorm_min(),
                        Limits::infinity(),
                        -Limits::infinity(),
                        Limits::quiet_NaN(),
                        T(2.5),
                        T(-2.5),
                        T(0.49999997)};
  std::mt19937_64 random(3);
  for (int i = 0; i < 10; ++i) values.push_back(T(std::normal_distribution<double>()(random)));
  return values;
}

// What C++ computes with the processor rounding in a direction.
template <class T, class Fn>
auto inDirection(int direction, Fn fn) {
  return [=](auto... operands) {
    const int before = fegetround();
    fesetround(direction);
    volatile T result = fn((*const_cast<volatile decltype(operands)*>(&operands))...);
    fesetround(before);
    return T(result);
  };
}

class CudaFloats : public SnippetCase {
 protected:
  template <class T>
  void inAllDirections() {
    const auto [a, b] = pairs(interestingFloats<T>());
    const std::vector<T> c(a.size(), T(0.3));
    for (const auto& [name, direction] : {std::pair("rn", FE_TONEAREST), std::pair("rz", FE_TOWARDZERO),
                                          std::pair("rm", FE_DOWNWARD), std::pair("rp", FE_UPWARD)}) {
      const std::string end = std::string(".") + name + "." + ptxType<T>() + " %d, %a, %b";
      expectSame<T>("add" + end + ";", inDirection<T>(direction, [](T x, T y) { return x + y; }), a, b);
      expectSame<T>("sub" + end + ";", inDirection<T>(direction, [](T x, T y) { return x - y; }), a, b);
      expectSame<T>("mul" + end + ";", inDirection<T>(direction, [](T x, T y) { return x * y; }), a, b);
      expectSame<T>("div" + end + ";", inDirection<T>(direction, [](T x, T y) { return x / y; }), a, b);
      expectSame<T>("fma" + end + ", %c;", inDirection<T>(direction, [](T x, T y, T z) { return std::fma(x, y, z); }),
                    a, b, c);
      const std::string one = std::string(".") + name + "." + ptxType<T>() + " %d, %a;";
      expectSame<T>("sqrt" + one, inDirection<T>(direction, [](T x) { return std::sqrt(x); }), a);
      expectSame<T>("rcp" + one, inDirection<T>(direction, [](T x) { return T(1) / x; }), a);
    }
  }
};

TEST_F(CudaFloats, RoundInEveryDirection32) { inAllDirections<float>(); }
TEST_F(CudaFloats, RoundInEveryDirection64) { inAllDirections<double>(); }

TEST_F(CudaFloats, ExtremesPassOrDropNan) {
  const auto [a, b] = pairs(interestingFloats<float>());
  auto smaller = [](float x, float y) { return x < y || (x == y && std::signbit(x)) ? x : y; };
  expectSame<float>(
      "min.f32 %d, %a, %b;", [&](float x, float y) { return std::isnan(x)   ? y
                                                            : std::isnan(y) ? x
                                                                            : smaller(x, y); }, a,
      b);
  expectSame<float>(
      "min.NaN.f32 %d, %a, %b;", [&](float x, float y) { return std::isnan(x) || std::isnan(y) ? NAN : smaller(x, y); },
      a, b);
  expectSame<float>(
      "max.f32 %d, %a, %b;", [&](float x, float y) { return std::isnan(x)   ? y
                                                            : std::isnan(y) ? x
                                                                            : -smaller(-x, -y); },
      a, b);
}

TEST_F(CudaFloats, FlushAndSaturate) {
  const auto [a, b] = pairs(interestingFloats<float>());
  auto flush = [](float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; };
  expectSame<float>(
      "mul.rn.ftz.f32 %d, %a, %b;", [&](float x, float y) { return flush(flush(x) * flush(y)); }, a, b);
  expectSame<float>(
      "add.sat.f32 %d, %a, %b;",
      [](float x, float y) {
        const float sum = x + y;
        return sum > 0 ? std::min(sum, 1.0f) : 0.0f;
      },
      a, b);
  expectSame<uint32_t>(
      "setp.eq.ftz.f32 %p0, %a, 0f00000000; selp.u32 %d, 1, 0, %p0;",
      [&](float x) -> uint32_t { return flush(x) == 0; }, interestingFloats<float>());
}

TEST_F(CudaFloats, SignsAndTests) {
  const auto values = interestingFloats<float>();
  expectSame<float>(
      "neg.f32 %d, %a;", [](float x) { return -x; }, values);
  expectSame<float>(
      "abs.f32 %d, %a;", [](float x) { return std::fabs(x); }, values);
  expectSame<double>(
      "neg.f64 %d, %a;", [](double x) { return -x; }, interestingFloats<double>());
  const auto [a, b] = pairs(values);
  expectSame<float>(
      "copysign.f32 %d, %a, %b;", [](float x, float y) { return std::copysign(y, x); }, a, b);
  auto test = [](const std::string& name) { return "testp." + name + ".f32 %p0, %a; selp.u32 %d, 1, 0, %p0;"; };
  expectSame<uint32_t>(
      test("finite"), [](float x) -> uint32_t { return std::isfinite(x); }, values);
  expectSame<uint32_t>(
      test("notanumber"), [](float x) -> uint32_t { return std::isnan(x); }, values);
  expectSame<uint32_t>(
      test("subnormal"), [](float x) -> uint32_t { return std::fpclassify(x) == FP_SUBNORMAL; }, values);
}

TEST_F(CudaFloats, ApproximationsAreWithinTheirError) {
  const std::vector<float> values{0.001f, 0.3f, 1.0f, 2.5f, 10.0f};
  auto expectNear = [&](const std::string& name, auto fn) {
    const auto found = compute<float>(name + ".f32 %d, %a;", values);
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(found[i], fn(double{values[i]}), 1e-6 * std::abs(fn(values[i])) + 1e-7) << name;
  };
  expectNear("ex2.approx", [](double x) { return std::exp2(x); });
  expectNear("lg2.approx", [](double x) { return std::log2(x); });
  expectNear("sin.approx", [](double x) { return std::sin(x); });
  expectNear("cos.approx", [](double x) { return std::cos(x); });
  expectNear("tanh.approx", [](double x) { return std::tanh(x); });
  expectNear("rsqrt.approx.ftz", [](double x) { return 1 / std::sqrt(x); });
  expectNear("sqrt.approx.ftz", [](double x) { return std::sqrt(x); });
  expectNear("rcp.approx.ftz", [](double x) { return 1 / x; });
}

class CudaNarrowFloats : public SnippetCase {
 protected:
  // Every seventh of all values of 16 bits.
  static std::vector<uint16_t> some() {
    std::vector<uint16_t> values;
    for (uint32_t bits = 0; bits < 0x10000; bits += 7) values.push_back(static_cast<uint16_t>(bits));
    return values;
  }
  static float half(uint16_t bits) { return static_cast<float>(smallFloatToDouble(ElementType::F16, bits)); }
  static float bfloat(uint16_t bits) { return static_cast<float>(smallFloatToDouble(ElementType::BF16, bits)); }
};

TEST_F(CudaNarrowFloats, ArithmeticIsRoundedOnce) {
  const auto a = some();
  std::vector<uint16_t> b(a.rbegin(), a.rend());
  auto finite = [](float x) { return std::isfinite(x); };
  const auto sums = compute<uint16_t>("add.rn.f16 %d, %a, %b;", a, b);
  const auto products = compute<uint16_t>("mul.rn.bf16 %d, %a, %b;", a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    if (finite(half(a[i])) && finite(half(b[i]))) {
      EXPECT_EQ(sums[i], doubleToSmallFloat(ElementType::F16, double{half(a[i])} + half(b[i])));
    }
    if (finite(bfloat(a[i])) && finite(bfloat(b[i]))) {
      EXPECT_EQ(products[i], doubleToSmallFloat(ElementType::BF16, double{bfloat(a[i])} * bfloat(b[i])));
    }
  }
}

TEST_F(CudaNarrowFloats, PairsAreTwoNumbers) {
  const std::vector<uint32_t> a{0x3c004000, 0x00013c00}, b{0x40003c00, 0x3c003c00};
  EXPECT_EQ(compute<uint32_t>("fma.rn.f16x2 %d, %a, %b, %b;", a, b), (std::vector<uint32_t>{0x44004200, 0x3c004000}));
}

TEST_F(CudaNarrowFloats, ConvertBothWays) {
  const auto bits = some();
  expectSame<float>(
      "cvt.f32.f16 %d, %a;", [](uint16_t x) { return half(x); }, bits);
  expectSame<float>(
      "cvt.f32.bf16 %d, %a;", [](uint16_t x) { return bfloat(x); }, bits);
  std::vector<float> values{1e-8f, 65519.9f, 65520.0f, 1.0009765f, -3.14159f, 1e-40f, 7.0f, INFINITY};
  expectSame<uint16_t>(
      "cvt.rn.f16.f32 %d, %a;", [](float x) { return uint16_t(doubleToSmallFloat(ElementType::F16, x)); }, values);
  expectSame<uint16_t>(
      "cvt.rz.f16.f32 %d, %a;",
      [](float x) {
        uint16_t bits = static_cast<uint16_t>(doubleToSmallFloat(ElementType::F16, x));
        if (std::fabs(half(bits)) > std::fabs(x)) --bits;
        return bits;
      },
      values);
  expectSame<uint32_t>(
      "cvt.rn.bf16x2.f32 %d, %a, %a;", [](float x) { return doubleToSmallFloat(ElementType::BF16, x) * 0x10001u; },
      values);
  expectSame<uint32_t>(
      "cvt.rna.tf32.f32 %d, %a;",
      [](float x) {
        const auto word = std::bit_cast<uint32_t>(x);
        return std::isinf(x) ? word : (word + 0x1000) & ~0x1fffu;
      },
      values);
}

TEST_F(CudaNarrowFloats, EightBitsComeInPairs) {
  const std::vector<float> values{0.3f, 500.0f, -1.0f, 448.0f, 1e-9f};
  expectSame<uint16_t>(
      "cvt.rn.satfinite.e4m3x2.f32 %d, %a, 0f3F800000;",
      [](float x) {
        const double clamped = std::clamp<double>(x, -448, 448);
        return uint16_t(doubleToSmallFloat(ElementType::F8E4M3FN, clamped) << 8 |
                        doubleToSmallFloat(ElementType::F8E4M3FN, 1));
      },
      values);
  expectSame<uint32_t>(
      "cvt.rn.f16x2.e5m2x2 %d, %a;", [](uint16_t x) { return (x >> 8 << 24) | (x & 255u) << 8; },
      std::vector<uint16_t>{0x3c40, 0x0102, 0xc000});
}

class CudaConversions : public SnippetCase {};

TEST_F(CudaConversions, FloatsToIntegersClampAndRound) {
  const auto values = interestingFloats<float>();
  auto clamped = [](double x, double least, double most) { return std::isnan(x) ? 0 : std::clamp(x, least, most); };
  expectSame<int32_t>(
      "cvt.rzi.s32.f32 %d, %a;",
      [&](float x) { return static_cast<int32_t>(clamped(std::trunc(x), INT32_MIN, INT32_MAX)); }, values);
  expectSame<int32_t>(
      "cvt.rni.s32.f32 %d, %a;",
      [&](float x) { return static_cast<int32_t>(clamped(std::nearbyint(x), INT32_MIN, INT32_MAX)); }, values);
  expectSame<uint32_t>(
      "cvt.rpi.u32.f32 %d, %a;", [&](float x) { return static_cast<uint32_t>(clamped(std::ceil(x), 0, UINT32_MAX)); },
      values);
  expectSame<uint8_t>(
      "cvt.rzi.u8.f32 %d, %a;", [&](float x) { return static_cast<uint8_t>(clamped(std::trunc(x), 0, 255)); }, values);
  expectSame<int64_t>(
      "cvt.rzi.s64.f64 %d, %a;",
      [](double x) {
        return std::isnan(x) ? 0 : x >= 0x1p63 ? INT64_MAX : x <= -0x1p63 ? INT64_MIN : static_cast<int64_t>(x);
      },
      interestingFloats<double>());
  expectSame<float>(
      "cvt.rmi.f32.f32 %d, %a;", [](float x) { return std::floor(x); }, values);
}

TEST_F(CudaConversions, IntegersToFloatsRoundInDirections) {
  const std::vector<int64_t> values{
      0, 1, -1, 16777217, -16777217, INT64_MAX, INT64_MIN, (int64_t{1} << 53) + 1, 123456789012345};
  expectSame<float>("cvt.rn.f32.s64 %d, %a;", inDirection<float>(FE_TONEAREST, [](int64_t x) { return float(x); }),
                    values);
  expectSame<float>("cvt.rp.f32.s64 %d, %a;", inDirection<float>(FE_UPWARD, [](int64_t x) { return float(x); }),
                    values);
  expectSame<double>("cvt.rz.f64.s64 %d, %a;", inDirection<double>(FE_TOWARDZERO, [](int64_t x) { return double(x); }),
                     values);
  expectSame<double>(
      "cvt.rn.f64.u64 %d, %a;", [](int64_t x) { return static_cast<double>(static_cast<uint64_t>(x)); }, values);
}

TEST_F(CudaConversions, IntegersAreExtendedTruncatedAndClamped) {
  const std::vector<int32_t> values{0, 1, -1, 127, 128, 255, 256, -128, -129, 70000, INT32_MIN};
  expectSame<int64_t>(
      "cvt.s64.s32 %d, %a;", [](int32_t x) { return int64_t{x}; }, values);
  expectSame<uint64_t>(
      "cvt.u64.u32 %d, %a;", [](int32_t x) { return uint64_t{uint32_t(x)}; }, values);
  expectSame<int32_t>(
      "cvt.s32.s8 %d, %a;", [](int32_t x) { return int32_t{int8_t(x)}; }, values);
  expectSame<uint32_t>(
      "cvt.u32.u16 %d, %a;", [](int32_t x) { return uint32_t{uint16_t(x)}; }, values);
  expectSame<int32_t>(
      "cvt.sat.s8.s32 %d, %a;", [](int32_t x) { return std::clamp(x, -128, 127); }, values);
  expectSame<int32_t>(
      "cvt.sat.u8.s32 %d, %a;", [](int32_t x) { return std::clamp(x, 0, 255); }, values);
}

TEST_F(CudaConversions, DoublesToFloats) {
  const auto values = interestingFloats<double>();
  expectSame<float>(
      "cvt.rn.f32.f64 %d, %a;", [](double x) { return float(x); }, values);
  expectSame<float>("cvt.rm.f32.f64 %d, %a;", inDirection<float>(FE_DOWNWARD, [](double x) { return float(x); }),
                    values);
  expectSame<float>("cvt.rz.f32.f64 %d, %a;", inDirection<float>(FE_TOWARDZERO, [](double x) { return float(x); }),
                    values);
  expectSame<double>(
      "cvt.f64.f32 %d, %a;", [](float x) { return double{x}; }, interestingFloats<float>());
}

}  // namespace
}  // namespace tessera::cuda
