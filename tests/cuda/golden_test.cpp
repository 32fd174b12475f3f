// The kernels of small programs as approved PTX: golden/NAME.hlo compiled for sm_80 gives golden/NAME.ptx byte for
// byte, and the toolkit's assembler takes it without spilling. After a wanted change: tests/approve. On the simulated
// device they give the evaluator's values without a report.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/evaluate/argument_rules.h"
#include "core/evaluate/compare.h"
#include "core/evaluate/evaluate.h"
#include "tests/cuda/assembly.h"
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

Module goldenModule(const std::string& name) {
  ReadResult read = readHloText(contentOf(kFolder / (name + ".hlo")));
  EXPECT_TRUE(read.module) << name;
  inferModule(*read.module);
  return std::move(*read.module);
}

Result<std::unique_ptr<Executable>> compiled(const Module& module, const std::string& device) {
  TESSERA_ASSIGN_OR_RETURN(const auto backend, makeBackend("cuda"));
  CompileOptions options;
  options.device = device;
  return backend->compile(module, options);
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
  const auto executable = compiled(goldenModule(GetParam()), "sm_80");
  ASSERT_TRUE(executable) << executable.error().toString();
  const auto ptx = (*executable)->ptx(GetParam());
  ASSERT_TRUE(ptx) << ptx.error().toString();
  ASSERT_NE(ptx->find(".entry"), std::string::npos) << *ptx;
  const fs::path golden = kFolder / (GetParam() + ".ptx");
  if (std::getenv("TESSERA_APPROVE"))
    std::ofstream(golden, std::ios::binary) << *ptx;
  else
    EXPECT_EQ(contentOf(golden), *ptx) << "if this is right: tests/approve";
}

TEST_P(CudaGolden, Runs) {
  const Module module = goldenModule(GetParam());
  const auto executable = compiled(module, "simulated:sm_80");
  ASSERT_TRUE(executable) << executable.error().toString();
  const auto arguments = argumentsBy({}, module);
  ASSERT_TRUE(arguments) << arguments.error().toString();
  const auto found = (*executable)->run(*arguments);
  ASSERT_TRUE(found) << found.error().toString();
  const auto wanted = evaluateModule(module, *arguments);
  ASSERT_TRUE(wanted) << wanted.error().toString();
  const Comparison comparison =
      compareLiterals((*wanted)[0], (*found)[0], defaultTolerance((*wanted)[0].shape().type), "result");
  EXPECT_TRUE(comparison.equal) << comparison.firstMismatch;
  // Where the data say what is read, neighbours may read far from each other; so they may from a table of roots.
  const bool readsByData = GetParam() == "sort" || GetParam() == "gather", readsTable = GetParam() == "fourier";
  for (const DeviceReport& report : (*executable)->deviceReports()) {
    const bool isExpected = readsByData || (readsTable && report.place.find(": ld.global") != std::string::npos);
    EXPECT_TRUE(isExpected && !report.isError) << report.kernel << ", " << report.place << ": " << report.text;
  }
}

INSTANTIATE_TEST_SUITE_P(All, CudaGolden, testing::ValuesIn(names()), [](const auto& info) { return info.param; });

// What `ptxas -v` says of a kernel that spills: "8 bytes spill stores".
TEST(CudaPtxas, TheGoldenKernelsSpillNothing) {
  if (!hasPtxas()) TESSERA_SKIP("no-ptxas");
  for (const std::string& name : names()) {
    const std::string file = "'" + (kFolder / (name + ".ptx")).string() + "'";
    const std::string assemble = "ptxas -v -arch=sm_80 -o /dev/null " + file + " > /dev/null";
    EXPECT_EQ(std::system((assemble + " 2> /dev/null").c_str()), 0) << name;
    EXPECT_NE(std::system(("{ " + assemble + "; } 2>&1 | grep -q '[1-9][0-9]* bytes spill'").c_str()), 0) << name;
  }
}

}  // namespace
}  // namespace tessera
