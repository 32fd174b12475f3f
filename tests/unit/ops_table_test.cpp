// Every case of tests/ops: it parses, verifies, comes back from print, and the code generator and the evaluator give
// equal values on filled arguments; what the backend refuses it refuses as unsupported.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/formats/module_file.h"
#include "core/ops/infer.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> caseNames() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(fs::path(TESSERA_SOURCE_DIR) / "tests/ops"))
    if (entry.path().extension() == ".hlo") out.push_back(entry.path().stem().string());
  std::ranges::sort(out);
  return out;
}

class OpsTable : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto read = readModule(fs::path(TESSERA_SOURCE_DIR) / "tests/ops" / (GetParam() + ".hlo"));
    for (const Diagnostic& d : read.diagnostics.items()) ADD_FAILURE() << d.toString();
    ASSERT_TRUE(read.module);
    module_.emplace(std::move(*read.module));
  }

  std::vector<Literal> arguments() const {
    std::vector<Literal> out;
    const FillRule rule{1, 0.7, 5};
    for (const Shape& shape : entryArgumentShapes(*module_)) out.push_back(fillParameter(shape, out.size(), rule).value());
    return out;
  }

  std::optional<Module> module_;
};

// The cpu's transcendental functions are approximations of a few units in the last place; inputs are the same.
Tolerance toleranceOf(ElementType type) {
  Tolerance tolerance = defaultTolerance(type);
  if (isFloat(type) || isComplex(type)) tolerance.atol = std::max(tolerance.atol, 1e-6);
  return tolerance;
}

TEST_P(OpsTable, VerifiesAndPrintsAsItReads) {
  const Diagnostics found = verify(*module_);
  for (const Diagnostic& d : found.items()) ADD_FAILURE() << d.toString();
  const std::string text = printHloText(*module_);
  const auto again = readHloText(text);
  ASSERT_TRUE(again.module) << text;
  EXPECT_EQ(printHloText(*again.module), text);
}

TEST_P(OpsTable, BackendAndEvaluatorAgree) {
  const std::vector<Literal> values = arguments();
  const auto expected = evaluateModule(*module_, values);
  ASSERT_TRUE(expected) << expected.error().toString();
  auto backend = makeBackend("cpu");
  ASSERT_TRUE(backend) << backend.error().toString();
  CompileOptions options;
  options.threads = 1;
  auto executable = (*backend)->compile(*module_, options);
  if (!executable) {
    EXPECT_EQ(executable.error().fault, Fault::Unsupported) << executable.error().toString();
    return;
  }
  const auto found = (*executable)->run(values);
  ASSERT_TRUE(found) << found.error().toString();
  ASSERT_EQ(found->size(), expected->size());
  for (size_t i = 0; i < found->size(); ++i) {
    const ElementType type = (*expected)[i].shape().type;
    const Comparison comparison = compareLiterals((*expected)[i], (*found)[i], toleranceOf(type), "out" + std::to_string(i));
    EXPECT_TRUE(comparison.equal) << comparison.firstMismatch;
  }
}

std::string testName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, OpsTable, testing::ValuesIn(caseNames()), testName);

}  // namespace
}  // namespace tessera
