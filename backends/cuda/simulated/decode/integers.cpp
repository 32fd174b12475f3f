// Integer arithmetic: add, sub, mul, mad with their carries, div, rem, min, max, abs, neg, sad.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "backends/cuda/simulated/decode/arithmetic.h"
#include "backends/cuda/simulated/decode/instruction_table.h"
#include "backends/cuda/simulated/decode/lanes.h"

namespace tessera::cuda::simulated {

namespace {

template <class T>
using Unsigned = std::make_unsigned_t<T>;
// Twice as wide, of the same sign.
template <class T>
using Wider =
    std::conditional_t<sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
                       std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
                                          std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>>>;

template <class T>
T multiplyLow(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
template <class T>
T multiplyHigh(T a, T b) {
  return static_cast<T>((static_cast<Wider<T>>(a) * b) >> (8 * sizeof(T)));
}
template <class T>
T divide(T a, T b) {  // by zero gives all ones, the only overflow wraps
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return static_cast<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(a));
  return static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}
template <class T>
T saturatedAdd(T a, T b) {
  T sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}
template <class T>
T saturatedSubtract(T a, T b) {
  T difference;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b > 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}
template <class T>
T absoluteDifference(T a, T b) {
  return a < b ? static_cast<T>(static_cast<Unsigned<T>>(b) - static_cast<Unsigned<T>>(a))
               : static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
}

constexpr auto kIntegerAdd = [](auto a, auto b) { return static_cast<uint64_t>(a) + static_cast<uint64_t>(b); };
constexpr auto kIntegerSub = [](auto a, auto b) { return static_cast<uint64_t>(a) - static_cast<uint64_t>(b); };
constexpr auto kMulLow = [](auto a, auto b) { return multiplyLow(a, b); };
constexpr auto kMulHigh = [](auto a, auto b) { return multiplyHigh(a, b); };
constexpr auto kIntegerDiv = [](auto a, auto b) { return divide(a, b); };
constexpr auto kRem = [](auto a, auto b) { return remainder(a, b); };
constexpr auto kIntegerMin = [](auto a, auto b) { return std::min(a, b); };
constexpr auto kIntegerMax = [](auto a, auto b) { return std::max(a, b); };
constexpr auto kAbs = [](auto a) { return a < 0 ? kIntegerSub(0, a) : static_cast<uint64_t>(a); };
constexpr auto kNeg = [](auto a) { return kIntegerSub(0, a); };
constexpr auto kMadLow = [](auto a, auto b, auto c) { return kIntegerAdd(multiplyLow(a, b), c); };
constexpr auto kMadHigh = [](auto a, auto b, auto c) { return kIntegerAdd(multiplyHigh(a, b), c); };
constexpr auto kSad = [](auto a, auto b, auto c) { return kIntegerAdd(absoluteDifference(a, b), c); };

template <auto kOp>
Handler integer1(Type type) {
  Handler handler = nullptr;
  withInteger(type, [&]<class T>(T) { handler = mapLanes1<kOp, T, T>; });
  return handler;
}
template <auto kOp>
Handler integer2(Type type) {
  Handler handler = nullptr;
  withInteger(type, [&]<class T>(T) { handler = mapLanes2<kOp, T, T, T>; });
  return handler;
}
template <auto kOp>
Handler integer3(Type type) {
  Handler handler = nullptr;
  withInteger(type, [&]<class T>(T) { handler = mapLanes3<kOp, T, T, T, T>; });
  return handler;
}

// Two 16-bit numbers in one register.
template <auto kOp, class T>
void mapPairs(Warp& warp, const Instruction& i, LaneMask active) {
  const uint32_t *a = warp.row<uint32_t>(i.a), *b = warp.row<uint32_t>(i.b);
  uint32_t* d = warp.row<uint32_t>(i.d);
  auto part = [](uint32_t value, int shift) { return static_cast<T>(value >> shift); };
  forLanes(active, [&](int lane) {
    const auto low = static_cast<uint16_t>(kOp(part(a[lane], 0), part(b[lane], 0)));
    const auto high = static_cast<uint16_t>(kOp(part(a[lane], 16), part(b[lane], 16)));
    d[lane] = low | uint32_t{high} << 16;
  });
}

template <auto kOp>
Handler integerOrPairs(Type type) {
  if (type == Type::U16x2) return mapPairs<kOp, uint16_t>;
  if (type == Type::S16x2) return mapPairs<kOp, int16_t>;
  return integer2<kOp>(type);
}

// --- carries: a row of the kernel holds the carry of each lane

enum : uint8_t { kReadsCarry = 1, kWritesCarry = 2 };

template <class T, bool kSubtracts>
void addWithCarry(Warp& warp, const Instruction& i, LaneMask active) {
  uint32_t* carry = warp.row<uint32_t>(i.list);
  const SlotOf<T>*a = warp.row<T>(i.a), *b = warp.row<T>(i.b);
  SlotOf<T>* d = warp.row<T>(i.d);
  forLanes(active, [&](int lane) {
    using Sum = unsigned __int128;
    const Sum x = fromSlot<T>(a[lane]), y = fromSlot<T>(b[lane]);
    const Sum in = i.flags & kReadsCarry ? carry[lane] : 0;
    const Sum sum = kSubtracts ? x - y - in : x + y + in;
    d[lane] = toSlot(static_cast<T>(sum));
    if (i.flags & kWritesCarry) carry[lane] = static_cast<uint32_t>(sum >> (8 * sizeof(T))) & 1;
  });
}

template <bool kSubtracts>
void emitCarry(Decoder& decoder, Type type, uint32_t d, uint32_t a, uint32_t b, bool readsCarry, bool writesCarry) {
  const uint32_t carry = decoder.carryRow();
  Instruction& i =
      decoder.emit(bitsOf(type) == 64 ? addWithCarry<uint64_t, kSubtracts> : addWithCarry<uint32_t, kSubtracts>);
  i.d = d;
  i.a = a;
  i.b = b;
  i.list = carry;
  i.flags = static_cast<uint8_t>((readsCarry ? kReadsCarry : 0) | (writesCarry ? kWritesCarry : 0));
}

template <bool kSubtracts>
void decodeCarrySum(Decoder& decoder, Type type, bool readsCarry) {
  if (!expectOperands(decoder, 3, 3)) return;
  const bool writesCarry = decoder.take("cc");
  const uint32_t a = decoder.source(1, type), b = decoder.source(2, type), d = decoder.destination(0, type);
  emitCarry<kSubtracts>(decoder, type, d, a, b, readsCarry, writesCarry);
}

template <Arithmetic kOperation>
void decodeSum(Decoder& decoder) {
  constexpr bool kSubtracts = kOperation == Arithmetic::Sub;
  const Type type = decoder.takeType();
  if (isFloat(type)) return decodeFloatArithmetic(decoder, kOperation, type);
  if (!expectOperands(decoder, 3, 3)) return;
  Handler handler = kSubtracts ? integerOrPairs<kIntegerSub>(type) : integerOrPairs<kIntegerAdd>(type);
  if (type == Type::S32 && decoder.take("sat"))
    handler = mapLanes2<[](int32_t a, int32_t b) { return kSubtracts ? saturatedSubtract(a, b) : saturatedAdd(a, b); },
                        int32_t, int32_t, int32_t>;
  if (decoder.has("cc")) return decodeCarrySum<kSubtracts>(decoder, type, false);
  emitPlain(decoder, type, handler);
}

void decodeAddc(Decoder& decoder) { decodeCarrySum<false>(decoder, decoder.takeType(), true); }
void decodeSubc(Decoder& decoder) { decodeCarrySum<true>(decoder, decoder.takeType(), true); }

// --- products

Type widerType(Type type) {
  switch (type) {
    case Type::U16: return Type::U32;
    case Type::S16: return Type::S32;
    case Type::U32: return Type::U64;
    case Type::S32: return Type::S64;
    default: return Type::None;
  }
}

constexpr auto kWideProduct = [](auto a, auto b) { return static_cast<Wider<decltype(a)>>(a) * b; };
constexpr auto kWideMad = [](auto a, auto b, auto c) {
  return static_cast<uint64_t>(static_cast<Wider<decltype(a)>>(a) * b) + static_cast<uint64_t>(c);
};

Handler wideHandler(Type type, bool adds) {
  Handler handler = nullptr;
  withInteger(type, [&]<class T>(T) {
    if constexpr (sizeof(T) == 2 || sizeof(T) == 4) {
      using W = Wider<T>;
      handler = adds ? mapLanes3<kWideMad, W, T, T, W> : mapLanes2<kWideProduct, W, T, T>;
    }
  });
  return handler;
}

void decodeWideProduct(Decoder& decoder, Type type, bool adds) {
  const Type wide = widerType(type);
  const Handler handler = wideHandler(type, adds);
  if (wide == Type::None || !handler) return decoder.failUnknown(".wide of the type ." + std::string(nameOf(type)));
  const uint32_t a = decoder.source(1, type), b = decoder.source(2, type);
  const uint32_t c = adds ? decoder.source(3, wide) : 0;
  const uint32_t d = decoder.destination(0, wide);
  Instruction& i = decoder.emit(handler);
  i.d = d, i.a = a, i.b = b, i.c = c;
}

void decodeMul(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (isFloat(type)) return decodeFloatArithmetic(decoder, Arithmetic::Mul, type);
  if (!expectOperands(decoder, 3, 3)) return;
  if (decoder.take("wide")) return decodeWideProduct(decoder, type, false);
  if (decoder.take("hi")) return void(emitPlain(decoder, type, integer2<kMulHigh>(type)));
  decoder.take("lo");
  emitPlain(decoder, type, integer2<kMulLow>(type));
}

// mad.cc and madc: the product first, then a sum with the carry.
void decodeCarryMad(Decoder& decoder, Type type, bool readsCarry) {
  const bool isHigh = decoder.take("hi");
  decoder.take("lo");
  const bool writesCarry = decoder.take("cc");
  const uint32_t a = decoder.source(1, type), b = decoder.source(2, type), c = decoder.source(3, type);
  const uint32_t d = decoder.destination(0, type), product = decoder.temporary(bitsOf(type) == 64);
  Instruction& i = decoder.emit(isHigh ? integer2<kMulHigh>(type) : integer2<kMulLow>(type));
  i.d = product, i.a = a, i.b = b;
  emitCarry<false>(decoder, type, d, product, c, readsCarry, writesCarry);
}

void decodeMad(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (isFloat(type)) return decodeFloatArithmetic(decoder, Arithmetic::Fma, type);
  if (!expectOperands(decoder, 4, 4)) return;
  if (decoder.take("wide")) return decodeWideProduct(decoder, type, true);
  if (decoder.has("cc")) return decodeCarryMad(decoder, type, false);
  const bool isHigh = decoder.take("hi");
  decoder.take("lo");
  emitPlain(decoder, type, isHigh ? integer3<kMadHigh>(type) : integer3<kMadLow>(type));
}

void decodeMadc(Decoder& decoder) {
  if (expectOperands(decoder, 4, 4)) decodeCarryMad(decoder, decoder.takeType(), true);
}

template <class T>
T from24(T a) {  // the low 24 bits, extended
  return static_cast<T>(static_cast<T>(static_cast<uint32_t>(a) << 8) >> 8);
}
constexpr auto kMul24 = [](auto a, auto b) { return multiplyLow(from24(a), from24(b)); };
constexpr auto kMad24 = [](auto a, auto b, auto c) { return kIntegerAdd(kMul24(a, b), c); };

void decode24(Decoder& decoder, bool adds) {
  const Type type = decoder.takeType();
  if (!decoder.take("lo") || bitsOf(type) != 32) return decoder.failUnknown(std::string(decoder.statement().opcode));
  if (!expectOperands(decoder, adds ? 4 : 3, adds ? 4 : 3)) return;
  const bool isSign = isSigned(type);
  const Handler product =
      isSign ? mapLanes2<kMul24, int32_t, int32_t, int32_t> : mapLanes2<kMul24, uint32_t, uint32_t, uint32_t>;
  const Handler sum = isSign ? mapLanes3<kMad24, int32_t, int32_t, int32_t, int32_t>
                             : mapLanes3<kMad24, uint32_t, uint32_t, uint32_t, uint32_t>;
  emitPlain(decoder, type, adds ? sum : product);
}

// --- the rest

template <Arithmetic kOperation, auto kOp>
void decodeBinary(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (isFloat(type)) return decodeFloatArithmetic(decoder, kOperation, type);
  if (!expectOperands(decoder, 3, 3)) return;
  const bool isClamped = kOperation == Arithmetic::Max || kOperation == Arithmetic::Min ? decoder.take("relu") : false;
  Instruction& i = emitPlain(decoder, type, integerOrPairs<kOp>(type));
  if (!isClamped) return;
  const uint32_t d = i.d, zero = decoder.constant(0, bitsOf(type) == 64);
  Instruction& clamp = decoder.emit(integerOrPairs<kIntegerMax>(type));
  clamp.d = clamp.a = d;
  clamp.b = zero;
}

template <Arithmetic kOperation, auto kOp>
void decodeUnary(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (isFloat(type)) return decodeFloatArithmetic(decoder, kOperation, type);
  if (expectOperands(decoder, 2, 2)) emitPlain(decoder, type, integer1<kOp>(type));
}

void decodeRem(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (expectOperands(decoder, 3, 3)) emitPlain(decoder, type, integer2<kRem>(type));
}

void decodeSad(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (expectOperands(decoder, 4, 4)) emitPlain(decoder, type, integer3<kSad>(type));
}

}  // namespace

void addIntegerInstructions(InstructionTable& table) {
  table["add"] = decodeSum<Arithmetic::Add>;
  table["sub"] = decodeSum<Arithmetic::Sub>;
  table["addc"] = decodeAddc;
  table["subc"] = decodeSubc;
  table["mul"] = decodeMul;
  table["mad"] = decodeMad;
  table["madc"] = decodeMadc;
  table["mul24"] = [](Decoder& d) { decode24(d, false); };
  table["mad24"] = [](Decoder& d) { decode24(d, true); };
  table["div"] = decodeBinary<Arithmetic::Div, kIntegerDiv>;
  table["min"] = decodeBinary<Arithmetic::Min, kIntegerMin>;
  table["max"] = decodeBinary<Arithmetic::Max, kIntegerMax>;
  table["abs"] = decodeUnary<Arithmetic::Abs, kAbs>;
  table["neg"] = decodeUnary<Arithmetic::Neg, kNeg>;
  table["rem"] = decodeRem;
  table["sad"] = decodeSad;
}

}  // namespace tessera::cuda::simulated
