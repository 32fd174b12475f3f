// Every case of every case file, and every example of resources/examples/reference: it reads, verifies and prints as it
// reads; the evaluator and the CPU backend give the expected values. A backend may refuse only where the case says so,
// and then it must.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <iterator>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"
#include "core/evaluate/replicas.h"
#include "core/formats/hlo_text.h"
#include "core/hlo/memory_map.h"
#include "core/hlo/numbers.h"
#include "core/ops/inference/infer.h"
#include "core/tools/help/help_page.h"
#include "core/tools/help/reference_figure.h"
#include "tests/ops/case_file.h"

namespace tessera::cases {
namespace {

Module moduleOf(const std::string& text) {
  auto read = readHloText(text);
  for (const Diagnostic& d : read.diagnostics.items()) ADD_FAILURE() << d.toString() << "\n" << text;
  if (!read.module) return Module();
  const Diagnostics found = verify(*read.module);
  for (const Diagnostic& d : found.items())
    if (d.severity == Severity::Error) ADD_FAILURE() << d.toString() << "\n" << text;
  return std::move(*read.module);
}

void appendLeaves(const Shape& shape, std::vector<Shape>& out) {
  if (shape.isArray()) out.push_back(shape);
  for (const Shape& element : shape.elements) appendLeaves(element, out);
}

struct Values {
  std::vector<Literal> arguments, expected;
};

std::vector<Literal> literalsOf(const std::vector<std::string>& texts, const std::vector<Shape>& shapes,
                                const char* what) {
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
  if (has(section, variant, "fails")) allResults.resize(directivesOf(section, variant, "out").size());
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

// A backend, and the device that it computes on.
struct Runner {
  std::string backend, device;
};

void expectNoReports(const Executable& executable) {
  for (const DeviceReport& report : executable.deviceReports())
    EXPECT_FALSE(report.isError) << report.kernel << ", " << report.place << ": " << report.kind << ": " << report.text;
}

CompileOptions optionsFor(const Runner& runner) {
  CompileOptions options;
  options.threads = 1;
  options.device = runner.device;
  return options;
}

// Every device with its share of the arguments; the outputs side by side. `first` runs on device 0, the others have one
// of their own.
Result<Outputs> runOnAll(Backend& backend, const Runner& runner, const Module& module, DeviceGrid grid,
                         std::unique_ptr<Executable> first, const std::vector<Literal>& arguments) {
  const size_t each = entryArgumentShapes(module).size();
  const auto program = [&](Communicator& communicator) -> Result<Outputs> {
    std::unique_ptr<Executable> executable;
    if (communicator.device() == 0) {
      executable = std::move(first);
    } else {
      TESSERA_ASSIGN_OR_RETURN(executable, backend.compile(module, optionsFor(runner)));
    }
    RunOptions run;
    run.communicator = &communicator;
    auto outputs =
        executable->run(std::span(arguments).subspan(static_cast<size_t>(communicator.device()) * each, each), run);
    expectNoReports(*executable);
    return outputs;
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

void runOn(const Runner& runner, const Section& section, const Variant& variant, const Module& module,
           const Values& values) {
  const std::string& backendName = runner.backend;
  auto backend = makeBackend(backendName);
  ASSERT_TRUE(backend) << backend.error().toString();
  auto executable = (*backend)->compile(module, optionsFor(runner));
  if (has(section, variant, backendName + " refuses")) {
    ASSERT_FALSE(executable) << backendName << " is said to refuse this case, but takes it";
    EXPECT_EQ(executable.error().kind, ErrorKind::Unsupported) << executable.error().toString();
    return;
  }
  ASSERT_TRUE(executable) << backendName << ": " << executable.error().toString();
  if (const auto words = directivesOf(section, variant, "fails"); !words.empty()) {
    const auto outputs =
        runOnAll(**backend, runner, module, gridOf(section, variant), std::move(*executable), values.arguments);
    ASSERT_FALSE(outputs) << backendName << " is said to fail here";
    EXPECT_NE(outputs.error().toString().find(words[0]), std::string::npos) << outputs.error().toString();
    return;
  }
  const auto outputs =
      runOnAll(**backend, runner, module, gridOf(section, variant), std::move(*executable), values.arguments);
  expectValues(outputs, values, toleranceOf(section, variant), backendName);
}

// The elements in the order of memory, 0 where it holds padding.
std::string inMemory(const Literal& literal, const Shape& shape) {
  const auto map = MemoryMap::of(shape);
  if (!map) return map.error().toString();
  Shape flat = shape;
  flat.layout.reset();
  const auto logical = MemoryMap::of(flat);
  std::string out;
  for (int64_t at = 0; at < map->positions(); ++at) {
    const auto index = map->index(at);
    const int64_t element = index ? logical->linearIndex(*index) : -1;
    const std::byte* from = literal.bytes().data() + element * byteWidth(shape.type);
    out += fmt::format("{}{}", at == 0 ? "{" : ", ", index ? loadDouble(shape.type, from) : 0.0);
  }
  return out + "}";
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
  if (static_cast<int64_t>(values.arguments.size()) !=
      gridOf(section, variant).count() * static_cast<int64_t>(entryArgumentShapes(module).size()))
    return;
  for (std::string_view name : backendNames()) runOn({std::string(name), ""}, section, variant, module, values);
  if (const auto memory = directivesOf(section, variant, "memory"); !memory.empty()) {
    Shape shape = module.shapeOf(module.entryComputation().root);
    fillDefaultLayouts(shape);
    for (const std::string& sizes : directivesOf(section, variant, "padded_dimensions")) {
      std::istringstream words(sizes);
      shape.layout->paddedDimensions.assign(std::istream_iterator<int64_t>(words), {});
    }
    EXPECT_EQ(inMemory(values.expected.at(0), shape), memory[0]);
  }
}

void runSections(const File& file) {
  size_t count = 0;
  forEachCase(file, [&](const Section& section, const Variant& variant) {
    runCase(section, variant);
    ++count;
  });
  EXPECT_GT(count, 0u);
}

class OpCases : public testing::TestWithParam<std::string> {};

TEST_P(OpCases, GiveTheExpectedValues) { runSections(readFile(GetParam())); }

// Kernels as PTX, interpreted; what the CPU backend refuses is refused there, too.
TEST_P(OpCases, GiveTheExpectedValuesOnASimulatedDevice) {
  forEachCase(readFile(GetParam()), [](const Section& section, const Variant& variant) {
    if (has(section, variant, "cpu refuses")) return;
    const Module module = moduleOf(textOf(section, variant));
    const Values values = valuesOf(section, variant, module);
    if (!HasFailure()) runOn({"cuda", "simulated"}, section, variant, module, values);
  });
}

class ReferenceExamples : public testing::TestWithParam<std::string> {};

TEST_P(ReferenceExamples, GiveTheValuesOfTheDocument) { runSections(readReference(GetParam())); }

// As it stands, with its comments: it says what it shows of which op, and that op is in it.
TEST_P(ReferenceExamples, SayWhatTheyShow) {
  const Module module = moduleOf(referenceText(GetParam()));
  EXPECT_EQ(module.name, GetParam());
  const ReferenceExample* example = findReferenceExample(GetParam());
  ASSERT_TRUE(example);
  EXPECT_FALSE(example->title.empty());
  EXPECT_FALSE(example->source.empty());
  EXPECT_FALSE(example->ops.empty());
  for (const std::string& op : example->ops) {
    EXPECT_TRUE(helpPage(op)) << op;
    EXPECT_NE(example->example.text.find(" " + op + "("), std::string::npos) << op;
  }
  const auto figure = figureOf(*example);
  ASSERT_TRUE(figure) << figure.error().toString();
  EXPECT_TRUE(figure->starts_with("<svg")) << figure->substr(0, 40);
}

INSTANTIATE_TEST_SUITE_P(Files, OpCases, testing::ValuesIn(fileNames()), testName);
INSTANTIATE_TEST_SUITE_P(Files, ReferenceExamples, testing::ValuesIn(referenceNames()), testName);

}  // namespace
}  // namespace tessera::cases
