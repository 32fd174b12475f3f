// A value while a lowering writes an expression over HLO's elementwise operations: `(x * x).of(Opcode::Sqrt) + 1.0`.
// Used by special_functions.cpp and lower_chlo.cpp.
#pragma once

#include <span>

#include "core/formats/stablehlo/lowering_rows.h"
#include "core/hlo/numbers.h"

namespace tessera::mlir {

// A value of one shape while an expression is written.
struct Value {
  Lowering* l;
  InstructionId id;

  const Shape& shape() const { return l->shapeOf(id); }
  Value of(Opcode opcode) const { return {l, l->add(opcode, shape(), {id})}; }
  Value with(Opcode opcode, Value other) const { return {l, l->add(opcode, shape(), {id, other.id})}; }
  // A constant of this value's shape.
  Value constant(double value) const {
    Literal literal = Literal::zeros(Shape::arrayRowMajor(shape().type, {})).value();
    storeDouble(shape().type, literal.mutableBytes().data(), value);
    const InstructionId scalar = l->addConstant(std::move(literal));
    return {l, shape().isScalar() ? scalar : l->broadcast(scalar, shape(), {})};
  }
  Value as(ElementType type) const {
    Shape other = shape();
    other.type = type;
    return {l, l->add(Opcode::Convert, other, {id})};
  }
  Value bits(ElementType type) const {
    Shape other = shape();
    other.type = type;
    return {l, l->add(Opcode::BitcastConvert, other, {id})};
  }
  Value compare(const char* direction, Value other) const {
    Shape flags = shape();
    flags.type = ElementType::Pred;
    AttributeSet attributes;
    attributes.set(Attr::direction, std::string(direction));
    return {l, l->add(Opcode::Compare, flags, {id, other.id}, std::move(attributes))};
  }
  // this is a flag.
  Value select(Value yes, Value no) const { return {l, l->add(Opcode::Select, yes.shape(), {id, yes.id, no.id})}; }
};

inline Value operator+(Value a, Value b) { return a.with(Opcode::Add, b); }
inline Value operator-(Value a, Value b) { return a.with(Opcode::Subtract, b); }
inline Value operator*(Value a, Value b) { return a.with(Opcode::Multiply, b); }
inline Value operator/(Value a, Value b) { return a.with(Opcode::Divide, b); }
inline Value operator+(Value a, double b) { return a + a.constant(b); }
inline Value operator-(Value a, double b) { return a - a.constant(b); }
inline Value operator*(Value a, double b) { return a * a.constant(b); }
inline Value operator-(Value a) { return a.of(Opcode::Negate); }

// Coefficients from the highest power down.
inline Value polynomial(Value x, std::span<const double> coefficients) {
  Value out = x.constant(coefficients[0]);
  for (double c : coefficients.subspan(1)) out = out * x + c;
  return out;
}

}  // namespace tessera::mlir
