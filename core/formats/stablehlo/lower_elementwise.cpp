// Elementwise operations: nearly all rows name an opcode. Compare, convert and the two whose scalars HLO does not
// broadcast by itself have functions.
#include "core/formats/stablehlo/lowering_rows.h"

namespace tessera::mlir {
namespace {

std::string_view defaultType(ElementType type) {
  if (isFloat(type) || isComplex(type)) return "FLOAT";
  return isSigned(type) ? "SIGNED" : "UNSIGNED";
}

constexpr std::string_view kDirections = "EQ NE GE GT LE LT", kTypes = "NOTYPE FLOAT TOTALORDER SIGNED UNSIGNED";

// Generic: two attributes. Pretty: bare words, the type often left out.
Result<std::pair<std::string, std::string>> comparisonOf(const Lowering& l, const Operation& op) {
  std::pair<std::string, std::string> out;
  if (op.words.empty()) {
    TESSERA_ASSIGN_OR_RETURN(out.first, l.choice(op, {"comparison_direction"}, kDirections));
    TESSERA_ASSIGN_OR_RETURN(out.second, l.choice(op, {"compare_type"}, kTypes, "NOTYPE"));
    return out;
  }
  TESSERA_ASSIGN_OR_RETURN(out.first, l.wordChoice(op, 0, "comparison_direction", kDirections));
  out.second = "NOTYPE";
  if (op.words.size() > 1) {
    TESSERA_ASSIGN_OR_RETURN(out.second, l.wordChoice(op, 1, "compare_type", kTypes));
  }
  return out;
}

Status lowerCompare(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(std::vector<InstructionId> operands, l.operands(op));
  TESSERA_ASSIGN_OR_RETURN(const auto comparison, comparisonOf(l, op));
  const auto& [direction, type] = comparison;
  AttributeSet attributes;
  attributes.set(Attr::direction, direction);
  if (type != "NOTYPE" && type != defaultType(l.shapeOf(operands[0]).type)) attributes.set(Attr::type, type);
  return l.emit(op, opcode, operands, std::move(attributes));
}

// Scalars stand for whole arrays in some operands.
Status lowerWithScalars(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(std::vector<InstructionId> operands, l.operands(op));
  if (op.types.empty()) return l.fault(op, "the result type is missing");
  Shape result = op.types[0];
  for (InstructionId id : operands)
    if (isOpen(result) && l.shapeOf(id).rank() == result.rank())
      result.dimensions = l.shapeOf(id).dimensions, result.dynamic = l.shapeOf(id).dynamic;
  for (InstructionId& id : operands) {
    if (!l.shapeOf(id).isScalar() || result.isScalar()) continue;
    Shape whole = result;
    whole.type = l.shapeOf(id).type;
    id = l.broadcast(id, whole, {});
  }
  return l.emit(op, opcode, operands);
}

Status lowerReducePrecision(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(std::vector<InstructionId> operands, l.operands(op));
  int exponent = static_cast<int>(integer(op, {"exponent_bits"}, 0)),
      mantissa = static_cast<int>(integer(op, {"mantissa_bits"}, 0));
  if (const std::string format = word(op, {"format"});
      !format.empty() && std::sscanf(format.c_str(), "e%dm%d", &exponent, &mantissa) != 2)
    return l.fault(op, "the format is not understood", "e5m10", format);
  AttributeSet attributes;
  attributes.set(Attr::exponent_bits, static_cast<int64_t>(exponent));
  attributes.set(Attr::mantissa_bits, static_cast<int64_t>(mantissa));
  return l.emit(op, opcode, operands, std::move(attributes));
}

const LoweringRow kRows[] = {
    {"abs", 1, Opcode::Abs},
    {"add", 2, Opcode::Add},
    {"and", 2, Opcode::And},
    {"atan2", 2, Opcode::Atan2},
    {"bitcast_convert", 1, Opcode::BitcastConvert},
    {"cbrt", 1, Opcode::Cbrt},
    {"ceil", 1, Opcode::Ceil},
    {"clamp", 3, Opcode::Clamp, lowerWithScalars},
    {"compare", 2, Opcode::Compare, lowerCompare},
    {"complex", 2, Opcode::Complex},
    {"convert", 1, Opcode::Convert},
    {"copy", 1, Opcode::Copy},
    {"cosine", 1, Opcode::Cosine},
    {"count_leading_zeros", 1, Opcode::CountLeadingZeros},
    {"divide", 2, Opcode::Divide},
    {"erf", 1, Opcode::Erf},
    {"exponential", 1, Opcode::Exponential},
    {"exponential_minus_one", 1, Opcode::ExponentialMinusOne},
    {"floor", 1, Opcode::Floor},
    {"imag", 1, Opcode::Imag},
    {"is_finite", 1, Opcode::IsFinite},
    {"log", 1, Opcode::Log},
    {"log_plus_one", 1, Opcode::LogPlusOne},
    {"logistic", 1, Opcode::Logistic},
    {"maximum", 2, Opcode::Maximum},
    {"minimum", 2, Opcode::Minimum},
    {"multiply", 2, Opcode::Multiply},
    {"negate", 1, Opcode::Negate},
    {"not", 1, Opcode::Not},
    {"or", 2, Opcode::Or},
    {"popcnt", 1, Opcode::Popcnt},
    {"power", 2, Opcode::Power},
    {"real", 1, Opcode::Real},
    {"reduce_precision", 1, Opcode::ReducePrecision, lowerReducePrecision},
    {"remainder", 2, Opcode::Remainder},
    {"round_nearest_afz", 1, Opcode::RoundNearestAfz},
    {"round_nearest_even", 1, Opcode::RoundNearestEven},
    {"rsqrt", 1, Opcode::Rsqrt},
    {"select", 3, Opcode::Select, lowerWithScalars},
    {"shift_left", 2, Opcode::ShiftLeft},
    {"shift_right_arithmetic", 2, Opcode::ShiftRightArithmetic},
    {"shift_right_logical", 2, Opcode::ShiftRightLogical},
    {"sign", 1, Opcode::Sign},
    {"sine", 1, Opcode::Sine},
    {"sqrt", 1, Opcode::Sqrt},
    {"stochastic_convert", 2, Opcode::StochasticConvert},
    {"subtract", 2, Opcode::Subtract},
    {"tan", 1, Opcode::Tan},
    {"tanh", 1, Opcode::Tanh},
    {"xor", 2, Opcode::Xor},
};

}  // namespace

std::span<const LoweringRow> elementwiseRows() { return kRows; }

}  // namespace tessera::mlir
