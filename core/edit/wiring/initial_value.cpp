// Only reducers that are one binary operation and initial values that are constants are judged.
#include "core/edit/wiring/initial_value.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/formats/hlo_text.h"
#include "core/hlo/numbers.h"
#include "core/ops/shared/scalar_function.h"

namespace tessera {
namespace {

int64_t greatestOf(ElementType type) {
  if (type == ElementType::Pred) return 1;
  const int bits = info(type).bits;
  if (isSigned(type)) return bits >= 64 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << (bits - 1)) - 1;
  return bits >= 64 ? -1 : (int64_t{1} << bits) - 1;  // 64 unsigned bits: all set
}
int64_t leastOf(ElementType type) {
  if (type == ElementType::Pred || !isSigned(type)) return 0;
  return -greatestOf(type) - 1;
}

// nullopt: this operation has no identity that we know.
std::optional<bool> isIdentity(Opcode reducer, const Literal& value) {
  const ElementType type = value.shape().type;
  const std::byte* data = value.bytes().data();
  if (isComplex(type)) return std::nullopt;
  if (isFloat(type)) {
    const double number = loadDouble(type, data);
    switch (reducer) {
      case Opcode::Add: return number == 0;
      case Opcode::Multiply: return number == 1;
      case Opcode::Maximum: return std::isinf(number) && number < 0;
      case Opcode::Minimum: return std::isinf(number) && number > 0;
      default: return std::nullopt;
    }
  }
  const int64_t number = loadInt(type, data);
  switch (reducer) {
    case Opcode::Add:
    case Opcode::Or:
    case Opcode::Xor: return number == 0;
    case Opcode::Multiply: return number == 1;
    case Opcode::And: return number == (isSigned(type) ? -1 : greatestOf(type));
    case Opcode::Maximum: return number == leastOf(type);
    case Opcode::Minimum: return number == greatestOf(type);
    default: return std::nullopt;
  }
}

const char* identityOf(Opcode reducer, ElementType type) {
  switch (reducer) {
    case Opcode::Add:
    case Opcode::Or:
    case Opcode::Xor: return type == ElementType::Pred ? "false" : "0";
    case Opcode::Multiply: return type == ElementType::Pred ? "true" : "1";
    case Opcode::And: return type == ElementType::Pred ? "true" : "all bits set";
    case Opcode::Maximum: return isFloat(type) ? "-inf" : "the least number";
    default: return isFloat(type) ? "inf" : "the greatest number";
  }
}

}  // namespace

std::optional<std::string> initialValueWarning(const Module& module, InstructionId id) {
  if (!module.contains(id)) return std::nullopt;
  const Instruction& reduction = module.at(id);
  const bool selects = reduction.opcode == Opcode::SelectAndScatter;
  const bool reduces = reduction.opcode == Opcode::Reduce || reduction.opcode == Opcode::ReduceWindow;
  if (!selects && !reduces) return std::nullopt;
  const size_t at = selects ? 2 : 1;
  if (reduction.operands.size() != at + 1 || !module.contains(reduction.operands[at])) return std::nullopt;
  const Instruction& initial = module.at(reduction.operands[at]);
  const auto* reducer = reduction.attributes->get<ComputationId>(selects ? Attr::scatter : Attr::to_apply);
  if (initial.opcode != Opcode::Constant || !initial.literal || !initial.shape->isScalar() || !reducer ||
      !module.contains(*reducer))
    return std::nullopt;
  const auto opcode = plainBinaryOf(module, *reducer);
  if (!opcode || isIdentity(*opcode, *initial.literal).value_or(true)) return std::nullopt;
  return fmt::format("the initial value {} is no identity of {} ({} is): how often it is combined is not specified",
                     printLiteral(*initial.literal), nameOf(*opcode), identityOf(*opcode, initial.shape->type));
}

}  // namespace tessera
