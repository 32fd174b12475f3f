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

const LoweringRow kElementwiseRows[] = {
    {"bitcast_convert", 1, Opcode::BitcastConvert},
    {"clamp", 3, Opcode::Clamp, lowerWithScalars},
    {"compare", 2, Opcode::Compare, lowerCompare},
    {"convert", 1, Opcode::Convert},
    {"copy", 1, Opcode::Copy},
    {"reduce_precision", 1, Opcode::ReducePrecision, lowerReducePrecision},
    {"select", 3, Opcode::Select, lowerWithScalars},
    {"stochastic_convert", 2, Opcode::StochasticConvert},
};

struct Form {
  std::string_view names;  // blank separated
  size_t operands;
  Opcode opcode;
};
#define FORMS(stablehlo, xla, jax) stablehlo
#define TESSERA_UNARY_FUNCTION(node, opcode, takes, price, how, symbol, value, evaluated, approximation, forms, ...) \
  {forms, 1, Opcode::opcode},
#define TESSERA_BINARY_FUNCTION(node, opcode, takes, price, how, symbol, neutral, value, evaluated, approximation, \
                                forms, ...)                                                                        \
  {forms, 2, Opcode::opcode},
constexpr Form kForms[] = {
#include "core/element/scalar_functions.inc"
};

std::vector<LoweringRow> allRows() {
  std::vector<LoweringRow> out(std::begin(kElementwiseRows), std::end(kElementwiseRows));
  for (const Form& form : kForms)
    for (std::string_view names = form.names; !names.empty();) {
      const size_t end = std::min(names.find(' '), names.size());
      out.push_back({names.substr(0, end), form.operands, form.opcode});
      names.remove_prefix(std::min(end + 1, names.size()));
    }
  return out;
}

}  // namespace

std::span<const LoweringRow> elementwiseRows() {
  static const std::vector<LoweringRow> rows = allRows();
  return rows;
}

}  // namespace tessera::mlir
