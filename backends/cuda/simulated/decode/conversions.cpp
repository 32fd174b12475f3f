// cvt: between integers, floats of 16 to 64 bits, tf32 and pairs of 8-bit floats, with every rounding. Registers may be
// wider than the types.
#include <fenv.h>

#include <algorithm>
#include <cmath>

#include "backends/cuda/simulated/decode/instruction_table.h"
#include "backends/cuda/simulated/decode/lanes.h"
#include "backends/cuda/simulated/decode/numbers.h"

namespace tessera::cuda::simulated {

namespace {

// Packed into Instruction::offset of all handlers here.
struct Conversion {
  Type from = Type::None, to = Type::None;
  Rounding rounding = Rounding::Nearest;
  bool toIntegral = false;  // a float stays a float, but whole
  bool saturates = false, flushes = false, clampsBelow = false, staysFinite = false;
};
static_assert(sizeof(Conversion) == 8);

Conversion conversionOf(const Instruction& i) { return std::bit_cast<Conversion>(i.offset); }

enum : uint8_t { kWideSource = 1, kWideResult = 2 };

uint64_t readSlot(Warp& warp, const Instruction& i, int lane) {
  return i.flags & kWideSource ? warp.row<uint64_t>(i.a)[lane] : warp.row<uint32_t>(i.a)[lane];
}
void writeSlot(Warp& warp, const Instruction& i, int lane, uint64_t bits) {
  if (i.flags & kWideResult)
    warp.row<uint64_t>(i.d)[lane] = bits;
  else
    warp.row<uint32_t>(i.d)[lane] = static_cast<uint32_t>(bits);
}

// The low bits of a slot, extended by the type's sign.
int64_t extended(uint64_t slot, Type type) {
  const int unused = 64 - bitsOf(type);
  if (isSigned(type)) return static_cast<int64_t>(slot << unused) >> unused;
  return static_cast<int64_t>(slot << unused >> unused);
}

// --- integers

using Wide = __int128;
Wide widened(int64_t value, Type type) { return isSigned(type) ? Wide{value} : Wide{static_cast<uint64_t>(value)}; }
Wide largestOf(Type type) { return (Wide{1} << (bitsOf(type) - isSigned(type))) - 1; }
Wide smallestOf(Type type) { return isSigned(type) ? -(Wide{1} << (bitsOf(type) - 1)) : Wide{0}; }

void integerToInteger(Warp& warp, const Instruction& i, LaneMask active) {
  const Conversion how = conversionOf(i);
  forLanes(active, [&](int lane) {
    int64_t value = extended(readSlot(warp, i, lane), how.from);
    if (how.saturates)
      value = static_cast<int64_t>(std::clamp(widened(value, how.from), smallestOf(how.to), largestOf(how.to)));
    writeSlot(warp, i, lane, static_cast<uint64_t>(extended(static_cast<uint64_t>(value), how.to)));
  });
}

// --- floats as doubles

template <class T>
double doubleAt(uint64_t slot) {
  if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(slot);
  else if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<uint32_t>(slot));
  else
    return toDouble(T{static_cast<uint16_t>(slot)});
}

double flushedIf(bool flushes, double value) {
  constexpr double kSmallestNormal = 0x1p-126;
  return flushes && std::abs(value) < kSmallestNormal ? std::copysign(0.0, value) : value;
}

double roundedToIntegral(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::Nearest: return std::nearbyint(value);
    case Rounding::Zero: return std::trunc(value);
    case Rounding::Down: return std::floor(value);
    case Rounding::Up: return std::ceil(value);
  }
  return value;
}

uint64_t integerOf(double value, Type type) {
  if (std::isnan(value)) return 0;
  const double least = static_cast<double>(smallestOf(type)), limit = static_cast<double>(largestOf(type));
  if (value <= least) return static_cast<uint64_t>(smallestOf(type));
  if (value >= limit) return static_cast<uint64_t>(largestOf(type));
  return isSigned(type) ? static_cast<uint64_t>(static_cast<int64_t>(value)) : static_cast<uint64_t>(value);
}

