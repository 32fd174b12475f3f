// What must hold of a made module that the verifier accepts: it prints and reads again, the evaluator and the CPU
// backend give the same values, or one of them says that it cannot run this, and each pass by itself keeps the
// evaluator's values.
#include <cmath>
#include <complex>

#include "backends/backend.h"
#include "core/evaluate/compare.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/hlo/numbers.h"
#include "core/ops/inference/infer.h"
#include "core/passes/pipeline.h"
#include "tests/fuzz/module_bytes.h"

namespace tessera {
namespace {

void fillElement(ElementType type, std::byte* at, Choices& choices, bool special) {
  const double quarter = static_cast<double>(choices.below(17)) - 8;
  if (type == ElementType::Pred) return storeInt(type, at, static_cast<int64_t>(choices.below(2)));
  if (isInteger(type))
    return storeInt(type, at,
                    choices.chance(6) ? (choices.below(2) ? INT64_MIN : INT64_MAX) : static_cast<int64_t>(quarter));
  constexpr double kSpecial[] = {INFINITY, -INFINITY, NAN, -0.0};
  if (isComplex(type))
    return storeComplex(type, at, {quarter / 4, quarter / 2});  // at infinities C and XLA have their own rules
  const double value = special && choices.chance(15) ? kSpecial[choices.below(4)] : quarter / 4;
  storeDouble(type, at, value);
}

Result<std::vector<Literal>> argumentsOf(const Module& module, Choices& choices) {
  const bool special = choices.chance(25);
  std::vector<Literal> out;
  for (const Shape& shape : entryArgumentShapes(module)) {
    TESSERA_ASSIGN_OR_RETURN(Literal literal, Literal::allocate(shape));
    const auto width = static_cast<size_t>(byteWidth(shape.type));
    for (size_t at = 0; at + width <= literal.bytes().size(); at += width)
      fillElement(shape.type, literal.mutableBytes().data() + at, choices, special);
    out.push_back(std::move(literal));
  }
  return out;
}

Tolerance toleranceOf(ElementType type) {
  const int bits = info(type).bits;
  if (!isFloat(type) && !isComplex(type)) return {};
  if (bits <= 8) return {0.25, 0.25};  // two or three bits of mantissa, and zeros are refused
  if (bits == 16) return {5e-2, 5e-2};
  return type == ElementType::F64 || type == ElementType::C128 ? Tolerance{1e-7, 1e-9} : Tolerance{1e-3, 1e-4};
}

// Decompositions of nearly singular matrices say nothing.
bool isIllConditioned(const Module& module, const Literal& value) {
  bool decomposes = false;
  for (InstructionId id : module.entryComputation().instructions) {
    const Opcode opcode = module.at(id).opcode;
    decomposes = decomposes || opcode == Opcode::Cholesky || opcode == Opcode::TriangularSolve || opcode == Opcode::Fft;
  }
  if (!decomposes || !(isFloat(value.shape().type) || isComplex(value.shape().type))) return false;
  const ElementType type = value.shape().type;
  const auto width = static_cast<size_t>(byteWidth(type));
  for (size_t at = 0; at + width <= value.bytes().size(); at += width) {
    const std::byte* element = value.bytes().data() + at;
    const double size = isComplex(type) ? std::abs(loadComplex(type, element)) : std::fabs(loadDouble(type, element));
    if (!(size < 1e3)) return true;
  }
  return false;
}

Result<std::vector<Literal>> runOn(std::string_view backendName, const Module& module,
                                   const std::vector<Literal>& arguments) {
  TESSERA_ASSIGN_OR_RETURN(auto backend, makeBackend(backendName));
  CompileOptions options;
  options.threads = 1;
  TESSERA_ASSIGN_OR_RETURN(auto executable, backend->compile(module, options));
  return executable->run(arguments);
}

// Every number moved by a few units of its last place, a zero to a small number.
Literal moved(const Literal& value, uint64_t seed) {
  const ElementType type = value.shape().type;
  if (!isFloat(type) && !isComplex(type)) return value;
  Literal out = Literal::fromBytes(value.shape(), value.bytes()).value();
  const auto width = static_cast<size_t>(byteWidth(type));
  const double step = 8 * std::exp2(-info(type).bits / (isComplex(type) ? 4.0 : 2.0));  // f32: 2^-13, f64: 2^-29
  uint64_t state = seed * 0x9e3779b97f4a7c15u;
  const auto nudge = [&] {
    return ((state = state * 6364136223846793005u + 1442695040888963407u) >> 63 ? step : -step);
  };
  for (size_t at = 0; at + width <= out.bytes().size(); at += width) {
    std::byte* element = out.mutableBytes().data() + at;
    if (isComplex(type)) {
      const std::complex<double> z = loadComplex(type, element);
      storeComplex(type, element, {z.real() * (1 + nudge()) + nudge() / 8, z.imag() * (1 + nudge()) + nudge() / 8});
    } else {
      const double x = loadDouble(type, element);
      storeDouble(type, element, x * (1 + nudge()) + nudge() / 8);
    }
  }
  return out;
}

// On a branch cut, at a step of floor, where equal numbers are compared, the last bit decides: there the evaluator
// itself gives another value when its arguments move by next to nothing, and either side is right.
bool hangsOnLastBit(const Module& module, const std::vector<Literal>& arguments, size_t output, const Literal& value) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    std::vector<Literal> near;
    for (const Literal& argument : arguments) near.push_back(moved(argument, seed));
    const auto found = runOn("evaluator", module, near);
    if (found && !compareLiterals(value, (*found)[output], toleranceOf(value.shape().type), "").equal) return true;
  }
  return false;
}

