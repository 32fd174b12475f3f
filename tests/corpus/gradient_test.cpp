// Gradients of the corpus' programs: forward ones, rewritten to f64, against finite differences along a direction of
// each parameter; training steps against what their own optimizers were handed by jax.
#include <gtest/gtest.h>

#include <random>

#include "backends/backend.h"
#include "core/edit/edit.h"
#include "core/evaluate/compare.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/gradient/emitter.h"
#include "core/gradient/gradient.h"
#include "core/hlo/numbers.h"
#include "core/ops/inference/infer.h"
#include "tests/corpus/corpus.h"

namespace tessera {
namespace {

using gradient::Emitter;
using gradient::Session;
using gradient::Value;

std::optional<Module> moduleOfText(std::string text) {
  ReadResult read = readHloText(text);
  EXPECT_EQ(errorsOf(read.diagnostics), "");
  if (!read.module) return std::nullopt;
  EXPECT_EQ(errorsOf(inferModule(*read.module)), "");
  return std::move(read.module);
}

std::string inDoublePrecision(std::string text) {
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"f32[", "f64["}, {"c64[", "c128["}})
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  return text;
}

Literal numbersOf(const Shape& shape, uint64_t seed, double low, double high) {
  Literal out = Literal::zeros(withoutLayout(shape)).value();
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> number(low, high);
  const auto width = static_cast<size_t>(byteWidth(shape.type));
  for (size_t at = 0; at < out.bytes().size(); at += width) {
    if (isInteger(shape.type))
      storeInt(shape.type, out.mutableBytes().data() + at, static_cast<int64_t>(random() % 4));
    else
      storeDouble(shape.type, out.mutableBytes().data() + at, number(random));
  }
  return out;
}

// The sum of the first array of floats of the result, weighed: a scalar that a gradient can be of.
InstructionId addLoss(Module& module) {
  Session session(module);
  Emitter emit(session, module.entry());
  Value array = emit.at(module.entryComputation().root);
  if (array.shape().isTuple())
    for (size_t k = 0; k < array.shape().elements.size(); ++k)
      if (isFloat(array.shape().elements[k].type)) {
        array = emit.element(array, k);
        break;
      }
  std::vector<int64_t> all;
  for (int64_t d = 0; d < array.shape().rank(); ++d) all.push_back(d);
  const Value weights = emit.constant(numbersOf(array.shape(), 5, 0.5, 1.5));
  return gradient::reduce(Opcode::Add, array * weights, all).id;
}

void makeRootOf(Module& module, const std::vector<InstructionId>& parts) {
  Session session(module);
  Emitter emit(session, module.entry());
  std::vector<Value> values;
  for (InstructionId id : parts) values.push_back(emit.at(id));
  module.setRoot(module.entry(), emit.tuple(values).id);
  ModuleConfig config = module.config();
  config.entryResultLayout.reset();
  config.inputOutputAlias.clear();
  module.setConfig(std::move(config));
  EXPECT_EQ(errorsOf(verify(module)), "");
}

std::vector<Literal> outputsOf(Executable& executable, const std::vector<Literal>& arguments) {
  auto out = executable.run(arguments);
  EXPECT_TRUE(out) << out.error().toString();
  return out ? *std::move(out) : std::vector<Literal>();
}

std::unique_ptr<Executable> compiledOnCpu(const Module& module) {
  auto out = makeBackend("cpu").value()->compile(module);
  EXPECT_TRUE(out) << out.error().toString();
  return out ? *std::move(out) : nullptr;
}

double numberAt(const Literal& literal, size_t i) {
  return loadDouble(literal.shape().type,
                    literal.bytes().data() + i * static_cast<size_t>(byteWidth(literal.shape().type)));
}

Literal movedAlong(const Literal& from, const Literal& direction, double by) {
  Literal out = Literal::fromBytes(from.shape(), from.bytes()).value();
  for (size_t i = 0; i < static_cast<size_t>(from.elementCount()); ++i)
    storeDouble(out.shape().type, out.mutableBytes().data() + i * 8, numberAt(from, i) + by * numberAt(direction, i));
  return out;
}

double innerProduct(const Literal& a, const Literal& b) {
  double sum = 0;
  for (size_t i = 0; i < static_cast<size_t>(a.elementCount()); ++i) sum += numberAt(a, i) * numberAt(b, i);
  return sum;
}

// --- forward programs

struct Forward {
  const char* name;
  double low = -0.5, high = 0.5;
  double step = 1e-6;  // smaller where many relus have their corners close by
};

class ForwardGradient : public testing::TestWithParam<Forward> {};