template <class From>
void floatToInteger(Warp& warp, const Instruction& i, LaneMask active) {
  const Conversion how = conversionOf(i);
  forLanes(active, [&](int lane) {
    const double value = flushedIf(how.flushes, doubleAt<From>(readSlot(warp, i, lane)));
    writeSlot(warp, i, lane, integerOf(roundedToIntegral(value, how.rounding), how.to));
  });
}

// A double as a float, in any direction: the nearest one or its neighbour.
float singleOf(double value, Rounding rounding) {
  const auto nearest = static_cast<float>(value);
  const float infinity = std::numeric_limits<float>::infinity();
  if (rounding == Rounding::Nearest || std::isnan(value) || nearest == value) return nearest;
  const bool isAbove = nearest > value;
  const bool wantsBelow = rounding == Rounding::Down || (rounding == Rounding::Zero && value > 0);
  if (isAbove == wantsBelow) return std::nextafter(nearest, isAbove ? -infinity : infinity);
  return nearest;
}

template <class To>
uint64_t bitsOfFloat(double value, const Conversion& how) {
  if (how.saturates) value = std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0);
  if (how.clampsBelow && value < 0) value = 0;
  if constexpr (std::is_same_v<To, double>)
    return std::bit_cast<uint64_t>(value);
  else if constexpr (std::is_same_v<To, float>)
    return std::bit_cast<uint32_t>(static_cast<float>(flushedIf(how.flushes, singleOf(value, how.rounding))));
  else
    return roundTo(std::is_same_v<To, Half> ? ElementType::F16 : ElementType::BF16, value, how.rounding);
}

template <class From, class To>
void floatToFloat(Warp& warp, const Instruction& i, LaneMask active) {
  const Conversion how = conversionOf(i);
  forLanes(active, [&](int lane) {
    double value = flushedIf(how.flushes, doubleAt<From>(readSlot(warp, i, lane)));
    if (how.toIntegral) value = roundedToIntegral(value, how.rounding);
    writeSlot(warp, i, lane, bitsOfFloat<To>(value, how));
  });
}

// An integer as a double that rounds on to narrower floats as the integer itself does: what does not fit is made odd.
double doubleOf(int64_t value, Type type) {
  constexpr uint64_t kExact = uint64_t{1} << 53;
  const bool isNegative = isSigned(type) && value < 0;
  uint64_t magnitude = isNegative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  if (magnitude > kExact) {
    const uint64_t lost = magnitude & 0xfff;
    magnitude = (magnitude & ~uint64_t{0xfff}) | (lost ? 0x1000 : 0);
  }
  const auto result = static_cast<double>(magnitude);
  return isNegative ? -result : result;
}

int modeOf(Rounding rounding) {
  switch (rounding) {
    case Rounding::Zero: return FE_TOWARDZERO;
    case Rounding::Down: return FE_DOWNWARD;
    case Rounding::Up: return FE_UPWARD;
    case Rounding::Nearest: break;
  }
  return FE_TONEAREST;
}

void integerToDouble(Warp& warp, const Instruction& i, LaneMask active) {
  const Conversion how = conversionOf(i);
  const int before = fegetround();
  fesetround(modeOf(how.rounding));
  forLanes(active, [&](int lane) {
    const int64_t value = extended(readSlot(warp, i, lane), how.from);
    const double result =
        isSigned(how.from) ? static_cast<double>(value) : static_cast<double>(static_cast<uint64_t>(value));
    writeSlot(warp, i, lane, std::bit_cast<uint64_t>(how.saturates ? std::clamp(result, 0.0, 1.0) : result));
  });
  fesetround(before);
}

template <class To>
void integerToFloat(Warp& warp, const Instruction& i, LaneMask active) {
  const Conversion how = conversionOf(i);
  forLanes(active, [&](int lane) {
    writeSlot(warp, i, lane, bitsOfFloat<To>(doubleOf(extended(readSlot(warp, i, lane), how.from), how.from), how));
  });
}

