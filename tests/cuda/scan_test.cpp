// Prefix sums of long rows on the simulated device: one pass over pieces that look back at earlier ones, more of them
// than a group has; the same bits each time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "core/evaluate/argument_rules.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

constexpr int64_t kScanned = 2048 * 33 + 5;

// Of rows of so many elements, forwards or backwards.
std::string scanText(const std::string& type, int64_t lines, bool reversed) {
  const std::string shape = type + "[" + std::to_string(lines) + "," + std::to_string(kScanned) + "]";
  const std::string far = std::to_string(kScanned - 1);
  const std::string window = "window={size=1x" + std::to_string(kScanned) + " pad=0_0x" +
                             (reversed ? "0_" + far : far + "_0") + "}, to_apply=sum";
  return "HloModule m\nsum {\n a = " + type + "[] parameter(0)\n b = " + type + "[] parameter(1)\n ROOT s = " + type +
         "[] add(a, b)\n}\nENTRY e {\n x = " + shape + " parameter(0)\n zero = " + type +
         "[] constant(0)\n ROOT r = " + shape + " reduce-window(x, zero), " + window + "\n}\n";
}

struct Scanned {
  std::unique_ptr<Executable> executable;
  std::vector<Literal> arguments;
};

Scanned scanned(const std::string& text) {
  ReadResult read = readHloText(text);
  EXPECT_TRUE(read.module) << text;
  inferModule(*read.module);
  Scanned out;
  CompileOptions options;
  options.device = "simulated:sm_80";
  auto executable = makeBackend("cuda").value()->compile(*read.module, options);
  EXPECT_TRUE(executable) << executable.error().toString();
  if (executable) out.executable = std::move(*executable);
  out.arguments = argumentsBy({}, *read.module).value();
  return out;
}

void expectNoReports(const Executable& executable) {
  for (const DeviceReport& report : executable.deviceReports())
    ADD_FAILURE() << report.kind << ", " << report.place << ": " << report.text;
}

TEST(CudaScan, PiecesLookBack) {
  const Scanned scan = scanned(scanText("s32", 2, false));
  const auto found = scan.executable->run(scan.arguments);
  ASSERT_TRUE(found) << found.error().toString();
  const auto from = scan.arguments[0].data<int32_t>(), to = (*found)[0].data<int32_t>();
  std::vector<int32_t> wanted(from.size());
  for (int64_t line = 0; line < 2; ++line)
    std::partial_sum(from.begin() + line * kScanned, from.begin() + (line + 1) * kScanned,
                     wanted.begin() + line * kScanned);
  EXPECT_TRUE(std::ranges::equal(wanted, to));
  expectNoReports(*scan.executable);
}

TEST(CudaScan, WideValuesBackwardsAreTheSameEachTime) {
  const Scanned scan = scanned(scanText("f64", 1, true));
  const auto found = scan.executable->run(scan.arguments), again = scan.executable->run(scan.arguments);
  ASSERT_TRUE(found) << found.error().toString();
  ASSERT_TRUE(again) << again.error().toString();
  const auto from = scan.arguments[0].data<double>(), to = (*found)[0].data<double>();
  EXPECT_EQ(std::memcmp(to.data(), (*again)[0].data<double>().data(), to.size_bytes()), 0);
  double sum = 0, worst = 0;
  for (size_t i = from.size(); i-- > 0;) {
    sum += from[i];
    worst = std::max(worst, std::abs(to[i] - sum));
  }
  EXPECT_LT(worst, 1e-8);
  expectNoReports(*scan.executable);
}

}  // namespace
}  // namespace tessera
