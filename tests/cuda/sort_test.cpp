// Sorts of long lines on the simulated device: by radix where one key decides the order, else by merging; stable, with
// the evaluator's values.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "core/evaluate/argument_rules.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

struct LongSort {
  std::string name, text;
  bool isByRadix = true;
};

// Of operands x (type[shape]) and, where it has a payload, y (s32); less: of parameters a and b of the type.
LongSort longSort(const std::string& name, const std::string& type, const std::string& shape, const std::string& less,
                  bool hasPayload, bool isByRadix = true) {
  const std::string array = type + "[" + shape + "]", other = "s32[" + shape + "]";
  const std::string dimension = shape.find(',') == std::string::npos ? "0" : "1";
  std::string text = "HloModule m\nless {\n a = " + type + "[] parameter(0)\n b = " + type + "[] parameter(1)\n";
  if (hasPayload) text += " c = s32[] parameter(2)\n d = s32[] parameter(3)\n";
  text += less + "}\nENTRY e {\n x = " + array + " parameter(0)\n";
  if (hasPayload)
    text += " y = " + other + " iota(), iota_dimension=" + dimension + "\n ROOT r = (" + array + ", " + other +
            ") sort(x, y)";
  else
    text += " ROOT r = " + array + " sort(x)";
  return {name, text + ", dimensions={" + dimension + "}, is_stable=true, to_apply=less\n}\n", isByRadix};
}

const std::string kBelow = " ROOT r = pred[] compare(a, b), direction=LT\n";
const std::string kTotal = " ROOT r = pred[] compare(a, b), direction=LT, type=TOTALORDER\n";
// Zeros are equal, NaN are equal and last.
const std::string kByValue =
    " z = f32[] constant(0)\n n = f32[] constant(nan)\n"
    " az = pred[] compare(a, z), direction=EQ\n bz = pred[] compare(b, z), direction=EQ\n"
    " a0 = f32[] select(az, z, a)\n b0 = f32[] select(bz, z, b)\n"
    " an = pred[] compare(a, a), direction=NE\n bn = pred[] compare(b, b), direction=NE\n"
    " a1 = f32[] select(an, n, a0)\n b1 = f32[] select(bn, n, b0)\n"
    " ROOT r = pred[] compare(a1, b1), direction=LT, type=TOTALORDER\n";

// Some numbers more than once, both signs; of floats also both zeros and, where the order has a place for it, NaN.
void fillForSort(Literal& literal, bool hasNan) {
  const auto fill = [&]<class T>(T) {
    auto values = literal.mutableData<T>();
    uint64_t state = 88172645463325252u;
    for (T& value : values) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      value = static_cast<T>(static_cast<int64_t>(state % 3001) - (std::is_signed_v<T> ? 1500 : 0));
      if constexpr (std::is_floating_point_v<T>) {
        value /= 8;
        if (value == 0 && state >> 63) value = -value;
        if (hasNan && state % 50 == 0) value = std::numeric_limits<T>::quiet_NaN();
      } else if constexpr (sizeof(T) == 8) {
        value *= static_cast<T>(0x100000001);
      }
    }
  };
  switch (literal.shape().type) {
    case ElementType::F32: return fill(float{});
    case ElementType::F64: return fill(double{});
    case ElementType::S32: return fill(int32_t{});
    case ElementType::U64: return fill(uint64_t{});
    default: FAIL();
  }
}

class CudaSort : public testing::TestWithParam<LongSort> {};

TEST_P(CudaSort, OfALongLine) {
  ReadResult read = readHloText(GetParam().text);
  ASSERT_TRUE(read.module) << GetParam().text;
  inferModule(*read.module);
  CompileOptions options;
  options.device = "simulated:sm_80";
  const auto executable = makeBackend("cuda").value()->compile(*read.module, options);
  ASSERT_TRUE(executable) << executable.error().toString();
  const auto ptx = (*executable)->ptx("m");
  ASSERT_TRUE(ptx) << ptx.error().toString();
  EXPECT_EQ(ptx->find("radix sort") != std::string::npos, GetParam().isByRadix);
  std::vector<Literal> arguments = argumentsBy({}, *read.module).value();
  fillForSort(arguments[0], GetParam().text.find("TOTALORDER") != std::string::npos);
  const auto found = (*executable)->run(arguments);
  ASSERT_TRUE(found) << found.error().toString();
  const auto wanted = evaluateModule(*read.module, arguments);
  ASSERT_TRUE(wanted) << wanted.error().toString();
  ASSERT_EQ(found->size(), wanted->size());
  for (size_t i = 0; i < found->size(); ++i)
    EXPECT_TRUE(std::ranges::equal((*found)[i].bytes(), (*wanted)[i].bytes())) << "result " << i;
  for (const DeviceReport& report : (*executable)->deviceReports())
    EXPECT_FALSE(report.isError) << report.kind << ", " << report.place << ": " << report.text;
}

INSTANTIATE_TEST_SUITE_P(
    All, CudaSort,
    testing::Values(longSort("keys", "f32", "5000", kByValue, false), longSort("pairs", "f32", "4096", kTotal, true),
                    longSort("integers", "s32", "2,4100", " ROOT r = pred[] compare(a, b), direction=GT\n", true),
                    longSort("backwards", "s32", "4096", " ROOT r = pred[] compare(b, a), direction=LT\n", true),
                    longSort("wide", "u64", "4099", kBelow, false), longSort("wideFloats", "f64", "4096", kBelow, true),
                    longSort("byTwo", "s32", "4096",
                             " e = pred[] compare(a, b), direction=EQ\n f = pred[] compare(c, d), direction=GT\n"
                             " l = pred[] compare(a, b), direction=LT\n ROOT r = pred[] select(e, f, l)\n",
                             true, false)),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tessera
