// See gradient_checks.h.
#include "tests/unit/gradient/checks.h"

#include <random>
#include <unordered_set>

#include "core/evaluate/compare.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/gradient/emitter.h"
#include "core/hlo/numbers.h"
#include "core/ops/inference/infer.h"
#include "tests/support/values.h"

namespace tessera::test {
namespace {

using gradient::Emitter;
using gradient::Session;
using gradient::Value;

bool isNumber(ElementType type) { return isFloat(type) || isComplex(type); }

Literal valueOf(const Module& module, const std::vector<Literal>& arguments) {
  auto out = evaluateModule(module, arguments);
  EXPECT_TRUE(out) << out.error().toString() << "\n" << printHloText(module);
  return out && !out->empty() ? std::move((*out)[0]) : Literal();
}

double scalarOf(const Module& module, const std::vector<Literal>& arguments) {
  const Literal out = valueOf(module, arguments);
  return out.bytes().empty() ? std::nan("") : loadDouble(out.shape().type, out.bytes().data());
}

// f(x + h) - f(x - h) over 2h, of one element of one argument.
double slope(const Module& module, std::vector<Literal>& arguments, size_t argument, size_t element,
             std::complex<double> h) {
  const Literal kept = arguments[argument];
  const ElementType type = kept.shape().type;
  const auto at = element * static_cast<size_t>(byteWidth(type));
  const auto moved = [&](double sign) {
    Literal other = Literal::fromBytes(kept.shape(), kept.bytes()).value();
    std::byte* place = other.mutableBytes().data() + at;
    if (isComplex(type))
      storeComplex(type, place, loadComplex(type, place) + sign * h);
    else
      storeDouble(type, place, loadDouble(type, place) + sign * h.real());
    arguments[argument] = std::move(other);
    return scalarOf(module, arguments);
  };
  const double above = moved(1), below = moved(-1);
  arguments[argument] = kept;
  return (above - below) / (2 * std::abs(h));
}

std::vector<InstructionId> numberParameters(const Module& module) {
  std::vector<InstructionId> out;
  for (InstructionId id : module.entryComputation().parameters)
    if (module.shapeOf(id).isArray() && isNumber(module.shapeOf(id).type)) out.push_back(id);
  return out;
}

void expectClose(const Literal& expected, const Literal& found, double tolerance, const std::string& where) {
  const Comparison compared =
      compareLiterals(expected, found, {.rtol = tolerance, .atol = tolerance, .floor = 1e-9}, where);
  EXPECT_TRUE(compared.equal) << compared.firstMismatch;
}

void compareAll(const Module& module, InstructionId of, const GradientCheck& check, const std::string& what) {
  std::vector<Literal> arguments;
  for (InstructionId id : module.entryComputation().parameters)
    arguments.push_back(numbersFor(module.shapeOf(id), arguments.size() + 1, check.low, check.high));
  const std::vector<InstructionId> wrt = numberParameters(module);
  const std::vector<Literal> found = gradientsAt(module, of, wrt, arguments);
  ASSERT_EQ(found.size(), wrt.size());
  for (size_t i = 0; i < wrt.size(); ++i) {
    const auto argument = static_cast<size_t>(module.at(wrt[i]).parameterNumber);
    expectClose(differencesOf(module, of, argument, arguments), found[i], check.tolerance,
                what + " with respect to " + std::string(module.at(wrt[i]).name));
  }
}

}  // namespace

Literal numbersFor(const Shape& shape, uint64_t seed, double low, double high) {
  Literal out = Literal::zeros(withoutLayout(shape)).value();
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> number(low, high);
  const auto width = static_cast<size_t>(byteWidth(shape.type));
  for (size_t at = 0; at < out.bytes().size(); at += width) {
    std::byte* place = out.mutableBytes().data() + at;
    const double real = number(random);
    if (isComplex(shape.type))
      storeComplex(shape.type, place, {real, number(random)});
    else if (isInteger(shape.type))
      storeInt(shape.type, place, static_cast<int64_t>(std::floor(4 * std::abs(real))));
    else
      storeDouble(shape.type, place, real);
  }
  return out;
}

InstructionId addWeighedSum(Module& module, InstructionId array, uint64_t seed) {
  Session session(module);
  Emitter emit(session, module.entry());
  const Value value = emit.at(array);
  Value weighed = value * emit.constant(numbersFor(value.shape(), seed, 0.5, 2));
  if (isComplex(value.type())) weighed = gradient::unary(Opcode::Real, weighed);
  std::vector<int64_t> all;
  for (int64_t d = 0; d < weighed.shape().rank(); ++d) all.push_back(d);
  const Value sum = gradient::reduce(Opcode::Add, weighed, all);
  EXPECT_TRUE(session.status) << session.status.error().toString();
  module.setRoot(module.entry(), sum.id);
  return sum.id;
}

std::vector<Literal> gradientsAt(const Module& forward, InstructionId of, const std::vector<InstructionId>& wrt,
                                 const std::vector<Literal>& arguments) {
  Module module = forward;
  const auto made = addGradient(module, {of, wrt});
  EXPECT_TRUE(made) << made.error().toString();
  if (!made) return {};
  std::vector<Value> parts;
  Session session(module);
  Emitter emit(session, module.entry());
  for (InstructionId id : made->gradients) parts.push_back(emit.at(id));
  module.setRoot(module.entry(), emit.tuple(parts).id);
  expectTidy(module, *made);
  const auto out = evaluateModule(module, arguments);
  EXPECT_TRUE(out) << out.error().toString() << "\n" << printHloText(module);
  return out ? *out : std::vector<Literal>();
}

void expectTidy(const Module& module, const Gradient& gradient) {
  Module inferred = module;
  Diagnostics found = inferModule(inferred);
  found.addAll(verify(module).items());
  for (const Diagnostic& each : found.items())
    EXPECT_NE(each.severity, Severity::Error) << each.toString() << "\n" << printHloText(module);
  const UserTable users(module);
  for (InstructionId id : gradient.added) EXPECT_FALSE(users.users(id).empty()) << module.at(id).reference();
  for (ComputationId computation : module.order()) {
    std::unordered_set<std::string_view> names;
    for (InstructionId id : module.at(computation).instructions)
      EXPECT_TRUE(names.insert(module.at(id).name).second) << module.at(id).reference() << " is there twice";
  }
  const ReadResult again = readHloText(printHloText(module));
  EXPECT_TRUE(again.module && !again.diagnostics.hasErrors()) << printHloText(module);
}

Literal differencesOf(const Module& forward, InstructionId of, size_t argument, std::vector<Literal> arguments) {
  Module module = forward;
  module.setRoot(module.entry(), of);
  Literal out = Literal::zeros(arguments[argument].shape()).value();
  const ElementType type = out.shape().type;
  const auto width = static_cast<size_t>(byteWidth(type));
  constexpr double kStep = 1e-5;
  for (size_t element = 0; element * width < out.bytes().size(); ++element) {
    const double real = slope(module, arguments, argument, element, kStep);
    std::byte* place = out.mutableBytes().data() + element * width;
    if (isComplex(type))
      storeComplex(type, place, {real, -slope(module, arguments, argument, element, {0, kStep})});
    else
      storeDouble(type, place, real);
  }
  return out;
}

void expectGradient(const std::string& text, const GradientCheck& check) {
  SCOPED_TRACE(text);
  ReadResult read = readHloText(text);
  ASSERT_TRUE(read.module) << (read.diagnostics.items().empty() ? "" : read.diagnostics.items()[0].toString());
  Module& module = *read.module;
  for (const Diagnostic& each : inferModule(module).items())
    ASSERT_NE(each.severity, Severity::Error) << each.toString();
  const InstructionId loss = addWeighedSum(module, module.entryComputation().root, 77);
  compareAll(module, loss, check, "the gradient");
  if (!check.twice || testing::Test::HasFailure()) return;
  const auto made = addGradient(module, {loss, numberParameters(module)});
  ASSERT_TRUE(made) << made.error().toString();
  InstructionId second = addWeighedSum(module, made->gradients[0], 78);
  if (made->gradients.size() > 1) {
    Session session(module);
    Emitter emit(session, module.entry());
    for (size_t i = 1; i < made->gradients.size(); ++i)
      second = (emit.at(second) + emit.at(addWeighedSum(module, made->gradients[i], 78 + i))).id;
  }
  module.setRoot(module.entry(), second);
  compareAll(module, second, {check.low, check.high, false, 10 * check.tolerance}, "the gradient of the gradients");
}

}  // namespace tessera::test