template <class From>
Handler fromFloat(Type to) {
  switch (to) {
    case Type::F64: return floatToFloat<From, double>;
    case Type::F32: return floatToFloat<From, float>;
    case Type::F16: return floatToFloat<From, Half>;
    case Type::BF16: return floatToFloat<From, BFloat>;
    default: return isInteger(to) && bitsOf(to) <= 64 ? floatToInteger<From> : nullptr;
  }
}

Handler fromInteger(Type to) {
  switch (to) {
    case Type::F64: return integerToDouble;
    case Type::F32: return integerToFloat<float>;
    case Type::F16: return integerToFloat<Half>;
    case Type::BF16: return integerToFloat<BFloat>;
    default: return isInteger(to) && bitsOf(to) <= 64 ? integerToInteger : nullptr;
  }
}

Handler plainHandler(Type from, Type to) {
  switch (from) {
    case Type::F64: return fromFloat<double>(to);
    case Type::F32: return fromFloat<float>(to);
    case Type::F16: return fromFloat<Half>(to);
    case Type::BF16: return fromFloat<BFloat>(to);
    default: return isInteger(from) && bitsOf(from) <= 64 ? fromInteger(to) : nullptr;
  }
}

// --- tf32 and pairs

uint32_t toTf32(uint32_t bits, bool awayFromZero, Rounding rounding) {
  if ((bits & 0x7f800000) == 0x7f800000) return bits;
  if (rounding == Rounding::Zero) return bits & ~0x1fffu;
  const uint32_t half = awayFromZero ? 0x1000 : 0xfff + (bits >> 13 & 1);
  return (bits + half) & ~0x1fffu;
}

ElementType narrowTypeOf(Type type) {
  switch (type) {
    case Type::F16x2: return ElementType::F16;
    case Type::BF16x2: return ElementType::BF16;
    case Type::E4M3x2: return ElementType::F8E4M3FN;
    default: return ElementType::F8E5M2;
  }
}
int shiftOf(Type pair) { return bitsOf(pair) / 2; }

double largestFinite(ElementType type) {
  switch (type) {
    case ElementType::F16: return 65504;
    case ElementType::BF16: return 0x1.fep127;
    case ElementType::F8E4M3FN: return 448;
    default: return 57344;
  }
}

uint32_t narrowBits(double value, const Conversion& how) {
  const ElementType type = narrowTypeOf(how.to);
  if (how.clampsBelow && value < 0) value = 0;
  const double most = largestFinite(type);
  if (how.staysFinite && std::abs(value) > most) value = std::copysign(most, value);
  return roundTo(type, value, how.rounding);
}

// d = {a: upper half, b: lower half} of f32.
void floatsToPair(Warp& warp, const Instruction& i, LaneMask active) {
  const Conversion how = conversionOf(i);
  const uint32_t *a = warp.row<uint32_t>(i.a), *b = warp.row<uint32_t>(i.b);
  uint32_t* d = warp.row<uint32_t>(i.d);
  forLanes(active, [&](int lane) {
    const uint32_t high = narrowBits(std::bit_cast<float>(a[lane]), how);
    const uint32_t low = narrowBits(std::bit_cast<float>(b[lane]), how);
    d[lane] = high << shiftOf(how.to) | low;
  });
}

void pairToPair(Warp& warp, const Instruction& i, LaneMask active) {
  const Conversion how = conversionOf(i);
  const uint32_t* a = warp.row<uint32_t>(i.a);
  uint32_t* d = warp.row<uint32_t>(i.d);
  const int from = shiftOf(how.from), to = shiftOf(how.to);
  const uint32_t mask = (uint32_t{1} << from) - 1;
  const ElementType source = narrowTypeOf(how.from);
  forLanes(active, [&](int lane) {
    const uint32_t high = narrowBits(smallFloatToDouble(source, a[lane] >> from & mask), how);
    const uint32_t low = narrowBits(smallFloatToDouble(source, a[lane] & mask), how);
    d[lane] = high << to | low;
  });
}

bool isPair(Type type) {
  return type == Type::F16x2 || type == Type::BF16x2 || type == Type::E4M3x2 || type == Type::E5M2x2;
}
Type registerTypeOf(Type pair) { return bitsOf(pair) == 16 ? Type::B16 : Type::B32; }

