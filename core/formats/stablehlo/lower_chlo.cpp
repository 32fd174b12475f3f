// chlo operations. Those that HLO has by name are plain rows; the others are written as expressions over HLO's
// elementwise operations, in f32 for narrower floats (special_functions.h).
#include <limits>
#include <span>
#include <type_traits>

#include "core/formats/stablehlo/special_functions.h"

namespace tessera::mlir {
namespace {

using Ids = std::vector<InstructionId>;

// --- the rows' functions

// Computes in f32 for narrower floats. kExpression takes one Value an operand.
template <auto kExpression>
Status lowerExpression(Lowering& l, const Operation& op, Opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  const ElementType type = l.shapeOf(operands[0]).type;
  const bool narrow = type != ElementType::F32 && type != ElementType::F64;
  for (InstructionId& id : operands) {
    const Value x{&l, id};
    if (!isFloat(x.shape().type))
      return l.fault(op, "the operand is not of a float type", "f32", std::string(nameOf(x.shape().type)));
    if (narrow) id = x.as(ElementType::F32).id;
  }
  Value result{&l, operands[0]};
  if constexpr (std::is_invocable_v<decltype(kExpression), Value>)
    result = kExpression(result);
  else
    result = kExpression(result, Value{&l, operands[1]});
  l.defineResult(op, 0, narrow ? result.as(type).id : result.id);
  return {};
}

Status lowerSquare(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(InstructionId id, l.operand(op, 0));
  return l.emit(op, opcode, {id, id});
}

Status lowerAtan(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(InstructionId id, l.operand(op, 0));
  return l.emit(op, opcode, {id, Value{&l, id}.constant(1).id});
}

Status lowerConjugate(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(InstructionId id, l.operand(op, 0));
  Shape part = l.shapeOf(id);
  if (!isComplex(part.type)) return l.defineResult(op, 0, id), Status();
  part.type = part.type == ElementType::C128 ? ElementType::F64 : ElementType::F32;
  const Value imaginary{&l, l.add(Opcode::Imag, part, {id})};
  return l.emit(op, opcode, {l.add(Opcode::Real, part, {id}), (-imaginary).id});
}

// is_inf, is_pos_inf, is_neg_inf
template <int kSign>
Status lowerInfinite(Lowering& l, const Operation& op, Opcode) {
  TESSERA_ASSIGN_OR_RETURN(InstructionId id, l.operand(op, 0));
  const Value x{&l, id}, tested = kSign == 0 ? x.of(Opcode::Abs) : x;
  l.defineResult(op, 0, tested.compare("EQ", tested.constant(kSign < 0 ? -kInfinity : kInfinity)).id);
  return {};
}

// The next number of x's type towards y: bits are one up or down in magnitude.
Status lowerNextAfter(Lowering& l, const Operation& op, Opcode) {
  TESSERA_ASSIGN_OR_RETURN(Ids operands, l.operands(op));
  const Value x{&l, operands[0]}, y{&l, operands[1]};
  const int bits = info(x.shape().type).bits;
  if (!isFloat(x.shape().type) || bits < 16)
    return l.fault(op, "the operand is not of a float type of 16 bits or more");
  const ElementType type = bits == 64 ? ElementType::S64 : bits == 32 ? ElementType::S32 : ElementType::S16;
  const Value xBits = x.bits(type), yBits = y.bits(type);
  Literal mask = Literal::zeros(Shape::arrayRowMajor(type, {})).value();
  storeInt(type, mask.mutableBytes().data(), bits == 64 ? INT64_MIN : -(int64_t{1} << (bits - 1)));
  const InstructionId signScalar = l.addConstant(std::move(mask));
  const Value sign{&l, xBits.shape().isScalar() ? signScalar : l.broadcast(signScalar, xBits.shape(), {})};
  const Value xSign = xBits.with(Opcode::And, sign), ySign = yBits.with(Opcode::And, sign);
  const Value xSize = xBits.with(Opcode::Xor, xSign), ySize = yBits.with(Opcode::Xor, ySign);
  const Value zero = xBits.constant(0), one = xBits.constant(1);
  const Value shrink = xSign.compare("NE", ySign).with(Opcode::Or, xSize.compare("GT", ySize));
  const Value stepped = xBits + shrink.select(-one, one);
  // From zero the smallest denormal with y's sign.
  const Value moved = xSize.compare("EQ", zero).select(ySign.with(Opcode::Or, one), stepped);
  const Value equal = x.compare("EQ", y);
  const Value result = equal.select(yBits, moved).bits(x.shape().type);
  const Value unordered = x.compare("NE", x).with(Opcode::Or, y.compare("NE", y));
  l.defineResult(op, 0, unordered.select(x + y, result).id);
  return {};
}

Status lowerTopK(Lowering& l, const Operation& op, Opcode opcode) {
  TESSERA_ASSIGN_OR_RETURN(InstructionId id, l.operand(op, 0));
  AttributeSet attributes;
  attributes.set(Attr::k, integer(op, {"k"}, 0));
  attributes.set(Attr::largest, boolean(op, {"largest"}, true));
  return l.emit(op, opcode, {id}, std::move(attributes));
}

Status lowerChloConstant(Lowering& l, const Operation& op, Opcode opcode) {
  return findRow("constant")->lower(l, op, opcode);
}

Status lowerConstantLike(Lowering& l, const Operation& op, Opcode) {
  TESSERA_ASSIGN_OR_RETURN(InstructionId id, l.operand(op, 0));
  l.defineResult(op, 0, Value{&l, id}.constant(real(op, {"value"}, 0)).id);
  return {};
}

const LoweringRow kChloRows[] = {
    {"chlo.atan", 1, Opcode::Atan2, lowerAtan},
    {"chlo.bessel_i1e", 1, Opcode::Add, lowerExpression<besselI1e>},
    {"chlo.conj", 1, Opcode::Complex, lowerConjugate},
    {"chlo.constant", 0, Opcode::Constant, lowerChloConstant},
    {"chlo.constant_like", 1, Opcode::Constant, lowerConstantLike},
    {"chlo.digamma", 1, Opcode::Add, lowerExpression<digamma>},
    {"chlo.erf_inv", 1, Opcode::Add, lowerExpression<erfInverse>},
    {"chlo.erfc", 1, Opcode::Add, lowerExpression<erfComplement>},
    {"chlo.is_inf", 1, Opcode::Compare, lowerInfinite<0>},
    {"chlo.is_neg_inf", 1, Opcode::Compare, lowerInfinite<-1>},
    {"chlo.is_pos_inf", 1, Opcode::Compare, lowerInfinite<1>},
    {"chlo.lgamma", 1, Opcode::Add, lowerExpression<logGamma>},
    {"chlo.next_after", 2, Opcode::Add, lowerNextAfter},
    {"chlo.polygamma", 2, Opcode::Add, lowerExpression<polygamma>},
    {"chlo.square", 1, Opcode::Multiply, lowerSquare},
    {"chlo.top_k", 1, Opcode::Topk, lowerTopK},
    {"chlo.zeta", 2, Opcode::Add, lowerExpression<zeta>},
};

}  // namespace

std::span<const LoweringRow> chloRows() { return kChloRows; }

}  // namespace tessera::mlir
