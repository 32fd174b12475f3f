// The bit patterns: IEEE-like types have a mantissa payload; the others one or two NaN patterns and no infinity.
#include "core/formats/hlo_text/special_floats.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "core/hlo/numbers.h"

namespace tessera::text {
namespace {

// Mantissa bits of the types with IEEE's infinities and NaNs; 0 for the others.
int ieeeMantissaBits(ElementType type) {
  switch (type) {
    case ElementType::F16: return 10;
    case ElementType::BF16: return 7;
    case ElementType::F32: return 23;
    case ElementType::F64: return 52;
    case ElementType::F8E5M2: return 2;
    case ElementType::F8E4M3: return 3;
    case ElementType::F8E3M4: return 4;
    default: return 0;
  }
}

bool nanHasSign(ElementType type) { return ieeeMantissaBits(type) != 0 || type == ElementType::F8E4M3FN; }

// Types whose only NaN has the bits of minus zero: XLA prints its sign.
bool isFnuz(ElementType type) {
  return type == ElementType::F8E4M3FNUZ || type == ElementType::F8E4M3B11FNUZ || type == ElementType::F8E5M2FNUZ;
}

uint64_t loadBits(ElementType type, const std::byte* data) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, static_cast<size_t>(byteWidth(type)));
  return bits;
}

void storeBits(ElementType type, std::byte* data, uint64_t bits) {
  std::memcpy(data, &bits, static_cast<size_t>(byteWidth(type)));
}

uint64_t signBit(ElementType type) { return uint64_t{1} << (info(type).bits - 1); }

}  // namespace

bool storeNan(ElementType type, std::byte* data, bool negative, uint64_t payload) {
  const int mantissa = ieeeMantissaBits(type);
  if (mantissa == 0) {
    if (payload != 0) return false;
    storeDouble(type, data, std::numeric_limits<double>::quiet_NaN());
    if (nanHasSign(type))
      storeBits(type, data, (loadBits(type, data) & ~signBit(type)) | (negative ? signBit(type) : 0));
    return true;
  }
  if (payload >> mantissa) return false;
  if (payload == 0) payload = uint64_t{1} << (mantissa - 1);
  const uint64_t exponent = (signBit(type) - 1) & ~((uint64_t{1} << mantissa) - 1);
  storeBits(type, data, exponent | payload | (negative ? signBit(type) : 0));
  return true;
}

void storeInfinity(ElementType type, std::byte* data, bool negative) {
  const double infinity = std::numeric_limits<double>::infinity();
  storeDouble(type, data, negative ? -infinity : infinity);
}

NanText nanText(ElementType type, const std::byte* data) {
  NanText out;
  const uint64_t bits = loadBits(type, data);
  out.negative = (nanHasSign(type) || isFnuz(type)) && (bits & signBit(type)) != 0;
  if (const int mantissa = ieeeMantissaBits(type)) {
    out.payload = bits & ((uint64_t{1} << mantissa) - 1);
    if (out.payload == uint64_t{1} << (mantissa - 1)) out.payload = 0;
  }
  return out;
}

}  // namespace tessera::text
