// Every case of every case file: it reads, verifies and prints as it reads; the evaluator and the CPU backend give the
// expected values. A backend may refuse only where the case says so, and then it must.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>

#include "backends/backend.h"
#include "core/evaluate/replicas.h"
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

int64_t countOf(const Section& section, const Variant& variant, const std::string& word) {
  const std::vector<std::string> given = directivesOf(section, variant, word);
  int64_t out = 1;
  if (!given.empty()) std::from_chars(given[0].data(), given[0].data() + given[0].size(), out);
  return out;
}

// `// replicas N` and `// partitions M`; one of each where they do not stand.
DeviceGrid gridOf(const Section& section, const Variant& variant) {
  return {countOf(section, variant, "replicas"), countOf(section, variant, "partitions")};
}

// The lines `// in` and `// out` hold device 0's leaves first, then device 1's.
Values valuesOf(const Section& section, const Variant& variant, const Module& module) {
  std::vector<Shape> results, arguments, allResults;
  appendLeaves(module.shapeOf(module.entryComputation().root), results);
  const std::vector<Shape> entry = entryArgumentShapes(module);
  for (int64_t device = 0; device < gridOf(section, variant).count(); ++device) {
    arguments.insert(arguments.end(), entry.begin(), entry.end());
    allResults.insert(allResults.end(), results.begin(), results.end());
  }
  return {literalsOf(directivesOf(section, variant, "in"), arguments, "in"),
          literalsOf(directivesOf(section, variant, "out"), allResults, "out")};
}

// Source and sink of a case: what a device gives out comes in again, first in first out.
HostFeeds loopFeeds() {
  auto queues = std::make_shared<std::map<int64_t, std::deque<Literal>>>();
  HostFeeds feeds;
  feeds.outfeed = [queues](int64_t device, const Literal& value) -> Status {
    (*queues)[device].push_back(value);
    return {};
  };
  feeds.infeed = [queues](int64_t device, const Shape&) -> Result<Literal> {
    std::deque<Literal>& queue = (*queues)[device];
    if (queue.empty()) return fail("nothing went out that could come in");
    Literal value = std::move(queue.front());
    queue.pop_front();
    return value;
  };
  return feeds;
}

using Outputs = std::vector<Literal>;

// Every device with its share of the arguments; the outputs side by side.
Result<Outputs> runOnAll(Backend& backend, const Module& module, DeviceGrid grid, const std::vector<Literal>& arguments) {
  const size_t each = entryArgumentShapes(module).size();
  const auto program = [&](Communicator& communicator) -> Result<Outputs> {
    CompileOptions options;
    options.threads = 1;
    TESSERA_ASSIGN_OR_RETURN(auto executable, backend.compile(module, options));
    RunOptions run;
    run.communicator = &communicator;
    return executable->run(std::span(arguments).subspan(static_cast<size_t>(communicator.device()) * each, each), run);
  };
  TESSERA_ASSIGN_OR_RETURN(std::vector<Outputs> outputs, runOnDevices(grid, program, loopFeeds()));
  Outputs all;
  for (Outputs& device : outputs) all.insert(all.end(), device.begin(), device.end());
  return all;
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
  expectValues(runOnAll(**backend, module, gridOf(section, variant), values.arguments), values, toleranceOf(section, variant), backendName);
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
  if (static_cast<int64_t>(values.arguments.size()) != gridOf(section, variant).count() * static_cast<int64_t>(entryArgumentShapes(module).size())) return;
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
