// Gradients of what works element by element: the formulas of scalar_derivatives.inc, choices, conversions, and the
// parameters of random numbers.
#include <numbers>

#include "core/gradient/rules.h"

namespace tessera::gradient {
namespace {

Value logOf(Value x) { return unary(Opcode::Log, x); }
Value asComplex(Value real) { return binary(Opcode::Complex, real, zerosOf(real)); }

// Toward zero.
Value truncated(Value x) { return unary(Opcode::Sign, x) * unary(Opcode::Floor, unary(Opcode::Abs, x)); }

// Of a maximum or minimum: to x where it is strictly the one; where both are equal, half to each when both ask, so that
// relu has the gradient 0 at 0 and max(x, x) the gradient 1.
Value chosen(Rule& rule, std::string_view direction, Value x, Value y, Value g) {
  if (isComplex(x.type())) return select(compare("EQ", rule.result(), x), g, zerosOf(g));
  const Value strictly = select(compare(direction, x, y), g, zerosOf(g));
  return rule.wants(0) && rule.wants(1) ? select(compare("EQ", x, y), 0.5 * g, strictly) : strictly;
}

Value powerOfBase(Value x, Value y, Value g) {
  if (const auto exponent = y.emitter->splatOf(y)) return g * (*exponent * power(x, *exponent - 1));
  return g * select(compare("EQ", y, zerosOf(y)), zerosOf(x), y * binary(Opcode::Power, x, y - 1));
}

// r = z / |z| moves across z only; of real numbers it does not move.
Value signOfComplex(Value x, Value r, Value g) {
  if (!isComplex(x.type())) return {};
  const Value along = asComplex(unary(Opcode::Real, g * r));
  return (g - conjugate(r) * along) / asComplex(unary(Opcode::Abs, x));
}

using Formula = Value (*)(Rule& rule, Value x, Value y, Value r, Value g);
struct Derivatives {
  Opcode opcode;
  Formula lhs, rhs;
};

// Formulas use what they need of these.
#define TESSERA_FORMULA(...)                                    \
  [](Rule& rule, Value x, Value y, Value r, Value g) -> Value { \
    return (void)rule, (void)x, (void)y, (void)r, __VA_ARGS__;  \
  }
constexpr Derivatives kDerivatives[] = {
#define TESSERA_DERIVATIVE(opcode, ...) {Opcode::opcode, TESSERA_FORMULA(__VA_ARGS__), nullptr},
#define TESSERA_DERIVATIVES(opcode, lhs, rhs) {Opcode::opcode, TESSERA_FORMULA(lhs), TESSERA_FORMULA(rhs)},
#include "core/gradient/scalar_derivatives.inc"
};
#undef TESSERA_FORMULA

// To a scalar operand that stood for an array goes the sum.
void giveSummed(Rule& r, size_t operand, Value cotangent) {
  if (r.operandShape(operand).isScalar() && !cotangent.shape().isScalar()) {
    Ints all;
    for (size_t d = 0; d < cotangent.dims().size(); ++d) all.push_back(static_cast<int64_t>(d));
    cotangent = reduce(Opcode::Add, cotangent, all);
  }
  r.give(operand, cotangent);
}

// g times numbers that are finite, or such a number itself.
bool isFiniteMultiple(Value cotangent, Value g) {
  if (cotangent.id == g.id || g.emitter->splatOf(cotangent)) return true;
  const Instruction& in = g.emitter->module.at(cotangent.id);
  const auto at = [&](size_t i) { return g.emitter->at(in.operands[i]); };
  const auto isFinite = [&](size_t i) { return isFiniteMultiple(at(i), g); };
  const auto isConstant = [&](size_t i) { return g.emitter->splatOf(at(i)).has_value(); };
  if (in.opcode == Opcode::Negate) return isFinite(0);
  if (in.opcode == Opcode::Select) return isFinite(1) && isFinite(2);
  if (in.opcode == Opcode::Divide) return isFinite(0) && isConstant(1);
  return in.opcode == Opcode::Multiply && isFinite(0) && isFinite(1) && (isConstant(0) || isConstant(1));
}

// Zero where g is.
Value keepZeros(Value cotangent, Value g) {
  if (cotangent.type() != g.type() || isFiniteMultiple(cotangent, g)) return cotangent;
  return select(compare("EQ", g, zerosOf(g)), zerosOf(cotangent), cotangent);
}

}  // namespace

Status scalarFunctionRule(Rule& r) {
  for (const Derivatives& row : kDerivatives) {
    if (row.opcode != r.forward.opcode) continue;
    const Value x = r.operand(0), y = row.rhs ? r.operand(1) : Value();
    for (size_t i = 0; i < (row.rhs ? 2u : 1u); ++i)
      if (r.wants(i))
        if (const Value cotangent = (i == 0 ? row.lhs : row.rhs)(r, x, y, r.result(), r.d()))
          r.give(i, r.isOfBranch() ? keepZeros(cotangent, r.d()) : cotangent);
  }
  return {};
}

Status selectRule(Rule& r) {
  if (r.forward.shape->isTuple()) return r.refuse("select between tuples has no gradient here");
  const Value condition = r.operand(0), g = r.d(), zeros = zerosOf(g);
  if (r.wants(1)) r.give(1, select(condition, g, zeros));
  if (r.wants(2)) r.give(2, select(condition, zeros, g));
  return {};
}

// min(max(low, x), high); bounds may be scalars.
Status clampRule(Rule& r) {
  const Value g = r.d(), zeros = zerosOf(g), x = r.operand(1);
  const Value low = broadcastScalar(r.operand(0), g.dims()), high = broadcastScalar(r.operand(2), g.dims());
  const Value above = compare("GT", x, low);
  if (r.wants(1)) r.give(1, select(binary(Opcode::And, above, compare("LT", x, high)), g, zeros));
  if (!r.wants(0) && !r.wants(2)) return {};
  const Value inside = compare("LT", binary(Opcode::Maximum, low, x), high);
  if (r.wants(0)) giveSummed(r, 0, select(above, zeros, select(inside, g, zeros)));
  if (r.wants(2)) giveSummed(r, 2, select(inside, zeros, g));
  return {};
}

Status convertRule(Rule& r) {
  if (!r.wants(0)) return {};
  const ElementType from = r.operandShape(0).type;
  const Value g = isComplex(r.d().type()) && !isComplex(from) ? unary(Opcode::Real, r.d()) : r.d();
  r.give(0, g);
  return {};
}

// Rounding counts as the identity, and rounds the cotangent as jax does.
Status reducePrecisionRule(Rule& r) {
  if (r.wants(0)) r.give(0, r.emit.make(Opcode::ReducePrecision, {r.d()}, r.attributes()));
  return {};
}

// The same numbers under other parameters: a + (b - a) u, or a + b n.
Status rngRule(Rule& r) {
  const Value g = r.d(), a = broadcastScalar(r.operand(0), g.dims()), b = broadcastScalar(r.operand(1), g.dims());
  if (r.attributes().textOr(Attr::distribution, "") == "rng_normal") {
    if (r.wants(0)) giveSummed(r, 0, g);
    if (r.wants(1)) giveSummed(r, 1, g * ((r.result() - a) / b));
    return {};
  }
  const Value share = (r.result() - a) / (b - a);
  if (r.wants(0)) giveSummed(r, 0, g * (1 - share));
  if (r.wants(1)) giveSummed(r, 1, g * share);
  return {};
}

}  // namespace tessera::gradient
