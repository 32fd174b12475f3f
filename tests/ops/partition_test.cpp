// Every case of every case file, annotated with drawn shardings of its arguments and results and cut by the
// partitioner: the devices together give the values of the whole program. Tiles that do not divide a dimension are
// drawn as well.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/evaluate/device_values.h"
#include "core/evaluate/replicas.h"
#include "core/formats/hlo_text.h"
#include "core/formats/npz.h"
#include "core/ops/inference/infer.h"
#include "core/passes/partition/partition.h"
#include "tests/ops/case_file.h"

namespace tessera::cases {
namespace {

// A sharding over so many devices, which are the product of `factors`: each goes to a dimension, or makes copies.
std::string drawSharding(const Shape& shape, const std::vector<int64_t>& factors, std::mt19937& random) {
  std::vector<int64_t> tiles(shape.dimensions.size() + 1, 1);
  int64_t devices = 1;
  for (int64_t factor : factors) {
    tiles[random() % tiles.size()] *= factor;
    devices *= factor;
  }
  std::vector<int64_t> order(static_cast<size_t>(devices));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  std::ranges::shuffle(order, random);
  return fmt::format("{{devices=[{}]{} last_tile_dim_replicate}}", fmt::join(tiles, ","), fmt::join(order, ","));
}

void annotate(Module& module, InstructionId id, const std::vector<int64_t>& factors, std::mt19937& random) {
  const std::vector<ShapeLeaf> leaves = leavesOf(module.shapeOf(id));
  std::vector<std::string> texts;
  for (const ShapeLeaf& leaf : leaves)
    texts.push_back(leaf.shape->isArray() ? drawSharding(*leaf.shape, factors, random) : "{replicated}");
  if (texts.empty()) return;
  AttributeSet attributes = *module.at(id).attributes;
  attributes.set(Attr::sharding,
                 RawText{module.shapeOf(id).isTuple() ? fmt::format("{{{}}}", fmt::join(texts, ", ")) : texts[0]});
  module.setAttributes(id, std::move(attributes));
}

struct WholeRun {
  Module module;
  NamedArrays arguments;
  std::vector<Literal> outputs;
};

// Nullopt: the case does not read, run or give values on one device.
std::optional<WholeRun> runWhole(const Section& section, const Variant& variant) {
  auto read = readHloText(textOf(section, variant));
  if (!read.module || verify(*read.module).hasErrors()) return std::nullopt;
  WholeRun out{std::move(*read.module), {}, {}};
  const std::vector<std::string> texts = directivesOf(section, variant, "in");
  const std::vector<Shape> shapes = entryArgumentShapes(out.module);
  if (texts.size() != shapes.size()) return std::nullopt;
  std::vector<Literal> arguments;
  for (size_t i = 0; i < shapes.size(); ++i) {
    auto argument = argumentOf(texts[i], shapes[i], i);
    if (!argument) return std::nullopt;
    arguments.push_back(std::move(*argument));
    out.arguments[fmt::format("arg{}", i)] = arguments.back();
  }
  auto outputs = evaluateModule(out.module, arguments);
  if (!outputs) return std::nullopt;
  out.outputs = std::move(*outputs);
  return out;
}

Result<DeviceArrays> runCut(const Module& program, DeviceGrid grid, const NamedArrays& arguments) {
  TESSERA_ASSIGN_OR_RETURN(const DeviceArrays cut, argumentsByDevice(program, grid, arguments, {}));
  return runOnDevices(grid, [&](Communicator& communicator) {
    EvaluateOptions options;
    options.communicator = &communicator;
    return evaluateModule(program, cut[static_cast<size_t>(communicator.device())], options);
  });
}

void expectSame(const WholeRun& whole, const Module& program, const DeviceArrays& outputs,
                std::optional<Tolerance> tolerance) {
  for (size_t k = 0; k < whole.outputs.size(); ++k) {
    const auto values = comparable(program, outputs, k, whole.outputs[k].shape());
    ASSERT_TRUE(values) << values.error().toString() << "\n" << printHloText(program);
    for (const Literal& value : *values) {
      const std::string text =
          difference(whole.outputs[k], value, tolerance.value_or(defaultTolerance(value.shape().type)));
      EXPECT_TRUE(text.empty()) << "result " << k << ": " << text << "\n" << printHloText(program);
    }
  }
}

void runCutAs(const WholeRun& whole, const std::vector<int64_t>& factors, std::mt19937& random,
              std::optional<Tolerance> tolerance) {
  Module module = whole.module;
  const Computation entry = module.entryComputation();
  for (InstructionId parameter : entry.parameters) annotate(module, parameter, factors, random);
  annotate(module, entry.root, factors, random);
  if (!isShardedProgram(module)) return;  // the result is an argument
  DeviceGrid grid;
  for (int64_t factor : factors) grid.partitions *= factor;
  const auto program = partitionedFor(module, grid);
  ASSERT_TRUE(program) << program.error().toString() << "\n" << printHloText(module);
  for (const Diagnostic& d : verify(*program).items())
    EXPECT_NE(d.severity, Severity::Error) << d.toString() << "\n" << printHloText(*program);
  const auto outputs = runCut(*program, grid, whole.arguments);
  ASSERT_TRUE(outputs) << outputs.error().toString() << "\n" << printHloText(*program);
  expectSame(whole, *program, *outputs, tolerance);
}

bool isOnOneDevice(const Section& section, const Variant& variant) {
  return !has(section, variant, "replicas") && !has(section, variant, "partitions") && !has(section, variant, "fails");
}

bool asksForItsDevice(const Module& module) {
  return std::ranges::any_of(module.entryComputation().instructions,
                             [&](InstructionId id) { return module.at(id).opcode == Opcode::PartitionId; });
}

class PartitionedCases : public testing::TestWithParam<std::string> {};

TEST_P(PartitionedCases, GiveTheValuesOfTheWhole) {
  constexpr int kDraws = 4;
  std::mt19937 random(1);
  forEachCase(readFile(GetParam()), [&](const Section& section, const Variant& variant) {
    if (!isOnOneDevice(section, variant)) return;
    const auto whole = runWhole(section, variant);
    if (!whole || asksForItsDevice(whole->module)) return;
    for (const std::vector<int64_t>& factors : {std::vector<int64_t>{2}, {3}, {2, 2}, {2, 3}})
      for (int draw = 0; draw < kDraws && !HasFatalFailure(); ++draw)
        runCutAs(*whole, factors, random, toleranceOf(section, variant));
  });
}

INSTANTIATE_TEST_SUITE_P(Files, PartitionedCases, testing::ValuesIn(fileNames()), testName);

}  // namespace
}  // namespace tessera::cases
