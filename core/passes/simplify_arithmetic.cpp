// Arithmetic rules of simplify, each exact in every type it is applied to.
#include <cmath>

#include "core/passes/patterns.h"
#include "core/passes/simplify_rules.h"

namespace tessera {
namespace {

class Arithmetic {
 public:
  Arithmetic(Rewriter& rewriter, const Instruction& in) : rewriter_(rewriter), module_(rewriter.module()), in_(in) {}

  InstructionId run() {
    switch (in_.opcode) {
      case Opcode::Add: return add();
      case Opcode::Subtract: return equals(1, 0) && !isNegativeZero(1) ? keep(0) : none();
      case Opcode::Multiply: return multiply();
      case Opcode::Divide: return divide();
      case Opcode::Power: return power();
      case Opcode::And: return logical(1);
      case Opcode::Or: return logical(0);
      case Opcode::Negate: case Opcode::Not: return inverse();
      case Opcode::Select: return select();
      case Opcode::Maximum: case Opcode::Minimum: return in_.operands[0] == in_.operands[1] ? keep(0) : none();
      default: return none();
    }
  }

 private:
  static InstructionId none() { return {}; }
  // Operand i, when its shape is the result's.
  InstructionId keep(size_t i) const {
    return module_.at(in_.operands[i]).shape == in_.shape ? in_.operands[i] : InstructionId();
  }
  std::optional<double> splat(size_t i) const { return splatValue(module_, in_.operands[i]); }
  bool equals(size_t i, double value) const {
    auto s = splat(i);
    return s && *s == value;
  }
  bool isNegativeZero(size_t i) const {
    auto s = splat(i);
    return s && *s == 0 && std::signbit(*s);
  }
  InstructionId make(Opcode opcode, std::initializer_list<InstructionId> operands) {
    const InstructionId origin[] = {in_.id};
    std::vector<InstructionId> list(operands);
    return rewriter_.add(in_.computation, opcode, *in_.shape, list, {}, origin);
  }

  // x + 0 for integers; for floats only x + -0 leaves every x as it is.
  InstructionId add() {
    for (size_t i : {0u, 1u})
      if (equals(i, 0) && (!isFloat(in_.shape->type) || isNegativeZero(i))) return keep(1 - i);
    return none();
  }
  InstructionId multiply() {
    for (size_t i : {0u, 1u})
      if (equals(i, 1)) return keep(1 - i);
    return none();
  }
  // x / 1; x / 2^k = x · 2^-k, exact while the reciprocal is a normal number.
  InstructionId divide() {
    auto divisor = splat(1);
    if (!divisor) return none();
    if (*divisor == 1) return keep(0);
    ElementType type = in_.shape->type;
    if (type != ElementType::F32 && type != ElementType::F64) return none();
    int exponent = 0;
    if (std::fabs(std::frexp(*divisor, &exponent)) != 0.5 || std::abs(exponent) > 120) return none();
    const InstructionId origin[] = {in_.id};
    Literal reciprocal = type == ElementType::F32 ? Literal::scalar<float>(type, static_cast<float>(1 / *divisor))
                                                  : Literal::scalar<double>(type, 1 / *divisor);
    InstructionId factor = rewriter_.addConstant(in_.computation, reciprocal, Shape::arrayRowMajor(type, {}), origin);
    if (!in_.shape->isScalar()) {
      AttributeSet attributes;
      attributes.set(Attr::dimensions, std::vector<int64_t>{});
      const InstructionId operands[] = {factor};
      factor = rewriter_.add(in_.computation, Opcode::Broadcast, *in_.shape, operands, attributes, origin);
    }
    return make(Opcode::Multiply, {in_.operands[0], factor});
  }
  InstructionId power() {
    if (equals(1, 1)) return keep(0);
    if (!isFloat(in_.shape->type) || !keep(0).valid()) return none();
    if (equals(1, 2)) return make(Opcode::Multiply, {in_.operands[0], in_.operands[0]});
    return none();
  }
  // and(x, true), or(x, false)
  InstructionId logical(double neutral) {
    if (in_.operands[0] == in_.operands[1]) return keep(0);
    if (in_.shape->type != ElementType::Pred) return none();
    for (size_t i : {0u, 1u})
      if (equals(i, neutral)) return keep(1 - i);
    return none();
  }
  InstructionId inverse() {
    const Instruction& from = module_.at(in_.operands[0]);
    if (from.opcode != in_.opcode || module_.at(from.operands[0]).shape != in_.shape) return none();
    return from.operands[0];
  }
  InstructionId select() {
    if (in_.operands[1] == in_.operands[2]) return keep(1);
    auto condition = splat(0);
    if (!condition) return none();
    return keep(*condition != 0 ? 1 : 2);
  }

  Rewriter& rewriter_;
  Module& module_;
  const Instruction& in_;
};

}  // namespace

InstructionId simplifyArithmetic(Rewriter& rewriter, const Instruction& in) { return Arithmetic(rewriter, in).run(); }

}  // namespace tessera
