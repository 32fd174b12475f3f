// The register machine of ScalarFunction. It knows the ops that reducers and comparators of real programs are made of
// and leaves everything else to the evaluator proper.
#include "core/ops/shared/scalar_function.h"

#include <bit>
#include <cmath>
#include <string_view>

#include "core/element/scalar_functions.h"
#include "core/hlo/numbers.h"
#include "core/ops/shared/complex_functions.h"

namespace tessera {
namespace {

bool isBinary(Opcode opcode) {
  switch (opcode) {
    case Opcode::Add:
    case Opcode::Subtract:
    case Opcode::Multiply:
    case Opcode::Divide:
    case Opcode::Maximum:
    case Opcode::Minimum:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor: return true;
    default: return false;
  }
}

bool isUnary(Opcode opcode) {
  return opcode == Opcode::Negate || opcode == Opcode::Not || opcode == Opcode::Abs || opcode == Opcode::Convert ||
         opcode == Opcode::Copy;
}

std::optional<int> directionFromText(std::string_view text) {
  constexpr std::string_view kNames[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  for (int i = 0; i < 6; ++i)
    if (kNames[i] == text) return i;
  return std::nullopt;
}

double floatBinary(Opcode opcode, double a, double b) {
  switch (opcode) {
    case Opcode::Add: return a + b;
    case Opcode::Subtract: return a - b;
    case Opcode::Multiply: return a * b;
    case Opcode::Divide: return a / b;
    case Opcode::Maximum: return std::isnan(a) ? a : (std::isnan(b) || b > a || (a == b && std::signbit(a))) ? b : a;
    default: return std::isnan(a) ? a : (std::isnan(b) || b < a || (a == b && std::signbit(b))) ? b : a;
  }
}

int64_t intDivide(int64_t a, int64_t b, bool isUnsignedType) {
  if (b == 0) return -1;
  if (isUnsignedType) return static_cast<int64_t>(static_cast<uint64_t>(a) / static_cast<uint64_t>(b));
  if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  return a / b;
}

int64_t intBinary(Opcode opcode, ElementType type, int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  const bool unsignedType = isUnsigned(type);
  const bool less = unsignedType ? x < y : a < b;
  if (type == ElementType::Pred) {  // pred: add is or, multiply is and
    if (opcode == Opcode::Add) return a | b;
    if (opcode == Opcode::Multiply) return a & b;
  }
  switch (opcode) {
    case Opcode::Add: return static_cast<int64_t>(x + y);
    case Opcode::Subtract: return static_cast<int64_t>(x - y);
    case Opcode::Multiply: return static_cast<int64_t>(x * y);
    case Opcode::Divide: return intDivide(a, b, unsignedType);
    case Opcode::Maximum: return less ? b : a;
    case Opcode::Minimum: return less ? a : b;
    case Opcode::And: return a & b;
    case Opcode::Or: return a | b;
    default: return a ^ b;
  }
}

std::complex<double> complexBinary(Opcode opcode, std::complex<double> a, std::complex<double> b) {
  switch (opcode) {
    case Opcode::Add: return a + b;
    case Opcode::Subtract: return a - b;
    case Opcode::Multiply: return a * b;
    case Opcode::Maximum: return complexMaximum(a, b);
    case Opcode::Minimum: return complexMinimum(a, b);
    default: return a / b;
  }
}

// Order of floats that puts -NaN < -inf < … < -0 < 0 < … < inf < NaN.
int64_t totalOrderKey(double value) {
  const auto bits = static_cast<int64_t>(std::bit_cast<uint64_t>(value));
  return bits < 0 ? INT64_MIN - bits - 1 : bits;
}

template <class T>
bool ordered(int direction, T a, T b) {
  switch (direction) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return a >= b;
    case 3: return a > b;
    case 4: return a <= b;
    default: return a < b;
  }
}

bool compareScalars(ElementType type, int direction, bool totalOrder, const ScalarValue& a, const ScalarValue& b) {
  if (isComplex(type)) return ((a.re == b.re) && (a.im == b.im)) == (direction == 0);
  if (isFloat(type) && totalOrder) return ordered(direction, totalOrderKey(a.re), totalOrderKey(b.re));
  if (isFloat(type)) return ordered(direction, a.re, b.re);
  if (isUnsigned(type)) return ordered(direction, static_cast<uint64_t>(a.bits), static_cast<uint64_t>(b.bits));
  return ordered(direction, a.bits, b.bits);
}

// The value as the type can hold it.
ScalarValue rounded(ElementType type, ScalarValue value) {
  if (type == ElementType::F64 || type == ElementType::C128 || type == ElementType::S64) return value;
  if (type == ElementType::F32) return {static_cast<float>(value.re), 0, 0};
  alignas(16) std::byte buffer[16] = {};
  storeScalar(type, buffer, value);
  return loadScalar(type, buffer);
}

ScalarValue converted(ElementType from, ElementType to, const ScalarValue& value) {
  alignas(16) std::byte buffer[16] = {};
  if (isComplex(from))
    storeComplex(to, buffer, {value.re, value.im});
  else if (isFloat(from))
    storeDouble(to, buffer, value.re);
  else if (from == ElementType::U64 && (isFloat(to) || isComplex(to)))
    storeDouble(to, buffer, static_cast<double>(static_cast<uint64_t>(value.bits)));
  else
    storeInt(to, buffer, value.bits);
  return loadScalar(to, buffer);
}

ScalarValue binaryScalar(Opcode opcode, ElementType type, const ScalarValue& a, const ScalarValue& b) {
  if (isComplex(type)) {
    const auto z = complexBinary(opcode, {a.re, a.im}, {b.re, b.im});
    return {z.real(), z.imag(), 0};
  }
  if (isFloat(type)) return {floatBinary(opcode, a.re, b.re), 0, 0};
  return {0, 0, intBinary(opcode, type, a.bits, b.bits)};
}

ScalarValue unaryScalar(Opcode opcode, ElementType from, ElementType type, const ScalarValue& a) {
  switch (opcode) {
    case Opcode::Convert: return converted(from, type, a);
    case Opcode::Copy: return a;
    case Opcode::Negate: return {-a.re, -a.im, static_cast<int64_t>(0 - static_cast<uint64_t>(a.bits))};
    case Opcode::Not: return {0, 0, type == ElementType::Pred ? !a.bits : ~a.bits};
    default:
      if (isComplex(from)) return {std::abs(std::complex<double>(a.re, a.im)), 0, 0};
      return {std::fabs(a.re), 0,
              a.bits < 0 && isSigned(from) ? static_cast<int64_t>(0 - static_cast<uint64_t>(a.bits)) : a.bits};
  }
}

std::optional<uint32_t> slotOf(const std::vector<std::pair<InstructionId, uint32_t>>& slots, InstructionId id) {
  for (const auto& [each, slot] : slots)
    if (each == id) return slot;
  return std::nullopt;
}

}  // namespace

ScalarValue loadScalar(ElementType type, const void* data) {
  if (isComplex(type)) {
    const auto z = loadComplex(type, data);
    return {z.real(), z.imag(), 0};
  }
  if (isFloat(type)) return {loadDouble(type, data), 0, 0};
  return {0, 0, loadInt(type, data)};
}

void storeScalar(ElementType type, void* data, const ScalarValue& value) {
  if (isComplex(type)) return storeComplex(type, data, {value.re, value.im});
  if (isFloat(type)) return storeDouble(type, data, value.re);
  storeInt(type, data, value.bits);
}

std::optional<Opcode> reducerOf(const Module& module, ComputationId computation) {
  if (!module.contains(computation)) return std::nullopt;
  const Computation& body = module.at(computation);
  if (body.parameters.size() != 2 || !module.contains(body.root)) return std::nullopt;
  const Instruction& root = module.at(body.root);
  if (!isCommutative(root.opcode) || root.operands.size() != 2) return std::nullopt;
  const auto first = root.operands[0], second = root.operands[1];
  const bool straight = first == body.parameters[0] && second == body.parameters[1];
  const bool swapped = first == body.parameters[1] && second == body.parameters[0];
  if (!straight && !swapped) return std::nullopt;
  return root.opcode;
}

std::optional<Opcode> reducerOf(const Module& module, const Instruction& instruction, size_t callee) {
  const auto callees = module.callees(instruction);
  return callee < callees.size() ? reducerOf(module, callees[callee]) : std::nullopt;
}

ScalarFunction::ScalarFunction(const EvaluateContext& context, size_t callee, std::vector<ElementType> parameterTypes,
                               std::vector<ElementType> resultTypes)
    : context_(context),
      callee_(callee),
      parameterTypes_(std::move(parameterTypes)),
      resultTypes_(std::move(resultTypes)) {
  if (!context.module) return;
  const auto callees = context.module->callees(context.instruction);
  if (callee >= callees.size()) return;
  compiled_ = compile(*context.module, callees[callee]);
  if (compiled_) plain_ = reducerOf(*context.module, callees[callee]);
}

bool ScalarFunction::compile(const Module& module, ComputationId computation) {
  const Computation& body = module.at(computation);
  if (body.parameters.size() != parameterTypes_.size()) return false;
  std::vector<uint32_t> slots;
  std::vector<std::pair<InstructionId, uint32_t>> known;
  const auto order = topologicalOrder(module, computation);
  if (!order) return false;
  for (InstructionId id : *order) {
    const Instruction& instruction = module.at(id);
    if (id == body.root && instruction.opcode == Opcode::Tuple) continue;
    if (!instruction.shape->isScalar()) return false;
    slots.clear();
    for (InstructionId operand : instruction.operands) {
      const auto slot = slotOf(known, operand);
      if (!slot) return false;
      slots.push_back(*slot);
    }
    slots.push_back(static_cast<uint32_t>(registers_.size()));
    if (!compileInstruction(module, instruction, slots)) return false;
    known.emplace_back(id, static_cast<uint32_t>(registers_.size()));
    registers_.push_back(instruction.literal ? loadScalar(instruction.shape->type, instruction.literal->bytes().data())
                                             : ScalarValue{});
  }
  for (InstructionId parameter : body.parameters) {
    const auto slot = slotOf(known, parameter);
    if (!slot || module.shapeOf(parameter).type != parameterTypes_[parameterSlots_.size()]) return false;
    parameterSlots_.push_back(*slot);
  }
  const Instruction& root = module.at(body.root);
  const bool tuple = root.opcode == Opcode::Tuple;
  for (size_t i = 0; i < (tuple ? root.operands.size() : 1); ++i) {
    const InstructionId leaf = tuple ? root.operands[i] : body.root;
    const auto slot = slotOf(known, leaf);
    if (!slot || i >= resultTypes_.size() || module.shapeOf(leaf).type != resultTypes_[i]) return false;
    resultSlots_.push_back(*slot);
  }
  return resultSlots_.size() == resultTypes_.size();
}

// slots: the operands' registers, then the result's.
bool ScalarFunction::compileInstruction(const Module& module, const Instruction& instruction,
                                        std::vector<uint32_t>& slots) {
  const Opcode opcode = instruction.opcode;
  if (opcode == Opcode::Parameter) return true;
  if (opcode == Opcode::Constant) return instruction.literal != nullptr;
  Step step{opcode, instruction.shape->type, ElementType::Invalid};
  const size_t count = instruction.operands.size();
  if (count == 0 || count > 3) return false;
  step.operandType = module.shapeOf(instruction.operands[0]).type;
  if (opcode == Opcode::Compare) {
    const auto direction = directionFromText(instruction.attributes->textOr(Attr::direction, ""));
    if (!direction || count != 2) return false;
    step.direction = *direction;
    step.totalOrder = instruction.attributes->textOr(Attr::type, "") == "TOTALORDER";
  } else if (opcode == Opcode::Select ? count != 3 : isBinary(opcode) ? count != 2 : !(isUnary(opcode) && count == 1)) {
    return false;
  }
  step.a = slots[0];
  step.b = slots[count > 1 ? 1 : 0];
  step.c = slots[count > 2 ? 2 : 0];
  step.out = slots[count];
  steps_.push_back(step);
  return true;
}

void ScalarFunction::runStep(const Step& step) {
  const ScalarValue &a = registers_[step.a], &b = registers_[step.b];
  ScalarValue result;
  if (step.opcode == Opcode::Compare) {
    result.bits = compareScalars(step.operandType, step.direction, step.totalOrder, a, b);
  } else if (step.opcode == Opcode::Select) {
    result = a.bits ? b : registers_[step.c];
  } else if (isBinary(step.opcode)) {
    result = binaryScalar(step.opcode, step.type, a, b);
    if (rounds_) result = rounded(step.type, result);
  } else {
    result = rounded(step.type, unaryScalar(step.opcode, step.operandType, step.type, a));
  }
  registers_[step.out] = result;
}

Status ScalarFunction::apply(std::span<const ScalarValue> arguments, std::span<ScalarValue> results) {
  if (++applied_ % 65536 == 0 && context_.cancelled && context_.cancelled()) return failCancelled();
  if (!compiled_) return applyByCall(arguments, results);
  for (size_t i = 0; i < parameterSlots_.size(); ++i) registers_[parameterSlots_[i]] = arguments[i];
  for (const Step& step : steps_) runStep(step);
  for (size_t i = 0; i < resultSlots_.size(); ++i) results[i] = registers_[resultSlots_[i]];
  return {};
}

Status ScalarFunction::applyByCall(std::span<const ScalarValue> arguments, std::span<ScalarValue> results) {
  std::vector<Literal> literals;
  for (size_t i = 0; i < parameterTypes_.size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(Literal literal, Literal::allocate(Shape::arrayRowMajor(parameterTypes_[i], {})));
    storeScalar(parameterTypes_[i], literal.mutableBytes().data(), arguments[i]);
    literals.push_back(std::move(literal));
  }
  TESSERA_ASSIGN_OR_RETURN(const Literal root, context_.call(callee_, literals));
  const bool tuple = root.shape().isTuple();
  for (size_t i = 0; i < resultTypes_.size(); ++i) {
    const Literal& leaf = tuple ? root.elements()[i] : root;
    results[i] = loadScalar(leaf.shape().type, leaf.bytes().data());
  }
  return {};
}

}  // namespace tessera
