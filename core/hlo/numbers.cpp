// Numbers: the conversions behind numbers.h. Small floats are decoded and rounded by their parameters (mantissa bits,
// bias, what the top codes mean), so one pair of functions serves f16, bf16 and every f8, f6 and f4. Rules: round to
// nearest even; where a type has no infinity, overflow gives its NaN (…fn, …fnuz) or, without NaN, its largest
// value; float to integer truncates and saturates, NaN gives 0.
#include "core/hlo/numbers.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tessera {
namespace {

enum class Specials : uint8_t {
  Ieee,     // top exponent: infinity and NaN
  NanOnly,  // all ones is NaN, no infinity
  Fnuz,     // NaN is "minus zero", no infinity, no minus zero
  Finite,   // every code is a number
};

struct SmallFormat {
  int mantissa;
  int bias;
  int bits;
  Specials specials;
};

constexpr SmallFormat formatOf(ElementType type) {
  using E = ElementType;
  switch (type) {
    case E::F16: return {10, 15, 16, Specials::Ieee};
    case E::BF16: return {7, 127, 16, Specials::Ieee};
    case E::F8E5M2: return {2, 15, 8, Specials::Ieee};
    case E::F8E4M3: return {3, 7, 8, Specials::Ieee};
    case E::F8E3M4: return {4, 3, 8, Specials::Ieee};
    case E::F8E4M3FN: return {3, 7, 8, Specials::NanOnly};
    case E::F8E4M3B11FNUZ: return {3, 11, 8, Specials::Fnuz};
    case E::F8E5M2FNUZ: return {2, 16, 8, Specials::Fnuz};
    case E::F8E4M3FNUZ: return {3, 8, 8, Specials::Fnuz};
    case E::F6E3M2FN: return {2, 3, 6, Specials::Finite};
    case E::F6E2M3FN: return {3, 1, 6, Specials::Finite};
    case E::F4E2M1FN: return {1, 1, 4, Specials::Finite};
    default: return {7, 127, 16, Specials::Ieee};
  }
}

// Largest code without the sign that is a finite number.
constexpr uint32_t largestFinite(const SmallFormat& f) {
  const uint32_t all = (1u << (f.bits - 1)) - 1;
  switch (f.specials) {
    case Specials::Ieee: return all - (1u << f.mantissa);  // the top exponent is special
    case Specials::NanOnly: return all - 1;
    default: return all;
  }
}

constexpr uint32_t nanCode(const SmallFormat& f, bool negative) {
  const uint32_t sign = 1u << (f.bits - 1);
  const uint32_t all = sign - 1;
  switch (f.specials) {
    case Specials::Ieee: {
      const uint32_t top = (all >> f.mantissa) << f.mantissa;
      return (negative ? sign : 0) | top | (1u << (f.mantissa - 1));
    }
    case Specials::NanOnly: return (negative ? sign : 0) | all;
    default: return sign;  // fnuz: the NaN; finite types: minus zero stands in for it
  }
}

constexpr uint32_t overflowCode(const SmallFormat& f, bool negative) {
  const uint32_t sign = negative ? 1u << (f.bits - 1) : 0;
  switch (f.specials) {
    case Specials::Ieee: return sign | (largestFinite(f) + 1);  // infinity
    case Specials::Finite: return sign | largestFinite(f);
    default: return nanCode(f, negative);
  }
}

double powerOfTwo(int exponent) {  // for normal doubles
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

double decodeExponentOnly(uint32_t bits) {
  bits &= 0xffu;
  if (bits == 0xffu) return std::numeric_limits<double>::quiet_NaN();
  return powerOfTwo(static_cast<int>(bits) - 127);
}

// f8e8m0fnu has neither sign nor zero: both zeros and negative numbers become NaN, what is below 2^-127 becomes
// 2^-127. Ties go up, as XLA has it.
uint32_t encodeExponentOnly(double value) {
  if (!(value > 0) || std::isinf(value)) return 0xffu;
  if (value < powerOfTwo(-127)) return 0;
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  int code = static_cast<int>(bits >> 52) - 1023 + 127;
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1), half = uint64_t{1} << 51;
  if (fraction >= half) ++code;
  return code > 254 ? 0xffu : static_cast<uint32_t>(code);
}

double decode(const SmallFormat& f, uint32_t bits) {
  const uint32_t signBit = 1u << (f.bits - 1);
  const bool negative = bits & signBit;
  const uint32_t magnitude = bits & (signBit - 1);
  const double sign = negative ? -1.0 : 1.0;
  if (f.specials == Specials::Fnuz && negative && magnitude == 0) return std::numeric_limits<double>::quiet_NaN();
  if (magnitude > largestFinite(f)) {
    const bool infinite = f.specials == Specials::Ieee && magnitude == largestFinite(f) + 1;
    const double special =
        infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    return std::copysign(special, sign);
  }
  const uint32_t exponent = magnitude >> f.mantissa;
  const uint32_t fraction = magnitude & ((1u << f.mantissa) - 1);
  if (exponent == 0) return sign * fraction * powerOfTwo(1 - f.bias - f.mantissa);
  const uint64_t wide = (static_cast<uint64_t>(static_cast<int>(exponent) - f.bias + 1023) << 52) |
                        (static_cast<uint64_t>(fraction) << (52 - f.mantissa));
  return sign * std::bit_cast<double>(wide);
}

uint32_t encode(const SmallFormat& f, double value) {
  const uint64_t wide = std::bit_cast<uint64_t>(value);
  const bool negative = wide >> 63;
  const int wideExponent = static_cast<int>((wide >> 52) & 0x7ff);
  const uint64_t wideFraction = wide & ((uint64_t{1} << 52) - 1);
  if (wideExponent == 0x7ff) return wideFraction ? nanCode(f, negative) : overflowCode(f, negative);
  uint32_t code = 0;
  if (wideExponent != 0) {  // subnormal doubles are below half of every small type's least number
    const int exponent = wideExponent - 1023;
    const int least = 1 - f.bias;
    const int used = exponent < least ? least : exponent;
    const int drop = 52 - f.mantissa + (used - exponent);
    if (drop <= 53) {
      const uint64_t significand = wideFraction | (uint64_t{1} << 52);
      uint64_t kept = significand >> drop;
      const uint64_t rest = significand & ((uint64_t{1} << drop) - 1), half = uint64_t{1} << (drop - 1);
      if (rest > half || (rest == half && (kept & 1))) ++kept;
      const uint64_t full = (static_cast<uint64_t>(used - least) << f.mantissa) + kept;
      if (full > largestFinite(f)) return overflowCode(f, negative);
      code = static_cast<uint32_t>(full);
    }
  }
  if (code == 0 && f.specials == Specials::Fnuz) return 0;
  return code | (negative ? 1u << (f.bits - 1) : 0);
}

template <class T>
T loadAs(const void* data) {
  T out;
  std::memcpy(&out, data, sizeof(T));
  return out;
}
template <class T>
void storeAs(void* data, T value) {
  std::memcpy(data, &value, sizeof(T));
}

int64_t extend(uint64_t bits, int width, bool isSignedType) {
  if (width == 64) return static_cast<int64_t>(bits);
  const uint64_t mask = (uint64_t{1} << width) - 1;
  bits &= mask;
  if (isSignedType && (bits >> (width - 1))) bits |= ~mask;
  return static_cast<int64_t>(bits);
}

uint64_t loadBits(int bytes, const void* data) {
  switch (bytes) {
    case 1: return loadAs<uint8_t>(data);
    case 2: return loadAs<uint16_t>(data);
    case 4: return loadAs<uint32_t>(data);
    default: return loadAs<uint64_t>(data);
  }
}

void storeBits(int bytes, void* data, uint64_t bits) {
  switch (bytes) {
    case 1: return storeAs(data, static_cast<uint8_t>(bits));
    case 2: return storeAs(data, static_cast<uint16_t>(bits));
    case 4: return storeAs(data, static_cast<uint32_t>(bits));
    default: return storeAs(data, bits);
  }
}

// Truncation with saturation to [low, high] given as powers of two: high is exclusive.
int64_t saturateSigned(double value, int width) {
  if (std::isnan(value)) return 0;
  const double limit = powerOfTwo(width - 1);
  if (value >= limit) return static_cast<int64_t>((uint64_t{1} << (width - 1)) - 1);
  if (value < -limit) return -static_cast<int64_t>((uint64_t{1} << (width - 1)) - 1) - 1;
  return static_cast<int64_t>(value);
}

uint64_t saturateUnsigned(double value, int width) {
  if (std::isnan(value) || value <= 0) return 0;
  if (value >= powerOfTwo(width)) return width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  return static_cast<uint64_t>(value);
}

}  // namespace