std::string compareRuns(const Module& module, const std::vector<Literal>& arguments) {
  const auto expected = runOn("evaluator", module, arguments), found = runOn("cpu", module, arguments);
  const auto refuses = [](const auto& outputs) { return !outputs && outputs.error().kind == ErrorKind::Unsupported; };
  if (refuses(expected) || refuses(found) || (!expected && !found)) return {};
  if (!expected) return "the evaluator fails: " + expected.error().toString();
  if (!found) return "the CPU backend fails: " + found.error().toString();
  if (expected->size() != found->size()) return "another number of results";
  for (size_t i = 0; i < expected->size(); ++i) {
    const Literal& value = (*expected)[i];
    if (isIllConditioned(module, value)) continue;
    const Comparison comparison =
        compareLiterals(value, (*found)[i], toleranceOf(value.shape().type), "out" + std::to_string(i));
    if (!comparison.equal && !hangsOnLastBit(module, arguments, i, value))
      return "evaluator and CPU differ: " + comparison.firstMismatch;
  }
  return {};
}

bool isDynamic(const Module& module) {
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      for (const ShapeLeaf& leaf : leavesOf(module.shapeOf(id)))
        if (leaf.shape->hasDynamicDimensions()) return true;
  return false;
}

bool hasOpcode(const Module& module, Opcode opcode) {
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      if (module.at(id).opcode == opcode) return true;
  return false;
}

// Each pass by itself keeps the values, on the evaluator.
std::string comparePasses(const Module& module, const std::vector<Literal>& arguments) {
  const bool sizesAreGiven = isDynamic(module) || hasOpcode(module, Opcode::DynamicReshape);
  if (sizesAreGiven || !canEvaluate(module)) return {};
  const auto expected = evaluateModule(module, arguments);
  if (!expected) return {};
  for (const Pass& pass : passes()) {
    Module changed = derive(module);
    DeviceFusions device;
    const auto done = pass.apply(changed, device);
    if (!done && done.error().kind == ErrorKind::Unsupported) continue;
    const std::string where = " (pass " + std::string(pass.name) + ")\n" + printHloText(changed);
    if (!done) return done.error().toString() + where;
    if (verify(changed).hasErrors()) return "what the pass gives does not verify" + where;
    const auto found = evaluateModule(changed, arguments);
    if (!found || found->size() != expected->size()) return "the evaluator fails after the pass" + where;
    for (size_t i = 0; i < expected->size(); ++i) {
      const Literal& value = (*expected)[i];
      if (isIllConditioned(module, value)) continue;
      const Comparison comparison =
          compareLiterals(value, (*found)[i], toleranceOf(value.shape().type), "out" + std::to_string(i));
      if (!comparison.equal && !hangsOnLastBit(module, arguments, i, value))
        return "the values change: " + comparison.firstMismatch + where;
    }
  }
  return {};
}

}  // namespace

std::string brokenPromise(std::span<const uint8_t> bytes) {
  const Module module = ModuleMaker(bytes).run();
  if (verify(module).hasErrors()) return {};
  const std::string printed = printHloText(module);
  const ReadResult again = readHloText(printed);
  if (!again.module || again.diagnostics.hasErrors())
    return "it does not read again: " + (again.diagnostics.empty() ? "" : again.diagnostics.items()[0].toString()) +
           "\n" + printed;
  if (printHloText(*again.module) != printed) return "it prints otherwise after reading\n" + printed;
  Choices choices(bytes);
  const auto arguments = argumentsOf(module, choices);
  if (!arguments) return {};
  std::string broken = compareRuns(module, *arguments);
  if (broken.empty()) broken = comparePasses(module, *arguments);
  if (broken.empty()) return {};
  std::string values;
  for (size_t i = 0; i < arguments->size(); ++i)
    values += "// arg" + std::to_string(i) + " " + printLiteral((*arguments)[i]) + "\n";
  return broken + "\n" + printed + values;
}

}  // namespace tessera