void decodePairs(Decoder& decoder, const Conversion& how) {
  const bool fromFloats = how.from == Type::F32;
  if (!fromFloats && !isPair(how.from)) return decoder.failUnknown("a conversion between these types");
  if (!expectOperands(decoder, fromFloats ? 3 : 2, fromFloats ? 3 : 2)) return;
  const Type source = fromFloats ? Type::F32 : registerTypeOf(how.from);
  const uint32_t a = decoder.source(1, source), b = fromFloats ? decoder.source(2, source) : 0;
  const uint32_t d = decoder.destination(0, registerTypeOf(how.to));
  Instruction& i = decoder.emit(fromFloats ? floatsToPair : pairToPair);
  i.d = d, i.a = a, i.b = b;
  i.offset = std::bit_cast<int64_t>(how);
}

void decodeTf32(Decoder& decoder, bool awayFromZero, Rounding rounding) {
  if (!expectOperands(decoder, 2, 2)) return;
  const uint32_t a = decoder.source(1, Type::F32), d = decoder.destination(0, Type::B32);
  using U = uint32_t;
  const Handler nearest = awayFromZero ? mapLanes1<[](U x) { return toTf32(x, true, Rounding::Nearest); }, U, U>
                                       : mapLanes1<[](U x) { return toTf32(x, false, Rounding::Nearest); }, U, U>;
  Instruction& i = decoder.emit(
      rounding == Rounding::Zero ? mapLanes1<[](U x) { return toTf32(x, false, Rounding::Zero); }, U, U> : nearest);
  i.d = d, i.a = a;
}

void decodePlain(Decoder& decoder, const Conversion& how) {
  if (!expectOperands(decoder, 2, 2)) return;
  const Handler handler = plainHandler(how.from, how.to);
  if (!handler) return decoder.failUnknown("a conversion between these types");
  bool isWideSource = false, isWideResult = false;
  const uint32_t a = decoder.sourceOfAny(decoder.operand(1), how.from, isWideSource);
  const uint32_t d = decoder.destinationOfAny(decoder.operand(0), how.to, isWideResult);
  if ((bitsOf(how.from) > 32 && !isWideSource) || (bitsOf(how.to) > 32 && !isWideResult))
    return decoder.fail("a register is narrower than the type that is converted");
  Instruction& i = decoder.emit(handler);
  i.d = d, i.a = a;
  i.offset = std::bit_cast<int64_t>(how);
  i.flags = static_cast<uint8_t>((isWideSource ? kWideSource : 0) | (isWideResult ? kWideResult : 0));
}

void decodeCvt(Decoder& decoder) {
  const bool awayFromZero = decoder.has("rna");
  Conversion how;
  for (const std::string_view integral : {"rni", "rzi", "rmi", "rpi"}) how.toIntegral |= decoder.has(integral);
  const auto rounding = decoder.tryRounding();
  how.staysFinite = decoder.take("satfinite");
  how.saturates = decoder.take("sat");
  how.clampsBelow = decoder.take("relu");
  const bool flushes = decoder.take("ftz");
  how.to = decoder.takeType();
  how.from = decoder.takeType();
  how.flushes = flushes && (how.from == Type::F32 || how.to == Type::F32);
  how.rounding = rounding.value_or(Rounding::Nearest);
  if (how.to == Type::TF32) return decodeTf32(decoder, awayFromZero, how.rounding);
  if (isPair(how.to)) return decodePairs(decoder, how);
  const bool narrows = isFloat(how.to) && (!isFloat(how.from) || bitsOf(how.to) < bitsOf(how.from));
  if (!rounding && (narrows || (isFloat(how.from) && isInteger(how.to))))
    return decoder.fail("a conversion that rounds does not say how", ".rn, .rz, .rm or .rp");
  decodePlain(decoder, how);
}

}  // namespace

void addConvertInstructions(InstructionTable& table) { table["cvt"] = decodeCvt; }

}  // namespace tessera::cuda::simulated