double smallFloatToDouble(ElementType type, uint32_t bits) {
  if (type == ElementType::BF16) return std::bit_cast<float>(bits << 16);
  if (type == ElementType::F8E8M0FNU) return decodeExponentOnly(bits);
  return decode(formatOf(type), bits);
}

uint32_t doubleToSmallFloat(ElementType type, double value) {
  if (type == ElementType::F8E8M0FNU) return encodeExponentOnly(value);
  return encode(formatOf(type), value);
}

double loadDouble(ElementType type, const void* data) {
  switch (type) {
    case ElementType::F32:
    case ElementType::C64: return loadAs<float>(data);
    case ElementType::F64:
    case ElementType::C128: return loadAs<double>(data);
    case ElementType::U64: return static_cast<double>(loadAs<uint64_t>(data));
    default: break;
  }
  if (isFloat(type)) return smallFloatToDouble(type, static_cast<uint32_t>(loadBits(byteWidth(type), data)));
  return static_cast<double>(loadInt(type, data));
}

int64_t loadInt(ElementType type, const void* data) {
  if (type == ElementType::Pred) return loadAs<uint8_t>(data) != 0;
  if (isFloat(type) || isComplex(type)) return saturateSigned(loadDouble(type, data), 64);
  return extend(loadBits(byteWidth(type), data), info(type).bits, isSigned(type));
}

