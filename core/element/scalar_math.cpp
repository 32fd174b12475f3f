// See scalar_math.h. One function a class of types: integers on 64 bits, floats on float or double, complex on
// std::complex. The definition of each scalar function is in scalar_functions.inc.
#include "core/element/scalar_math.h"

#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "core/element/scalar_functions.h"
#include "core/element/scalar_values.h"
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

// What a row says nothing of: types that the function does not take.
struct None {
  template <class T>
  constexpr operator T() const {
    return T(0);
  }
};
constexpr None none;

#define VALUE(real, complex, integer) real
#define TESSERA_UNARY_FUNCTION(node, opcode, takes, price, how, symbol, value, ...) \
  case NodeOp::node:                                                                \
    return static_cast<T>(value);
#define TESSERA_BINARY_FUNCTION(node, opcode, takes, price, how, symbol, neutral, value, ...) \
  case NodeOp::node: return static_cast<T>(value);

template <class T>
T applyFloat(NodeOp op, T a, T b, T c) {
  switch (op) {
#include "core/element/scalar_functions.inc"
    case NodeOp::Fma: return std::fma(a, b, c);
    default: return T(0);
  }
}

#define VALUE(real, complex, integer) complex
#define TESSERA_UNARY_FUNCTION(node, opcode, takes, price, how, symbol, value, ...) \
  case NodeOp::node:                                                                \
    return value;
#define TESSERA_BINARY_FUNCTION(node, opcode, takes, price, how, symbol, neutral, value, ...) \
  case NodeOp::node: return value;

template <class T>
std::complex<T> applyComplex(NodeOp op, std::complex<T> a, std::complex<T> b) {
  switch (op) {
#include "core/element/scalar_functions.inc"
    default: return std::complex<T>(0);
  }
}

#define VALUE(real, complex, integer) integer
#define TESSERA_UNARY_FUNCTION(node, opcode, takes, price, how, symbol, value, ...) \
  case NodeOp::node:                                                                \
    return value;
#define TESSERA_BINARY_FUNCTION(node, opcode, takes, price, how, symbol, neutral, value, ...) \
  case NodeOp::node: return value;

// Integers and pred: a and b are sign- or zero-extended to 64 bits; the caller wraps to the type.
int64_t applyInteger(NodeOp op, ElementType type, int64_t a, int64_t b, int64_t c) {
  switch (op) {
#include "core/element/scalar_functions.inc"
    case NodeOp::Fma: return scalar::add(scalar::multiply(a, b), c, ElementType::S64);
    default: return 0;
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
  if (node.op == NodeOp::IsFinite) return from(std::isfinite(a.real()) && std::isfinite(a.imag()));
  const std::complex<T> out = applyComplex<T>(node.op, a, b);
  const ScalarFunctionInfo* function = scalarFunctionOf(node.op);
  return function && function->takes & kGivesReal ? from(out.real()) : from(out);
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
