// Kernels on the simulated device whose threads take neighbours, so that an access of a warp moves up to 512 bytes:
// elementwise ones, pieces of others, rows; what does not fit is left as it was, and the values are the evaluator's.
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

constexpr const char* kReducers = R"(HloModule m
most { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] maximum(a, b) }
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
)";

// Softmax of rows of so many elements.
std::string softmaxOf(const std::string& rows, const std::string& length) {
  const std::string whole = "f32[" + rows + "," + length + "]", one = "f32[" + rows + "]";
  return "x = " + whole + " parameter(0)\nl = f32[] constant(-inf)\nt = " + one +
         " reduce(x, l), dimensions={1}, to_apply=most\nts = " + whole + " broadcast(t), dimensions={0}\nd = " + whole +
         " subtract(x, ts)\np = " + whole + " exponential(d)\nz = f32[] constant(0)\nn = " + one +
         " reduce(p, z), dimensions={1}, to_apply=sum\nns = " + whole +
         " broadcast(n), dimensions={0}\nROOT r = " + whole + " divide(p, ns)";
}

class CudaWideAccess : public testing::TestWithParam<WideAccess> {};

TEST_P(CudaWideAccess, OfAWarp) {
  DeviceRun run;
  ASSERT_NO_FATAL_FAILURE(
      runOnDevice(std::string(kReducers) + "ENTRY e {\n" + GetParam().text + "\n}\n", "simulated:sm_80", run));
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
                   17},
        // A row is read once, and stays in registers.
        WideAccess{softmaxOf("64", "256"), {{"reads of 16", 2}, {"writes of 16", 2}}, 64},
        WideAccess{softmaxOf("64", "192"), {{"reads of 8", 3}, {"writes of 8", 3}}, 48},
        // Rows that are looked up; the numbers of two of them are read once for all their elements.
        WideAccess{"x = f32[500,64] parameter(0)\ni = s32[2048] parameter(1)\nROOT r = f32[2048,64] gather(x, i), "
                   "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
                   "slice_sizes={1,64}",
                   {{"reads of 4", 1}, {"reads of 16", 1}, {"writes of 16", 1}},
                   33},
        // Pieces whose borders are at whole accesses.
        WideAccess{
            "x = f32[256,64] parameter(0)\ny = f32[256,64] parameter(1)\nROOT r = f32[512,64] concatenate(x, y), "
            "dimensions={0}",
            {{"reads of 16", 1}, {"writes of 16", 1}},
            32},
        WideAccess{
            "x = f32[256,64] parameter(0)\ny = f32[256,64] parameter(1)\nROOT r = f32[256,128] concatenate(x, y), "
            "dimensions={1}",
            {{"reads of 16", 2}, {"writes of 16", 1}},
            32},
        WideAccess{"x = f32[500,64] parameter(0)\nz = f32[] constant(0)\nROOT r = f32[512,64] pad(x, z), "
                   "padding=0_12x0_0",
                   {{"reads of 16", 1}, {"writes of 16", 1}},
                   32},
        WideAccess{"x = f32[512,62] parameter(0)\nz = f32[] constant(0)\nROOT r = f32[512,64] pad(x, z), "
                   "padding=0_0x1_1",
                   {{"reads of 4", 1}, {"writes of 4", 1}},
                   8}));

// Threads of a grid that would be larger than pays take several elements, a grid apart.
TEST(CudaStrides, OfAGrid) {
  DeviceRun run;
  ASSERT_NO_FATAL_FAILURE(runOnDevice(
      "HloModule m\nENTRY e { x = u8[8388613] parameter(0) ROOT r = u8[8388613] negate(x) }", "simulated:sm_80", run));
  expectEvaluatorsResults(run);
  EXPECT_TRUE(run.executable->deviceReports().empty());
}

}  // namespace
}  // namespace tessera
