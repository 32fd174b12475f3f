// Only reducers that are one binary operation and initial values that are constants are judged.
#include "core/edit/wiring/initial_value.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/element/scalar_functions.h"
#include "core/formats/hlo_text.h"
#include "core/hlo/numbers.h"
#include "core/ops/shared/scalar_function.h"

namespace tessera {
namespace {

// nullopt: this operation has no identity that we know. Sums of floats take either zero.
std::optional<bool> isIdentity(Opcode reducer, const Literal& value) {
  const ElementType type = value.shape().type;
  const std::byte* data = value.bytes().data();
  const auto neutral = neutralElement(reducer, type);
  if (!neutral) return std::nullopt;
  if (isFloat(type)) return loadDouble(type, data) == loadDouble(type, &*neutral);
  return scalarFromBytes(type, data) == *neutral;
}

std::string_view identityOf(Opcode reducer, ElementType type) {
  const bool isPred = type == ElementType::Pred;
  switch (scalarFunctionOf(reducer)->neutral) {
    case Neutral::Zero: return isPred ? "false" : "0";
    case Neutral::One: return isPred ? "true" : "1";
    case Neutral::AllBits: return isPred ? "true" : "all bits set";
    case Neutral::Lowest: return isFloat(type) ? "-inf" : "the least number";
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
  const auto opcode = reducerOf(module, *reducer);
  if (!opcode || isIdentity(*opcode, *initial.literal).value_or(true)) return std::nullopt;
  return fmt::format("the initial value {} is no identity of {} ({} is): how often it is combined is not specified",
                     printLiteral(*initial.literal), nameOf(*opcode), identityOf(*opcode, initial.shape->type));
}

}  // namespace tessera