TEST_P(ForwardGradient, AgreesWithFiniteDifferences) {
  auto read = moduleOfText(inDoublePrecision(slurp(corpusTexts() / GetParam().name / "before.hlo")));
  ASSERT_TRUE(read);
  Module module = *std::move(read);
  const InstructionId loss = addLoss(module);
  const std::vector<InstructionId> wrt = parametersBehind(module, loss);
  ASSERT_FALSE(wrt.empty());
  const auto made = addGradient(module, {loss, wrt});
  ASSERT_TRUE(made) << made.error().toString();
  std::vector<InstructionId> parts = made->gradients;
  parts.push_back(loss);
  makeRootOf(module, parts);
  const auto executable = compiledOnCpu(module);
  ASSERT_TRUE(executable);
  std::vector<Literal> arguments;
  for (const Shape& shape : entryArgumentShapes(module))
    arguments.push_back(numbersOf(shape, arguments.size() + 1, GetParam().low, GetParam().high));
  const std::vector<Literal> found = outputsOf(*executable, arguments);
  for (size_t i = 0; i < wrt.size(); ++i) {
    const auto argument = static_cast<size_t>(module.at(wrt[i]).parameterNumber);
    const Literal kept = arguments[argument], direction = numbersOf(kept.shape(), 91 + i, -1, 1);
    const double h = GetParam().step;
    const auto lossAt = [&](double by) {
      arguments[argument] = movedAlong(kept, direction, by);
      return numberAt(outputsOf(*executable, arguments).back(), 0);
    };
    const double expected = (lossAt(h) - lossAt(-h)) / (2 * h), got = innerProduct(found[i], direction);
    arguments[argument] = kept;
    // What rounding of the loss leaves of its difference.
    const double rounding = std::abs(numberAt(found.back(), 0)) * 1e-14 / h;
    EXPECT_NEAR(got, expected, 1e-5 * std::abs(expected) + rounding + 1e-9) << module.at(wrt[i]).reference();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Corpus, ForwardGradient,
    testing::Values(Forward{"mlp_small"}, Forward{"softmax"}, Forward{"attention"}, Forward{"matmul_bias_relu"},
                    Forward{"black_scholes", 0.5, 1.5}, Forward{"convnet"}, Forward{"maxpool"}, Forward{"avgpool"},
                    Forward{"conv_depthwise"}, Forward{"gather_embed"}, Forward{"gnn_fwd", -0.1, 0.1, 1e-8},
                    Forward{"gpt_tiny_fwd"}, Forward{"lenet_fwd"}, Forward{"scan_cumsum"}, Forward{"logsumexp"},
                    Forward{"rmsnorm"}, Forward{"activations"}, Forward{"einsum_outer"}, Forward{"batchnorm_train"},
                    Forward{"sort"}, Forward{"lorenz_rk4"}, Forward{"fori_power_iteration"}),
    [](const auto& info) { return std::string(info.param.name); });

// --- training steps

// An optimizer's state after the step is keeps * (the state before) + share * gradient: momentum, Adam's first moment,
// or the parameter itself under plain descent.
struct Step {
  const char* name;
  size_t parameters;                   // the first results and parameters of the entry
  size_t stateResult, stateParameter;  // where the states begin
  double keeps, share;
};

class TrainingStep : public testing::TestWithParam<Step> {};

TEST_P(TrainingStep, HasTheGradientsOfItsOwnLoss) {
  const Step step = GetParam();
  auto read = moduleOfText(slurp(corpusTexts() / step.name / "before.hlo"));
  ASSERT_TRUE(read);
  Module module = *std::move(read);
  const Instruction root = module.at(module.entryComputation().root);
  const InstructionId loss = root.operands.back();
  const std::vector<InstructionId> behind = parametersBehind(module, loss);
  std::vector<InstructionId> wrt, parts;
  std::vector<size_t> places;
  for (size_t i = 0; i < step.parameters; ++i) {
    const InstructionId parameter = module.entryComputation().parameters[i];
    if (std::ranges::find(behind, parameter) == behind.end()) continue;
    wrt.push_back(parameter);
    places.push_back(i);
  }
  ASSERT_GT(wrt.size(), 3u);
  const auto made = addGradient(module, {loss, wrt});
  ASSERT_TRUE(made) << made.error().toString();
  for (size_t i : places) parts.push_back(root.operands[step.stateResult + i]);
  parts.insert(parts.end(), made->gradients.begin(), made->gradients.end());
  makeRootOf(module, parts);
  std::vector<Literal> arguments;
  for (const Shape& shape : entryArgumentShapes(module))
    arguments.push_back(numbersOf(shape, arguments.size() + 1, -0.1, 0.1));
  const auto executable = compiledOnCpu(module);
  ASSERT_TRUE(executable);
  const std::vector<Literal> found = outputsOf(*executable, arguments);
  ASSERT_EQ(found.size(), 2 * wrt.size());
  for (size_t i = 0; i < wrt.size(); ++i) {
    const Literal &after = found[i], &own = found[wrt.size() + i], &before = arguments[step.stateParameter + places[i]];
    Literal jax = Literal::zeros(own.shape()).value();
    double scale = 0;
    for (size_t k = 0; k < static_cast<size_t>(own.elementCount()); ++k) {
      storeDouble(ElementType::F32, jax.mutableBytes().data() + 4 * k,
                  (numberAt(after, k) - step.keeps * numberAt(before, k)) / step.share);
      scale = std::max(scale, std::abs(numberAt(before, k)));
    }
    // The difference of the states has the rounding of the state itself.
    const Comparison compared =
        compareLiterals(jax, own, {.rtol = 1e-3, .atol = 1e-3, .floor = 4e-7 * scale / std::abs(step.share)},
                        std::string(module.at(wrt[i]).name));
    EXPECT_TRUE(compared.equal) << compared.firstMismatch;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Corpus, TrainingStep,
    testing::Values(Step{"mlp_mnist_sgd_train", 6, 6, 6, 0.9, 1}, Step{"lenet_train", 10, 11, 11, 0.9, 0.1},
                    Step{"nnx_mlp_train", 8, 0, 0, 1, -0.1}, Step{"gnn_train", 12, 13, 13, 0.9, 0.1},
                    Step{"gpt_tiny_train", 28, 29, 29, 0.9, 0.1}, Step{"gpt_tiny_scan_train", 16, 17, 17, 0.9, 0.1}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tessera
