// Every case of every case file: it reads, verifies and prints as it reads; the evaluator and the CPU backend give the
// expected values. A backend may refuse only where the case says so, and then it must.
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/backend.h"
#include "core/formats/hlo_text.h"
#include "core/ops/infer.h"
#include "tests/ops/case_file.h"

namespace tessera::cases {
namespace {

Module moduleOf(const std::string& text) {
  auto read = readHloText(text);
  for (const Diagnostic& d : read.diagnostics.items()) ADD_FAILURE() << d.toString() << "\n" << text;
  if (!read.module) return Module();
  const Diagnostics found = verify(*read.module);
  for (const Diagnostic& d : found.items()) ADD_FAILURE() << d.toString() << "\n" << text;
  return std::move(*read.module);
}

void appendLeaves(const Shape& shape, std::vector<Shape>& out) {
  if (shape.isArray()) out.push_back(shape);
  for (const Shape& element : shape.elements) appendLeaves(element, out);
}

struct Values {
  std::vector<Literal> arguments, expected;
};

std::vector<Literal> literalsOf(const std::vector<std::string>& texts, const std::vector<Shape>& shapes, const char* what) {
  std::vector<Literal> out;
  EXPECT_EQ(texts.size(), shapes.size()) << "lines `// " << what << "`";
  for (size_t i = 0; i < std::min(texts.size(), shapes.size()); ++i) {
    auto literal = argumentOf(texts[i], shapes[i], i);
    if (literal)
      out.push_back(std::move(*literal));
    else
      ADD_FAILURE() << what << " " << i << ": " << literal.error().toString();
  }
  return out;
}

Values valuesOf(const Section& section, const Variant& variant, const Module& module) {
  std::vector<Shape> results;
  appendLeaves(module.shapeOf(module.entryComputation().root), results);
  return {literalsOf(directivesOf(section, variant, "in"), entryArgumentShapes(module), "in"),
          literalsOf(directivesOf(section, variant, "out"), results, "out")};
}

void expectValues(const Result<std::vector<Literal>>& found, const Values& values, std::optional<Tolerance> tolerance,
                  const std::string& who) {
  ASSERT_TRUE(found) << who << ": " << found.error().toString();
  ASSERT_EQ(found->size(), values.expected.size()) << who;
  for (size_t i = 0; i < found->size(); ++i) {
    const std::string text = difference(values.expected[i], (*found)[i], tolerance);
    EXPECT_TRUE(text.empty()) << who << ", result " << i << ": " << text;
  }
}

void runOn(const std::string& backendName, const Section& section, const Variant& variant, const Module& module,
           const Values& values) {
  auto backend = makeBackend(backendName);
  ASSERT_TRUE(backend) << backend.error().toString();
  CompileOptions options;
  options.threads = 1;
  auto executable = (*backend)->compile(module, options);
  if (has(section, variant, backendName + " refuses")) {
    ASSERT_FALSE(executable) << backendName << " is said to refuse this case, but takes it";
    EXPECT_EQ(executable.error().fault, Fault::Unsupported) << executable.error().toString();
    return;
  }
  ASSERT_TRUE(executable) << backendName << ": " << executable.error().toString();
  expectValues((*executable)->run(values.arguments), values, toleranceOf(section, variant), backendName);
}

void runCase(const Section& section, const Variant& variant) {
  const std::string text = textOf(section, variant);
  const Module module = moduleOf(text);
  if (testing::Test::HasFailure() && !module.contains(module.entry())) return;
  const std::string printed = printHloText(module);
  const auto again = readHloText(printed);
  ASSERT_TRUE(again.module) << printed;
  EXPECT_EQ(printHloText(*again.module), printed);
  const Values values = valuesOf(section, variant, module);
  if (values.arguments.size() != entryArgumentShapes(module).size()) return;
  for (std::string_view name : backendNames()) runOn(std::string(name), section, variant, module, values);
}

class OpCases : public testing::TestWithParam<std::string> {};

TEST_P(OpCases, GiveTheExpectedValues) {
  const File file = readFile(GetParam());
  size_t count = 0;
  for (const Section& section : file.sections) {
    if (section.wrong) continue;
    for (const Variant& variant : variantsOf(section)) {
      SCOPED_TRACE(file.name + ".hlo:" + std::to_string(section.line) + " case " + section.name + " " + keyOf(variant));
      runCase(section, variant);
      ++count;
    }
  }
  EXPECT_GT(count, 0u);
}

std::string testName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, OpCases, testing::ValuesIn(fileNames()), testName);

}  // namespace
}  // namespace tessera::cases
