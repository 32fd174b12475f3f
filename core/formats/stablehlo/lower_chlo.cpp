// chlo operations. Those that HLO has by name are plain rows; the others are written as expressions over HLO's elementwise
// operations, in f32 for narrower floats. Sources: Giles 2010 (erf_inv), Cephes (erfc), Lanczos with g = 7 (lgamma, digamma).
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "core/formats/stablehlo/lowering_rows.h"
#include "core/hlo/numbers.h"

namespace tessera::mlir {
namespace {

using Ids = std::vector<InstructionId>;

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

Value operator+(Value a, Value b) { return a.with(Opcode::Add, b); }
Value operator-(Value a, Value b) { return a.with(Opcode::Subtract, b); }
Value operator*(Value a, Value b) { return a.with(Opcode::Multiply, b); }
Value operator/(Value a, Value b) { return a.with(Opcode::Divide, b); }
Value operator+(Value a, double b) { return a + a.constant(b); }
Value operator-(Value a, double b) { return a - a.constant(b); }
Value operator*(Value a, double b) { return a * a.constant(b); }
Value operator-(Value a) { return a.of(Opcode::Negate); }

Value polynomial(Value x, std::span<const double> coefficients) {
  Value out = x.constant(coefficients[0]);
  for (double c : coefficients.subspan(1)) out = out * x + c;
  return out;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- erf_inv

constexpr double kCentral[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                               -0.00125372503, -0.00417768164, 0.246640727, 1.50140941};
constexpr double kTail[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                            -0.0076224613, 0.00943887047, 1.00167406, 2.83297682};

Value erfInverse(Value x) {
  const Value w = -(-(x * x)).of(Opcode::LogPlusOne);
  const Value central = polynomial(w - 2.5, kCentral), tail = polynomial(w.of(Opcode::Sqrt) - 3.0, kTail);
  Value y = w.compare("LT", w.constant(5)).select(central, tail) * x;
  if (x.shape().type == ElementType::F64) {
    // Two steps of Newton's method: erf'(y) = 2/sqrt(pi) exp(-y^2).
    const double scale = std::sqrt(std::numbers::pi) / 2;
    for (int step = 0; step < 2; ++step) {
      const Value next = y - (y.of(Opcode::Erf) - x) * scale * (y * y).of(Opcode::Exponential);
      y = next.of(Opcode::Abs).compare("LT", y.constant(kInfinity)).select(next, y);
    }
  }
  return x.of(Opcode::Abs).compare("EQ", x.constant(1)).select(x * kInfinity, y);
}

// --- erfc

constexpr double kErfcNear[] = {2.326819970068386e-2, -1.387039388740657e-1, 3.687424674597105e-1, -5.824733027278666e-1,
                                6.210004621745983e-1, -4.944515323274145e-1, 3.404879937665872e-1, -2.741127028184656e-1,
                                5.638259427386472e-1};
constexpr double kErfcFar[] = {-1.047766399936249e+1, 1.297719955372516e+1, -7.495518717768503e+0, 2.921019019210786e+0,
                               -1.015265279202700e+0, 4.218463358204948e-1, -2.820767439740514e-1, 5.641895067754075e-1};

// exp(-x^2) times a polynomial in 1/x^2, for |x| above 1.
Value erfcTail(Value x) {
  const Value a = x.of(Opcode::Abs);
  const Value z = (-(x * x)).of(Opcode::Exponential), q = a.constant(1) / a;
  const Value y = q * q;
  const Value p = a.compare("LT", a.constant(2)).select(polynomial(y, kErfcNear), polynomial(y, kErfcFar));
  const Value positive = z * q * p;
  const Value clamped = z.compare("EQ", z.constant(0)).select(z, positive);
  return x.compare("LT", x.constant(0)).select(clamped.constant(2) - clamped, clamped);
}

Value erfComplement(Value x) {
  const Value near = x.constant(1) - x.of(Opcode::Erf);
  if (x.shape().type == ElementType::F64) return near;
  return x.of(Opcode::Abs).compare("GT", x.constant(1)).select(erfcTail(x), near);
}

// --- lgamma, digamma

constexpr double kLanczosG = 7, kLanczosBase = 0.99999999999980993227684700473478;
constexpr double kLanczos[] = {676.520368121885098567009190444019, -1259.13921672240287047156078755283, 771.3234287776530788486528258894,
                               -176.61502916214059906584551354, 12.507343278686904814458936853, -0.13857109526572011689554707,
                               9.984369578019570859563e-6, 1.50563273514931155834e-7};

struct Lanczos {
  Value reflected, z, logT;
};

// Arguments below 1/2 are reflected; log(z + g + 1/2) as log(g + 1/2) + log1p(z / (g + 1/2)).
Lanczos lanczosOf(Value x) {
  const Value reflected = x.compare("LT", x.constant(0.5));
  const Value z = reflected.select(-x, x - 1.0);
  return {reflected, z, (z * (1 / (kLanczosG + 0.5))).of(Opcode::LogPlusOne) + std::log(kLanczosG + 0.5)};
}

Value logGamma(Value x) {
  const auto [reflected, z, logT] = lanczosOf(x);
  Value sum = x.constant(kLanczosBase);
  for (size_t i = 0; i < std::size(kLanczos); ++i) sum = sum + x.constant(kLanczos[i]) / (z + static_cast<double>(i + 1));
  const Value t = z + (kLanczosG + 0.5);
  const Value logY = (z + 0.5 - t / logT) * logT + std::log(2 * std::numbers::pi) / 2 + sum.of(Opcode::Log);
  // log(|sin(pi x)|), with x reduced to [0, 1/2] first.
  const Value a = x.of(Opcode::Abs), fraction = a - a.of(Opcode::Floor);
  const Value reduced = fraction.compare("GT", fraction.constant(0.5)).select(fraction.constant(1) - fraction, fraction);
  const Value logSine = (reduced * std::numbers::pi).of(Opcode::Sine).of(Opcode::Log);
  const Value finite = logSine.of(Opcode::Abs).compare("LT", x.constant(kInfinity));
  const Value reflection = finite.select(x.constant(std::log(std::numbers::pi)) - logSine - logY, -logSine);
  const Value result = reflected.select(reflection, logY);
  return a.compare("EQ", a.constant(kInfinity)).select(a, result);
}

Value digamma(Value x) {
  const auto [reflected, z, logT] = lanczosOf(x);
  Value numerator = x.constant(0), denominator = x.constant(kLanczosBase);
  for (size_t i = 0; i < std::size(kLanczos); ++i) {
    const Value place = z + static_cast<double>(i + 1), term = x.constant(kLanczos[i]) / place;
    numerator = numerator - term / place;
    denominator = denominator + term;
  }
  const Value t = z + (kLanczosG + 0.5);
  const Value y = logT + numerator / denominator - x.constant(kLanczosG) / t;
  // pi cot(pi x), with x reduced by its nearest integer.
  const Value reduced = (x + (x + 0.5).of(Opcode::Floor).of(Opcode::Abs)) * std::numbers::pi;
  const Value reflection = y - (reduced.of(Opcode::Cosine) / reduced.of(Opcode::Sine)) * std::numbers::pi;
  const Value result = reflected.select(reflection, y);
  const Value nan = x.constant(std::numeric_limits<double>::quiet_NaN());
  const Value whole = x.compare("EQ", x.of(Opcode::Floor)), below = x.compare("LE", x.constant(0));
  return whole.with(Opcode::And, below).select(nan, result);
}

// --- the rows' functions

// Computes in f32 for narrower floats.
template <Value (*kExpression)(Value)>
Status lowerExpression(Lowering& l, const Operation& op, Opcode) {
  TESSERA_ASSIGN_OR_RETURN(InstructionId id, l.operand(op, 0));
  const Value x{&l, id};
  const ElementType type = x.shape().type;
  if (!isFloat(type)) return l.fault(op, "the operand is not of a float type", "f32", std::string(nameOf(type)));
  const bool narrow = type != ElementType::F32 && type != ElementType::F64;
  l.defineResult(op, 0, narrow ? kExpression(x.as(ElementType::F32)).as(type).id : kExpression(x).id);
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
  if (!isFloat(x.shape().type) || bits < 16) return l.fault(op, "the operand is not of a float type of 16 bits or more");
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

Status lowerConstant(Lowering& l, const Operation& op, Opcode opcode) { return findRow("constant")->lower(l, op, opcode); }

Status lowerConstantLike(Lowering& l, const Operation& op, Opcode) {
  TESSERA_ASSIGN_OR_RETURN(InstructionId id, l.operand(op, 0));
  l.defineResult(op, 0, Value{&l, id}.constant(real(op, {"value"}, 0)).id);
  return {};
}

const LoweringRow kRows[] = {
    {"chlo.acos", 1, Opcode::Acos},
    {"chlo.acosh", 1, Opcode::Acosh},
    {"chlo.asin", 1, Opcode::Asin},
    {"chlo.asinh", 1, Opcode::Asinh},
    {"chlo.atan", 1, Opcode::Atan2, lowerAtan},
    {"chlo.atanh", 1, Opcode::Atanh},
    {"chlo.conj", 1, Opcode::Complex, lowerConjugate},
    {"chlo.constant", 0, Opcode::Constant, lowerConstant},
    {"chlo.constant_like", 1, Opcode::Constant, lowerConstantLike},
    {"chlo.cosh", 1, Opcode::Cosh},
    {"chlo.digamma", 1, Opcode::Add, lowerExpression<digamma>},
    {"chlo.erf", 1, Opcode::Erf},
    {"chlo.erf_inv", 1, Opcode::Add, lowerExpression<erfInverse>},
    {"chlo.erfc", 1, Opcode::Add, lowerExpression<erfComplement>},
    {"chlo.is_inf", 1, Opcode::Compare, lowerInfinite<0>},
    {"chlo.is_neg_inf", 1, Opcode::Compare, lowerInfinite<-1>},
    {"chlo.is_pos_inf", 1, Opcode::Compare, lowerInfinite<1>},
    {"chlo.lgamma", 1, Opcode::Add, lowerExpression<logGamma>},
    {"chlo.mulhi", 2, Opcode::Mulhi},
    {"chlo.next_after", 2, Opcode::Add, lowerNextAfter},
    {"chlo.sinh", 1, Opcode::Sinh},
    {"chlo.square", 1, Opcode::Multiply, lowerSquare},
    {"chlo.tan", 1, Opcode::Tan},
    {"chlo.top_k", 1, Opcode::Topk, lowerTopK},
};

}  // namespace

std::span<const LoweringRow> chloRows() { return kRows; }

}  // namespace tessera::mlir
