// bf16 and f16 of the steps that add up in f32, against the conversions of core/hlo/numbers: every code to f32, and
// between any two codes the floats next to them and halfway to f16 and bf16.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "backends/runtime/half_floats.h"
#include "core/hlo/numbers.h"

namespace tessera {
namespace {

template <class Half>
void expectRounds(ElementType type, float value) {
  const auto expected = static_cast<uint16_t>(doubleToSmallFloat(type, value));
  if (std::isnan(value))
    EXPECT_TRUE(std::isnan(static_cast<float>(Half(value))));
  else
    EXPECT_EQ(Half(value).bits, expected) << value;
}

template <class Half>
void expectLikeNumbers(ElementType type) {
  for (uint32_t code = 0; code < 1u << 16; ++code) {
    const auto value = static_cast<float>(Half(static_cast<uint16_t>(code)));
    const double expected = smallFloatToDouble(type, code);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value)) << code;
      continue;
    }
    ASSERT_EQ(value, expected) << code;
    EXPECT_EQ(std::signbit(value), std::signbit(expected)) << code;
    const auto next = static_cast<float>(Half(static_cast<uint16_t>(code + 1)));
    const float middle = value / 2 + next / 2;
    for (const float near : {value, std::nextafter(value, 1e30f), std::nextafter(value, -1e30f), middle,
                             std::nextafter(middle, 1e30f), std::nextafter(middle, -1e30f)})
      expectRounds<Half>(type, near);
  }
  for (const float beyond : {65519.f, 65520.f, 65536.f, 3.4028235e38f, INFINITY, -INFINITY, NAN, 1e-45f, -0.f})
    expectRounds<Half>(type, beyond);
}

TEST(CpuHalfFloats, Bf16) { expectLikeNumbers<cpu::Bf16>(ElementType::BF16); }
TEST(CpuHalfFloats, F16) { expectLikeNumbers<cpu::F16>(ElementType::F16); }

}  // namespace
}  // namespace tessera
