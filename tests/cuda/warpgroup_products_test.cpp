// Products of matrices as wgmma on the simulated device: the evaluator's values without an error among the reports,
// with factors that lie either way, edges, batches and what follows a product; ptxas spills nothing and serializes
// nothing.
#include <fmt/format.h>

#include "tests/cuda/assembly.h"
#include "tests/cuda/device_run.h"
#include "tests/support/skips.h"

namespace tessera {
namespace {

struct ProductCase {
  const char* name;
  const char* tile;  // in the step's text
  const char* body;  // of the entry
};

const ProductCase kCases[] = {
    {"RightAcross", "128 by 64",
     "x = bf16[1000,136] parameter(0)\n y = bf16[136,520] parameter(1)\n"
     "ROOT r = f32[1000,520] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"RightAlong", "128 by 64",
     "x = f16[1000,136] parameter(0)\n y = f16[520,136] parameter(1)\n"
     "ROOT r = f32[1000,520] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}"},
    {"LeftAcrossWithAnEnd", "128 by 64",
     "x = bf16[136,1000] parameter(0)\n y = bf16[520,136] parameter(1)\n c = bf16[520] parameter(2)\n"
     "d = bf16[1000,520] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={1}\n"
     "e = bf16[1000,520] broadcast(c), dimensions={1}\n s = bf16[1000,520] add(d, e)\n"
     "z = bf16[] constant(0)\n zs = bf16[1000,520] broadcast(z), dimensions={}\n"
     "ROOT r = bf16[1000,520] maximum(s, zs)"},
    {"Batches", "128 by 128",
     "x = bf16[72,256,64] parameter(0)\n y = bf16[72,64,128] parameter(1)\n"
     "ROOT r = f32[72,256,128] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
     "rhs_contracting_dims={1}"},
    {"Bytes", "128 by 64",
     "x = f8e4m3fn[1000,272] parameter(0)\n y = f8e5m2[520,272] parameter(1)\n"
     "ROOT r = f32[1000,520] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}"},
    {"WideTilesOfBytes", "128 by 128",
     "x = f8e4m3fn[128,128,144] parameter(0)\n y = f8e4m3fn[128,128,144] parameter(1)\n"
     "ROOT r = bf16[128,128,128] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
     "rhs_contracting_dims={2}"},
    {"WideTiles", "128 by 256",
     "x = bf16[128,128,72] parameter(0)\n y = bf16[128,256,72] parameter(1)\n"
     "ROOT r = bf16[128,128,256] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
     "rhs_contracting_dims={2}"},
};

std::string programOf(const ProductCase& each) {
  return fmt::format("HloModule {}\nENTRY e {{\n{}\n}}\n", each.name, each.body);
}

// Whether the root is computed by it; tile: in the step's text.
bool isByWgmma(const Executable& executable, const std::string& tile = "") {
  const auto steps = executable.list(executable.optimized().entryComputation().root, false);
  return steps && std::ranges::any_of(*steps, [&](const StepListing& step) {
           return step.what.find("wgmma") != std::string::npos && step.what.find(tile) != std::string::npos;
         });
}

class WarpgroupProducts : public testing::TestWithParam<ProductCase> {};

TEST_P(WarpgroupProducts, AreTheEvaluatorsValues) {
  DeviceRun run;
  ASSERT_NO_FATAL_FAILURE(runOnDevice(programOf(GetParam()), "simulated:sm_90", run));
  expectEvaluatorsResults(run);
  expectNoErrors(run);
  EXPECT_TRUE(isByWgmma(*run.executable, GetParam().tile));
}

TEST_P(WarpgroupProducts, AssembleWithoutSpills) {
  if (!hasPtxas()) TESSERA_SKIP("no-ptxas");
  expectGoodAssembly(programOf(GetParam()), GetParam().name);
}

INSTANTIATE_TEST_SUITE_P(All, WarpgroupProducts, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

// Small ones have the tiles that other cards have; a card of another architecture gets none.
TEST(WarpgroupProductsChoice, IsOfLargeProductsOnOneArchitecture) {
  const auto isTaken = [](const std::string& program, const std::string& device) {
    DeviceRun run;
    runOnDevice(program, device, run);
    return isByWgmma(*run.executable);
  };
  EXPECT_TRUE(isTaken(programOf(kCases[0]), "simulated:sm_90"));
  EXPECT_FALSE(isTaken(programOf(kCases[0]), "simulated:sm_89"));
  EXPECT_FALSE(
      isTaken("HloModule m\nENTRY e {\n x = bf16[256,64] parameter(0)\n y = bf16[64,256] parameter(1)\n"
              "ROOT r = f32[256,256] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n",
              "simulated:sm_90"));
}

}  // namespace
}  // namespace tessera
