// See scalar_math.h. One function a class of types: integers on 64 bits, floats on float or double, complex on
// std::complex; libm serves the transcendental functions.
#include "core/element/scalar_math.h"

#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "core/element/approximations/complex_pairs.h"
#include "core/hlo/numbers.h"

namespace tessera {
namespace {

template <class T>
T as(ScalarBits bits) {
  T out;
  std::memcpy(static_cast<void*>(&out), &bits, sizeof(T));
  return out;
}

template <class T>
ScalarBits from(T value) {
  ScalarBits out;
  std::memcpy(static_cast<void*>(&out), &value, sizeof(T));
  return out;
}

template <class T>
T signOf(T a) {
  return std::isnan(a) || a == 0 ? a : std::copysign(T(1), a);
}

template <class T>
T largest(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

template <class T>
T applyFloat(NodeOp op, T a, T b, T c) {
  switch (op) {
    case NodeOp::Add: return a + b;
    case NodeOp::Subtract: return a - b;
    case NodeOp::Multiply: return a * b;
    case NodeOp::Divide: return a / b;
    case NodeOp::Remainder: return std::fmod(a, b);
    case NodeOp::Maximum: return largest(a, b);
    case NodeOp::Minimum: return -largest(-a, -b);
    case NodeOp::Power: return std::pow(a, b);
    case NodeOp::Atan2: return std::atan2(a, b);
    case NodeOp::Negate: return -a;
    case NodeOp::Abs: return std::fabs(a);
    case NodeOp::Sign: return signOf(a);
    case NodeOp::Floor: return std::floor(a);
    case NodeOp::Ceil: return std::ceil(a);
    case NodeOp::RoundNearestAfz: return std::round(a);
    case NodeOp::RoundNearestEven: return std::nearbyint(a);
    case NodeOp::Sqrt: return std::sqrt(a);
    case NodeOp::Rsqrt: return T(1) / std::sqrt(a);
    case NodeOp::Cbrt: return std::cbrt(a);
    case NodeOp::Exp: return std::exp(a);
    case NodeOp::Expm1: return std::expm1(a);
    case NodeOp::Log: return std::log(a);
    case NodeOp::Log1p: return std::log1p(a);
    case NodeOp::Logistic: return T(1) / (T(1) + std::exp(-a));
    case NodeOp::Tanh: return std::tanh(a);
    case NodeOp::Tan: return std::tan(a);
    case NodeOp::Sin: return std::sin(a);
    case NodeOp::Cos: return std::cos(a);
    case NodeOp::Erf: return std::erf(a);
    case NodeOp::Acos: return std::acos(a);
    case NodeOp::Acosh: return std::acosh(a);
    case NodeOp::Asin: return std::asin(a);
    case NodeOp::Asinh: return std::asinh(a);
    case NodeOp::Atanh: return std::atanh(a);
    case NodeOp::Sinh: return std::sinh(a);
    case NodeOp::Cosh: return std::cosh(a);
    case NodeOp::Fma: return std::fma(a, b, c);
    case NodeOp::Real: return a;
    default: return T(0);  // Imag of a real number, and what floats do not have
  }
}

template <class T>
std::complex<T> applyComplex(NodeOp op, std::complex<T> a, std::complex<T> b) {
  switch (op) {
    case NodeOp::Add: return a + b;
    case NodeOp::Subtract: return a - b;
    case NodeOp::Multiply: return a * b;
    case NodeOp::Divide: return a / b;
    case NodeOp::Power: return powerOf(a, b);
    case NodeOp::Atan2: return std::complex<T>(angleOf(std::complex<double>(a), std::complex<double>(b)));
    case NodeOp::Negate: return -a;
    case NodeOp::Sign: return a == std::complex<T>(0) ? a : a / std::abs(a);
    case NodeOp::Sqrt: return std::sqrt(a);
    case NodeOp::Rsqrt: return T(1) / std::sqrt(a);
    case NodeOp::Exp: return std::exp(a);
    case NodeOp::Expm1:
      return {std::expm1(a.real()) * std::cos(a.imag()) + std::cos(a.imag()) - T(1),
              std::exp(a.real()) * std::sin(a.imag())};
    case NodeOp::Log: return std::log(a);
    case NodeOp::Log1p: return std::log(a + T(1));
    case NodeOp::Logistic: return T(1) / (T(1) + std::exp(-a));
    case NodeOp::Tanh: return std::tanh(a);
    case NodeOp::Tan: return std::tan(a);
    case NodeOp::Sin: return std::sin(a);
    case NodeOp::Cos: return std::cos(a);
    case NodeOp::Sinh: return std::sinh(a);
    case NodeOp::Cosh: return std::cosh(a);
    case NodeOp::Asin: return std::asin(a);
    case NodeOp::Acos: return std::acos(a);
    case NodeOp::Asinh: return std::asinh(a);
    case NodeOp::Acosh: return std::acosh(a);
    case NodeOp::Atanh: return std::atanh(a);
    default: return std::complex<T>(0);
  }
}

uint64_t maskOf(int bits) { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

int64_t divideSigned(int64_t a, int64_t b) {
  if (b == 0) return -1;
  return b == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a / b;
}

int64_t remainderSigned(int64_t a, int64_t b) {
  if (b == 0) return a;
  return b == -1 ? 0 : a % b;
}

// Signed, in whole bytes, whatever the type; of an exponent that is not negative the low six bits count.
int64_t powerOf(int64_t base, int64_t exponent, int bits) {
  const int unused = 64 - std::max(8, bits);
  const auto asSigned = [&](int64_t v) { return static_cast<int64_t>(static_cast<uint64_t>(v) << unused) >> unused; };
  base = asSigned(base);
  exponent = asSigned(exponent);
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
  uint64_t result = 1, factor = static_cast<uint64_t>(base);
  for (int64_t left = exponent & 63; left; left >>= 1, factor *= factor)
    if (left & 1) result *= factor;
  return static_cast<int64_t>(result);
}

int64_t mulHigh(int64_t a, int64_t b, int bits, bool isSignedType) {
  if (isSignedType) return static_cast<int64_t>((static_cast<__int128>(a) * b) >> bits);
  return static_cast<int64_t>((static_cast<unsigned __int128>(static_cast<uint64_t>(a)) * static_cast<uint64_t>(b)) >>
                              bits);
}

int64_t shift(NodeOp op, int64_t a, int64_t amount, int bits) {
  const uint64_t mask = maskOf(bits), value = static_cast<uint64_t>(a) & mask;
  const bool beyond = amount < 0 || amount >= bits;  // a negative amount is a huge unsigned one
  if (op == NodeOp::ShiftLeft) return beyond ? 0 : static_cast<int64_t>(value << amount);
  if (op == NodeOp::ShiftRightLogical) return beyond ? 0 : static_cast<int64_t>(value >> amount);
  const int64_t extended = static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
  return extended >> (beyond ? bits - 1 : amount);
}

// Integers and pred: a and b are sign- or zero-extended to 64 bits; the caller wraps to the type.
int64_t applyInteger(NodeOp op, ElementType type, int64_t a, int64_t b, int64_t c) {
  const int bits = type == ElementType::Pred ? 1 : info(type).bits;
  const bool negative = isSigned(type);
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (op) {
    case NodeOp::Add: return type == ElementType::Pred ? a | b : static_cast<int64_t>(ua + ub);
    case NodeOp::Subtract: return type == ElementType::Pred ? a ^ b : static_cast<int64_t>(ua - ub);
    case NodeOp::Multiply: return static_cast<int64_t>(ua * ub);
    case NodeOp::Fma: return static_cast<int64_t>(ua * ub + static_cast<uint64_t>(c));
    case NodeOp::Divide: return negative ? divideSigned(a, b) : ub == 0 ? -1 : static_cast<int64_t>(ua / ub);
    case NodeOp::Remainder: return negative ? remainderSigned(a, b) : ub == 0 ? a : static_cast<int64_t>(ua % ub);
    case NodeOp::Maximum: return negative ? std::max(a, b) : static_cast<int64_t>(std::max(ua, ub));
    case NodeOp::Minimum: return negative ? std::min(a, b) : static_cast<int64_t>(std::min(ua, ub));
    case NodeOp::Power: return powerOf(a, b, bits);
    case NodeOp::And: return a & b;
    case NodeOp::Or: return a | b;
    case NodeOp::Xor: return a ^ b;
    case NodeOp::ShiftLeft:
    case NodeOp::ShiftRightArithmetic:
    case NodeOp::ShiftRightLogical: return shift(op, a, b, bits);
    case NodeOp::MulHi: return mulHigh(a, b, bits, negative);
    case NodeOp::Negate: return static_cast<int64_t>(0 - ua);
    case NodeOp::Not: return type == ElementType::Pred ? !a : ~a;
    case NodeOp::Abs: return negative && a < 0 ? static_cast<int64_t>(0 - ua) : a;
    case NodeOp::Sign: return negative ? (a > 0) - (a < 0) : a != 0;
    case NodeOp::PopulationCount: return std::popcount(ua & maskOf(bits));
    case NodeOp::CountLeadingZeros: return std::countl_zero(ua & maskOf(bits)) - (64 - bits);
    case NodeOp::Imag: return 0;
    default: return a;  // rounding of integers, Real
  }
}

template <class T>
bool compareOrdered(CompareDirection direction, T a, T b) {
  switch (direction) {
    case CompareDirection::Eq: return a == b;
    case CompareDirection::Ne: return a != b;
    case CompareDirection::Ge: return a >= b;
    case CompareDirection::Gt: return a > b;
    case CompareDirection::Le: return a <= b;
    case CompareDirection::Lt: return a < b;
  }
  return false;
}

// -NaN < -inf < … < -0 < 0 < … < inf < NaN: the bits as sign and magnitude.
int64_t totalOrderKey(ScalarBits value, int bits) {
  const uint64_t sign = uint64_t{1} << (bits - 1);
  const auto magnitude = static_cast<int64_t>(value.low & (sign - 1));
  return value.low & sign ? ~magnitude : magnitude;
}

bool compareScalars(const Node& node, TypedScalar a, TypedScalar b) {
  const auto direction = static_cast<CompareDirection>(node.bits0);
  if (isComplex(a.type)) {
    const bool equal = loadComplex(a.type, &a.bits) == loadComplex(b.type, &b.bits);
    return direction == CompareDirection::Eq ? equal : !equal;
  }
  if (isFloat(a.type)) {
    const int bits = info(a.type).bits;
    if (node.bits1) return compareOrdered(direction, totalOrderKey(a.bits, bits), totalOrderKey(b.bits, bits));
    return compareOrdered(direction, loadDouble(a.type, &a.bits), loadDouble(b.type, &b.bits));
  }
  const int64_t left = scalarAsInt(a), right = scalarAsInt(b);
  if (isSigned(a.type)) return compareOrdered(direction, left, right);
  return compareOrdered(direction, static_cast<uint64_t>(left), static_cast<uint64_t>(right));
}

ScalarBits convertScalar(ElementType to, TypedScalar a) {
  ScalarBits out;
  if (to == a.type) return a.bits;
  if (isComplex(a.type) && isComplex(to)) {
    storeComplex(to, &out, loadComplex(a.type, &a.bits));
  } else if (to == ElementType::Pred && isComplex(a.type)) {
    storeInt(to, &out, loadComplex(a.type, &a.bits) != std::complex<double>(0));
  } else if (isFloat(a.type) || isComplex(a.type) || (a.type == ElementType::U64 && !isInteger(to))) {
    if (a.type == ElementType::U64 && to == ElementType::F32) return from(static_cast<float>(a.bits.low));
    storeDouble(to, &out, loadDouble(a.type, &a.bits));
  } else {
    storeInt(to, &out, loadInt(a.type, &a.bits));
  }
  return out;
}

struct FloatFormat {
  int exponent, mantissa;
};
FloatFormat formatOf(ElementType type) {
  switch (type) {
    case ElementType::F64: return {11, 52};
    case ElementType::F16: return {5, 10};
    case ElementType::BF16: return {8, 7};
    default: return {8, 23};
  }
}

// XLA's reduce-precision: round to nearest even on the mantissa, then overflow to infinity and flush to zero.
uint64_t reduceBits(uint64_t x, FloatFormat format, int exponentBits, int mantissaBits) {
  const uint64_t sign = uint64_t{1} << (format.exponent + format.mantissa);
  const uint64_t exponentMask = ((uint64_t{1} << format.exponent) - 1) << format.mantissa;
  if ((x & (sign - 1)) > exponentMask) return x;  // NaN
  if (mantissaBits < format.mantissa) {
    const int drop = format.mantissa - mantissaBits;
    x += (uint64_t{1} << (drop - 1)) - 1 + ((x >> drop) & 1);
    x &= ~((uint64_t{1} << drop) - 1);
  }
  if (exponentBits < format.exponent) {
    const uint64_t bias = (uint64_t{1} << (format.exponent - 1)) - 1, reduced = (uint64_t{1} << (exponentBits - 1)) - 1;
    const uint64_t exponent = x & exponentMask;
    if (exponent > (bias + reduced) << format.mantissa) return (x & sign) | exponentMask;
    if (exponent <= (bias - reduced) << format.mantissa) return x & sign;
  }
  return x;
}

ScalarBits reducePrecisionScalar(const Node& node, TypedScalar a) {
  const int exponent = static_cast<int>(node.bits0), mantissa = static_cast<int>(node.bits1);
  if (byteWidth(a.type) == 1) {
    ScalarBits wide = from(static_cast<float>(loadDouble(a.type, &a.bits)));
    wide.low = reduceBits(wide.low, {8, 23}, exponent, mantissa);
    return scalarFromDouble(a.type, as<float>(wide));
  }
  return {reduceBits(a.bits.low, formatOf(a.type), exponent, mantissa), 0};
}

template <class T>
ScalarBits complexNode(const Node& node, std::span<const TypedScalar> in) {
  if (node.op == NodeOp::MakeComplex) return from(std::complex<T>(as<T>(in[0].bits), as<T>(in[1].bits)));
  const auto a = as<std::complex<T>>(in[0].bits);
  const auto b = in.size() > 1 ? as<std::complex<T>>(in[1].bits) : std::complex<T>(0);
  if (node.op == NodeOp::Abs) return from(std::hypot(a.real(), a.imag()));
  if (node.op == NodeOp::Real) return from(a.real());
  if (node.op == NodeOp::Imag) return from(a.imag());
  if (node.op == NodeOp::IsFinite) return from(std::isfinite(a.real()) && std::isfinite(a.imag()));
  return from(applyComplex<T>(node.op, a, b));
}

template <class T>
ScalarBits floatNode(NodeOp op, std::span<const TypedScalar> in) {
  const auto at = [&](size_t i) { return i < in.size() ? as<T>(in[i].bits) : T(0); };
  return from(applyFloat<T>(op, at(0), at(1), at(2)));
}

ScalarBits smallFloatNode(NodeOp op, std::span<const TypedScalar> in) {
  const auto at = [&](size_t i) {
    return i < in.size() ? static_cast<float>(loadDouble(in[i].type, &in[i].bits)) : 0.0f;
  };
  return scalarFromDouble(in[0].type, applyFloat<float>(op, at(0), at(1), at(2)));
}

ScalarBits arithmeticNode(const Node& node, std::span<const TypedScalar> in) {
  const ElementType type = in[0].type;
  if (node.op == NodeOp::MakeComplex || isComplex(type)) {
    const bool wide = type == ElementType::C128 || type == ElementType::F64;
    return wide ? complexNode<double>(node, in) : complexNode<float>(node, in);
  }
  if (node.op == NodeOp::IsFinite) return {isFloat(type) ? std::isfinite(loadDouble(type, &in[0].bits)) : true, 0};
  if (type == ElementType::F32) return floatNode<float>(node.op, in);
  if (type == ElementType::F64) return floatNode<double>(node.op, in);
  if (isFloat(type)) return smallFloatNode(node.op, in);
  const auto at = [&](size_t i) { return i < in.size() ? scalarAsInt(in[i]) : 0; };
  return scalarFromInt(type, applyInteger(node.op, type, at(0), at(1), at(2)));
}

}  // namespace

ScalarBits scalarFromBytes(ElementType type, const void* bytes) {
  ScalarBits out;
  std::memcpy(&out, bytes, static_cast<size_t>(byteWidth(type)));
  return out;
}

void scalarToBytes(ElementType type, ScalarBits value, void* bytes) {
  std::memcpy(bytes, &value, static_cast<size_t>(byteWidth(type)));
}

ScalarBits scalarFromInt(ElementType type, int64_t value) {
  ScalarBits out;
  if (type == ElementType::Pred)
    out.low = value & 1;
  else
    storeInt(type, &out, value);
  return out;
}

ScalarBits scalarFromDouble(ElementType type, double value) {
  ScalarBits out;
  storeDouble(type, &out, value);
  return out;
}

int64_t scalarAsInt(TypedScalar value) { return loadInt(value.type, &value.bits); }

bool isScalarOp(NodeOp op) { return op >= NodeOp::Select; }

ScalarBits applyScalar(const Node& node, std::span<const TypedScalar> inputs) {
  switch (node.op) {
    case NodeOp::Select: return inputs[0].bits.low ? inputs[1].bits : inputs[2].bits;
    case NodeOp::Convert: return convertScalar(node.type, inputs[0]);
    case NodeOp::BitcastConvert: return inputs[0].bits;
    case NodeOp::Compare: return {compareScalars(node, inputs[0], inputs[1]), 0};
    case NodeOp::ReducePrecision: return reducePrecisionScalar(node, inputs[0]);
    default: return arithmeticNode(node, inputs);
  }
}

}  // namespace tessera