std::complex<double> loadComplex(ElementType type, const void* data) {
  if (type == ElementType::C64) return std::complex<double>(loadAs<std::complex<float>>(data));
  if (type == ElementType::C128) return loadAs<std::complex<double>>(data);
  return loadDouble(type, data);
}

void storeDouble(ElementType type, void* data, double value) {
  switch (type) {
    case ElementType::F32: return storeAs(data, static_cast<float>(value));
    case ElementType::F64: return storeAs(data, value);
    case ElementType::C64: return storeAs(data, std::complex<float>(static_cast<float>(value), 0));
    case ElementType::C128: return storeAs(data, std::complex<double>(value, 0));
    case ElementType::Pred: return storeAs(data, static_cast<uint8_t>(value != 0));
    default: break;
  }
  const int bytes = byteWidth(type), width = info(type).bits;
  if (isFloat(type)) return storeBits(bytes, data, doubleToSmallFloat(type, value));
  if (isSigned(type)) return storeBits(bytes, data, static_cast<uint64_t>(saturateSigned(value, width)));
  storeBits(bytes, data, saturateUnsigned(value, width));
}

void storeInt(ElementType type, void* data, int64_t value) {
  if (type == ElementType::Pred) return storeAs(data, static_cast<uint8_t>(value != 0));
  if (type == ElementType::F32) return storeAs(data, static_cast<float>(value));  // one rounding
  if (isFloat(type) || isComplex(type)) return storeDouble(type, data, static_cast<double>(value));
  const int64_t wrapped = extend(static_cast<uint64_t>(value), info(type).bits, isSigned(type));
  storeBits(byteWidth(type), data, static_cast<uint64_t>(wrapped));
}

void storeComplex(ElementType type, void* data, std::complex<double> value) {
  if (type == ElementType::C64) return storeAs(data, std::complex<float>(value));
  if (type == ElementType::C128) return storeAs(data, value);
  storeDouble(type, data, value.real());
}

}  // namespace tessera
