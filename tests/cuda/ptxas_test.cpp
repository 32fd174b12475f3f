// The toolkit's assembler takes the fixtures, where it is installed: what the simulated device runs is PTX.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/cuda/assembly.h"
#include "tests/support/skips.h"

namespace tessera::cuda {
namespace {

TEST(CudaPtxas, TakesTheFixtures) {
  if (!hasPtxas()) TESSERA_SKIP("no-ptxas");
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(TESSERA_CUDA_FIXTURES)) {
    if (file.path().extension() != ".ptx") continue;
    ++count;
    for (const std::string architecture : {"sm_80", "sm_90"})
      EXPECT_EQ(std::system(("ptxas -arch=" + architecture + " -o /dev/null '" + file.path().string() + "'").c_str()),
                0);
  }
  EXPECT_GE(count, 1);
}

}  // namespace
}  // namespace tessera::cuda
