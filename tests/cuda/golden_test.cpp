// The kernels of small programs as approved PTX: golden/NAME.hlo compiled for sm_80 gives golden/NAME.ptx byte for byte,
// and the toolkit's assembler takes it without spilling. After a wanted change: tests/approve.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "backends/backend.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "tests/support/skips.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = TESSERA_CUDA_GOLDEN;

std::string contentOf(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

Result<std::string> ptxOf(const std::string& name) {
  ReadResult read = readHloText(contentOf(kFolder / (name + ".hlo")));
  if (!read.module) return fail(ErrorKind::Invalid, name + ".hlo does not read");
  inferModule(*read.module);
  TESSERA_ASSIGN_OR_RETURN(const auto backend, makeBackend("cuda"));
  CompileOptions options;
  options.device = "sm_80";
  options.keepsCode = true;
  TESSERA_ASSIGN_OR_RETURN(const auto executable, backend->compile(*read.module, options));
  return executable->ptx(name);
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(kFolder))
    if (entry.path().extension() == ".hlo") out.push_back(entry.path().stem().string());
  std::ranges::sort(out);
  return out;
}

class CudaGolden : public testing::TestWithParam<std::string> {};

TEST_P(CudaGolden, Kernels) {
  const auto ptx = ptxOf(GetParam());
  ASSERT_TRUE(ptx) << ptx.error().toString();
  ASSERT_NE(ptx->find(".entry"), std::string::npos) << *ptx;
  const fs::path golden = kFolder / (GetParam() + ".ptx");
  if (std::getenv("TESSERA_APPROVE"))
    std::ofstream(golden, std::ios::binary) << *ptx;
  else
    EXPECT_EQ(contentOf(golden), *ptx) << "if this is right: tests/approve";
}

INSTANTIATE_TEST_SUITE_P(All, CudaGolden, testing::ValuesIn(names()), [](const auto& info) { return info.param; });

// What `ptxas -v` says of a kernel that spills: "8 bytes spill stores".
TEST(CudaPtxas, TheGoldenKernelsSpillNothing) {
  if (std::system("ptxas --version > /dev/null 2>&1") != 0) TESSERA_SKIP("no-ptxas");
  for (const std::string& name : names()) {
    const std::string file = "'" + (kFolder / (name + ".ptx")).string() + "'";
    const std::string assemble = "ptxas -v -arch=sm_80 -o /dev/null " + file + " > /dev/null";
    EXPECT_EQ(std::system((assemble + " 2> /dev/null").c_str()), 0) << name;
    EXPECT_NE(std::system(("{ " + assemble + "; } 2>&1 | grep -q '[1-9][0-9]* bytes spill'").c_str()), 0) << name;
  }
}

}  // namespace
}  // namespace tessera
