// Floats of at most 8 bits as the CPU backend rounds them in lanes, against numbers.h: every code's value, what lies
// halfway to the next, their neighbours, and what is not finite.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "backends/backend.h"
#include "core/formats/hlo_text.h"
#include "core/hlo/numbers.h"

namespace tessera {
namespace {

template <class T>
std::vector<T> examplesOf(ElementType type) {
  std::vector<T> out{0,
                     std::numeric_limits<T>::min(),
                     std::numeric_limits<T>::denorm_min(),
                     std::numeric_limits<T>::max(),
                     std::numeric_limits<T>::infinity(),
                     std::numeric_limits<T>::quiet_NaN()};
  for (uint32_t code = 0; code < 1u << info(type).bits; ++code) {
    const double x = smallFloatToDouble(type, code), next = smallFloatToDouble(type, code + 1);
    if (!std::isfinite(x)) continue;
    for (const double value : {x, (x + next) / 2, x + (x - smallFloatToDouble(type, code - 1)) / 2}) {
      const auto v = static_cast<T>(value);
      for (const T near : {v, std::nextafter(v, T(-1e30)), std::nextafter(v, T(1e30))}) out.push_back(near);
    }
  }
  const size_t count = out.size();
  for (size_t i = 0; i < count; ++i) out.push_back(-out[i]);
  return out;
}

template <class T>
void expectRounded(ElementType type, ElementType from) {
  const std::vector<T> values = examplesOf<T>(type);
  const std::string n = std::to_string(values.size()), wide(nameOf(from)), narrow(nameOf(type));
  const auto read = readHloText("HloModule m\nENTRY e { x = " + wide + "[" + n + "] parameter(0)  y = " + narrow + "[" +
                                n + "] convert(x)  ROOT r = f32[" + n + "] convert(y) }\n");
  ASSERT_TRUE(read.module) << narrow;
  auto executable = makeBackend("cpu").value()->compile(*read.module, {});
  ASSERT_TRUE(executable) << executable.error().toString();
  Literal x = Literal::zeros(Shape::array(from, {static_cast<int64_t>(values.size())})).value();
  std::ranges::copy(values, x.mutableData<T>().begin());
  const std::vector<Literal> arguments{x};
  const auto found = (*executable)->run(arguments);
  ASSERT_TRUE(found) << found.error().toString();
  for (size_t i = 0; i < values.size(); ++i) {
    const auto expected = static_cast<float>(smallFloatToDouble(type, doubleToSmallFloat(type, values[i]))),
               given = (*found)[0].data<float>()[i];
    const bool same =
        std::isnan(expected) ? std::isnan(given) : std::bit_cast<uint32_t>(expected) == std::bit_cast<uint32_t>(given);
    EXPECT_TRUE(same) << narrow << " of " << wide << ' ' << values[i] << " is " << given << ", not " << expected;
  }
}

TEST(CpuNarrowFloats, RoundAsTheirDefinition) {
  using E = ElementType;
  for (const E type : {E::F8E5M2, E::F8E4M3, E::F8E4M3FN, E::F8E4M3B11FNUZ, E::F8E3M4, E::F8E5M2FNUZ, E::F8E4M3FNUZ,
                       E::F4E2M1FN, E::F8E8M0FNU}) {
    expectRounded<float>(type, E::F32);
    expectRounded<double>(type, E::F64);
  }
}

}  // namespace
}  // namespace tessera
