// The sequence length of real attention programs changed by one edit, verified and run. They are causal: what the
// shortened program gives is the beginning of what the whole one gives.
#include <gtest/gtest.h>

#include "backends/backend.h"
#include "core/edit/sizes/sizes.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/formats/npz.h"
#include "core/ops/inference/infer.h"
#include "tests/corpus/corpus.h"
#include "tests/support/values.h"

namespace tessera {
namespace {

// The beginning of an array along every dimension that is shorter now.
Literal beginning(const Literal& whole, const Shape& part) {
  Literal out = Literal::allocate(part).value();
  const auto width = static_cast<size_t>(byteWidth(part.type));
  for (size_t i = 0; i < static_cast<size_t>(out.elementCount()); ++i) {
    size_t rest = i, source = 0, stride = 1;
    for (size_t d = part.dimensions.size(); d-- > 0;) {
      source += rest % static_cast<size_t>(part.dimensions[d]) * stride;
      rest /= static_cast<size_t>(part.dimensions[d]);
      stride *= static_cast<size_t>(whole.shape().dimensions[d]);
    }
    std::copy_n(whole.bytes().begin() + static_cast<std::ptrdiff_t>(source * width), width,
                out.mutableBytes().begin() + static_cast<std::ptrdiff_t>(i * width));
  }
  return out;
}

Module program(const char* name) {
  ReadResult read = readHloText(slurp(corpusTexts() / name / "before.hlo"));
  EXPECT_TRUE(read.module);
  inferModule(*read.module);
  return std::move(*read.module);
}

Resizing resizedTo(const Module& module, std::vector<const char*> spots, int64_t size) {
  const Sizes sizes(module);
  std::vector<SizeWish> wishes;
  for (const char* spot : spots) wishes.push_back({dimensionNamed(module, spot).value(), size});
  auto out = sizes.resized(wishes);
  EXPECT_TRUE(out) << out.error().message;
  for (const auto& stop : out->stops) ADD_FAILURE() << module.at(stop.instruction).name << ": " << stop.text;
  return std::move(*out);
}

std::vector<Literal> runOnCpu(const Module& module, std::span<const Literal> arguments) {
  auto executable = makeBackend("cpu").value()->compile(module);
  EXPECT_TRUE(executable) << executable.error().toString();
  auto out = (*executable)->run(arguments);
  EXPECT_TRUE(out) << out.error().toString();
  return std::move(*out);
}

void expectBeginnings(const char* name, const Module& before, const Module& after) {
  const NamedArrays given = readNpz((corpusValues() / name / "inputs.npz").string()).value(),
                    expected = readNpz((corpusValues() / name / "expected.npz").string()).value();
  std::vector<Literal> arguments;
  const auto shapes = entryArgumentShapes(after);
  for (size_t i = 0; i < shapes.size(); ++i)
    arguments.push_back(beginning(given.at("arg" + std::to_string(i)), shapes[i]));
  const auto found = runOnCpu(after, arguments);
  ASSERT_FALSE(found.empty());
  const Literal wanted = beginning(expected.at("out0"), found[0].shape());
  EXPECT_TRUE(test::sameValues(std::vector{wanted}, found, {Tolerance{1e-4, 1e-5}})) << name;
  EXPECT_NE(toString(found[0].shape(), false), toString(before.shapeOf(before.entryComputation().root), false));
}

Module applied(const Module& module, const Resizing& resizing) {
  auto done = apply(module, resizing.edit);
  EXPECT_TRUE(done) << done.error().toString();
  EXPECT_FALSE(verify(done->module).hasErrors());
  return std::move(done->module);
}

TEST(CorpusSizes, AttentionForAShorterSequence) {
  const Module module = program("attention");
  for (int64_t length : {16, 63})
    expectBeginnings("attention", module, applied(module, resizedTo(module, {"q.1:1", "k.1:1"}, length)));
}

// Queries and keys are two dimensions of one size: nothing joins them but a causal mask, which may be a rectangle.
TEST(CorpusSizes, QueriesAloneAreAnotherSize) {
  const Module module = program("attention");
  const Resizing resizing = resizedTo(module, {"q.1:1"}, 16);
  const Module fewer = applied(module, resizing);
  EXPECT_EQ(toString(fewer.shapeOf(fewer.entryComputation().root), false), "f32[2,16,4,32]");
  EXPECT_EQ(Sizes(module).othersLike(dimensionNamed(module, "q.1:1").value()).size(), 1u);
  expectBeginnings("attention", module, fewer);
}

TEST(CorpusSizes, AttentionForALongerSequenceRuns) {
  const Module module = program("attention");
  const Module longer = applied(module, resizedTo(module, {"q.1:1", "k.1:1"}, 128));
  std::vector<Literal> arguments;
  for (const Shape& shape : entryArgumentShapes(longer))
    arguments.push_back(fillParameter(shape, arguments.size(), {}).value());
  const auto found = runOnCpu(longer, arguments), wanted = evaluateModule(longer, arguments).value();
  EXPECT_TRUE(test::sameValues(wanted, found, {Tolerance{1e-4, 1e-5}}));
}

TEST(CorpusSizes, GptForAShorterSequence) {
  const Module module = program("gpt_tiny_fwd");
  InstructionId tokens = module.entryComputation().parameters.back();  // s32[2,32]
  const std::string spot = std::string(module.at(tokens).name) + ":1";
  const Resizing resizing = resizedTo(module, {spot.c_str()}, 12);
  const Module shorter = applied(module, resizing);
  EXPECT_EQ(toString(shorter.shapeOf(shorter.entryComputation().root), false), "f32[2,12,256]");
  expectBeginnings("gpt_tiny_fwd", module, shorter);
}

}  // namespace
}  // namespace tessera
