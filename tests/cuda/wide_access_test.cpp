// Elementwise kernels on the simulated device: a thread takes neighbours, so that an access of a warp moves up to 512
// bytes; what does not fit is left as it was, and the values are the evaluator's.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/cuda/device_run.h"

namespace tessera {
namespace {

struct WideAccess {
  std::string text;
  // By "reads of 16": how many accesses the first warp makes.
  std::map<std::string, int> accesses;
  int64_t sectors = 0;
};

class CudaWideAccess : public testing::TestWithParam<WideAccess> {};

TEST_P(CudaWideAccess, OfAWarp) {
  DeviceRun run;
  ASSERT_NO_FATAL_FAILURE(runOnDevice("HloModule m\nENTRY e {\n" + GetParam().text + "\n}\n", "simulated:sm_80", run));
  expectEvaluatorsResults(run);
  for (const DeviceReport& report : run.executable->deviceReports())
    ADD_FAILURE() << report.kind << ", " << report.place << ": " << report.text;

  const Module& optimized = run.executable->optimized();
  const auto traced = run.executable->warpAccesses(optimized.entryComputation().root, run.arguments, {}, {});
  ASSERT_TRUE(traced) << traced.error().toString();
  std::map<std::string, int> accesses;
  int64_t sectors = 0;
  for (const WarpAccess& access : *traced) {
    ++accesses[(access.isWrite ? "writes of " : "reads of ") + std::to_string(access.bytes)];
    sectors += access.units;
  }
  EXPECT_EQ(accesses, GetParam().accesses);
  EXPECT_EQ(sectors, GetParam().sectors);
}

INSTANTIATE_TEST_SUITE_P(
    All, CudaWideAccess,
    testing::Values(
        // The last neighbours of an odd length are taken one by one.
        WideAccess{"x = f32[32769] parameter(0)\nROOT r = f32[32769] negate(x)",
                   {{"reads of 16", 1}, {"writes of 16", 1}},
                   32},
        // Too few for 8192 threads with several each.
        WideAccess{
            "x = f32[8192] parameter(0)\nROOT r = f32[8192] negate(x)", {{"reads of 4", 1}, {"writes of 4", 1}}, 8},
        WideAccess{"x = f64[128,128] parameter(0)\nROOT r = f64[128,128] negate(x)",
                   {{"reads of 16", 1}, {"writes of 16", 1}},
                   32},
        WideAccess{"x = c64[128,130] parameter(0)\nROOT r = c64[128,130] negate(x)",
                   {{"reads of 16", 1}, {"writes of 16", 1}},
                   32},
        WideAccess{"x = bf16[256,264] parameter(0)\nROOT r = bf16[256,264] negate(x)",
                   {{"reads of 16", 1}, {"writes of 16", 1}},
                   32},
        // As many as fill 16 bytes of the wider type.
        WideAccess{"x = bf16[128,264] parameter(0)\nROOT r = f32[128,264] convert(x)",
                   {{"reads of 8", 1}, {"writes of 16", 1}},
                   24},
        WideAccess{
            "x = s8[128,264] parameter(0)\nROOT r = s8[128,264] negate(x)", {{"reads of 4", 1}, {"writes of 4", 1}}, 8},
        // Rows that begin at every second element.
        WideAccess{"x = f32[128,300] parameter(0)\nROOT r = f32[128,256] slice(x), slice={[0:128],[2:258]}",
                   {{"reads of 8", 1}, {"writes of 8", 1}},
                   17},
        // Rows that begin anywhere.
        WideAccess{"x = f32[128,301] parameter(0)\nROOT r = f32[128,256] slice(x), slice={[0:128],[0:256]}",
                   {{"reads of 4", 1}, {"writes of 4", 1}},
                   8},
        // What is the same for all neighbours is read once.
        WideAccess{"x = f32[128] parameter(0)\nROOT r = f32[128,256] broadcast(x), dimensions={0}",
                   {{"reads of 4", 1}, {"writes of 16", 1}},
                   17}));

}  // namespace
}  // namespace tessera
