// Bits: and, or, xor, not, cnot, shifts, funnel shifts, lop3, prmt, bfe, bfi, popc, clz, bfind, brev, fns, bmsk, dp4a.
#include <bit>
#include <type_traits>

#include "backends/cuda/simulated/decode/instruction_table.h"
#include "backends/cuda/simulated/decode/lanes.h"

namespace tessera::cuda::simulated {

namespace {

constexpr auto kBitAnd = [](auto a, auto b) { return a & b; };
constexpr auto kBitOr = [](auto a, auto b) { return a | b; };
constexpr auto kBitXor = [](auto a, auto b) { return a ^ b; };

template <auto kOp>
void onPredicates(Warp& warp, const Instruction& i, LaneMask active) {
  const LaneMask result = kOp(warp.predicate(i.a), warp.predicate(i.b));
  LaneMask& d = warp.predicate(i.d);
  d = (d & ~active) | (result & active);
}

template <auto kOp>
Handler bits2(Type type) {
  switch (bitsOf(type)) {
    case 16: return mapLanes2<kOp, uint16_t, uint16_t, uint16_t>;
    case 32: return mapLanes2<kOp, uint32_t, uint32_t, uint32_t>;
    case 64: return mapLanes2<kOp, uint64_t, uint64_t, uint64_t>;
    default: return nullptr;
  }
}
template <auto kOp>
Handler bits1(Type type) {
  switch (bitsOf(type)) {
    case 16: return mapLanes1<kOp, uint16_t, uint16_t>;
    case 32: return mapLanes1<kOp, uint32_t, uint32_t>;
    case 64: return mapLanes1<kOp, uint64_t, uint64_t>;
    default: return nullptr;
  }
}

template <auto kOp>
void decodeLogic(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (!expectOperands(decoder, 3, 3)) return;
  if (type != Type::Pred) return void(emitPlain(decoder, type, bits2<kOp>(type)));
  const uint32_t a = decoder.predicate(decoder.operand(1)), b = decoder.predicate(decoder.operand(2));
  const uint32_t d = decoder.predicateDestination(decoder.operand(0));
  Instruction& i = decoder.emit(onPredicates<kOp>);
  i.d = d, i.a = a, i.b = b;
}

void decodeNot(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (!expectOperands(decoder, 2, 2)) return;
  if (type != Type::Pred) return void(emitPlain(decoder, type, bits1<[](auto a) { return ~a; }>(type)));
  const uint32_t a = decoder.predicate(decoder.operand(1)), d = decoder.predicateDestination(decoder.operand(0));
  Instruction& i = decoder.emit(onPredicates<[](LaneMask x, LaneMask) { return ~x; }>);
  i.d = d, i.a = i.b = a;
}

void decodeCnot(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (expectOperands(decoder, 2, 2)) emitPlain(decoder, type, bits1<[](auto a) { return a == 0; }>(type));
}

// --- shifts: by more than the width gives zero or the sign

constexpr auto kShiftLeft = [](auto a, uint32_t n) { return n < 8 * sizeof(a) ? static_cast<uint64_t>(a) << n : 0; };
constexpr auto kShiftRight = [](auto a, uint32_t n) {
  const uint32_t most = 8 * sizeof(a) - 1;
  if (n <= most) return static_cast<decltype(a)>(a >> n);
  return static_cast<decltype(a)>(std::is_signed_v<decltype(a)> ? a >> most : 0);
};

template <auto kOp>
void decodeShift(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (!expectOperands(decoder, 3, 3)) return;
  Handler handler = nullptr;
  withInteger(type, [&]<class T>(T) { handler = mapLanes2<kOp, T, T, uint32_t>; });
  if (!handler || bitsOf(type) < 16) return decoder.failUnknown("a shift of this type");
  const uint32_t a = decoder.source(1, type), b = decoder.source(2, Type::U32), d = decoder.destination(0, type);
  Instruction& i = decoder.emit(handler);
  i.d = d, i.a = a, i.b = b;
}

uint32_t funnel(uint32_t low, uint32_t high, uint32_t n, bool isLeft, bool wraps) {
  n = wraps ? n & 31 : std::min(n, 32u);
  const uint64_t both = uint64_t{high} << 32 | low;
  return isLeft ? static_cast<uint32_t>(both << n >> 32) : static_cast<uint32_t>(both >> n);
}
template <bool kLeft, bool kWraps>
constexpr auto kFunnel = [](uint32_t low, uint32_t high, uint32_t n) { return funnel(low, high, n, kLeft, kWraps); };

void decodeShf(Decoder& decoder) {
  const bool isLeft = decoder.take("l"), wraps = decoder.take("wrap");
  decoder.ignore({"r", "clamp"});
  const Type type = decoder.takeType();
  if (!expectOperands(decoder, 4, 4)) return;
  using U = uint32_t;
  const Handler left = wraps ? mapLanes3<kFunnel<true, true>, U, U, U, U> : mapLanes3<kFunnel<true, false>, U, U, U, U>;
  const Handler right =
      wraps ? mapLanes3<kFunnel<false, true>, U, U, U, U> : mapLanes3<kFunnel<false, false>, U, U, U, U>;
  emitPlain(decoder, type, isLeft ? left : right);
}

// --- lop3 and prmt

void lop3(Warp& warp, const Instruction& i, LaneMask active) {
  const uint32_t *a = warp.row<uint32_t>(i.a), *b = warp.row<uint32_t>(i.b), *c = warp.row<uint32_t>(i.c);
  uint32_t* d = warp.row<uint32_t>(i.d);
  forLanes(active, [&](int lane) {
    uint32_t result = 0;
    for (int row = 0; row < 8; ++row)
      if (i.offset >> row & 1)
        result |= (row & 4 ? a[lane] : ~a[lane]) & (row & 2 ? b[lane] : ~b[lane]) & (row & 1 ? c[lane] : ~c[lane]);
    d[lane] = result;
  });
}

void decodeLop3(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (!expectOperands(decoder, 5, 5)) return;
  if (decoder.operand(4).kind != Operand::Kind::Integer) return decoder.fail("the table of lop3 is no number");
  const uint32_t a = decoder.source(1, type), b = decoder.source(2, type), c = decoder.source(3, type);
  const uint32_t d = decoder.destination(0, type);
  Instruction& i = decoder.emit(lop3);
  i.d = d, i.a = a, i.b = b, i.c = c;
  i.offset = static_cast<int64_t>(decoder.operand(4).bits & 255);
}

uint32_t selectByte(uint64_t bytes, uint32_t selector) {
  const auto byte = static_cast<uint8_t>(bytes >> (8 * (selector & 7)));
  return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}

// What each mode of prmt selects for the bytes 0 to 3.
uint32_t selectorsOf(std::string_view mode, uint32_t n) {
  n &= 3;
  uint32_t selectors = 0;
  for (uint32_t byte = 0; byte < 4; ++byte) {
    uint32_t from = 0;
    if (mode == "f4e")
      from = byte + n;
    else if (mode == "b4e")
      from = n - byte;
    else if (mode == "rc8")
      from = n;
    else if (mode == "ecl")
      from = std::max(byte, n);
    else if (mode == "ecr")
      from = std::min(byte, n);
    else
      from = (n & 1) * 2 + (byte & 1);  // rc16
    selectors |= (from & 7) << (4 * byte);
  }
  return selectors;
}

uint32_t permute(uint32_t a, uint32_t b, uint32_t selectors) {
  const uint64_t bytes = uint64_t{b} << 32 | a;
  uint32_t result = 0;
  for (uint32_t byte = 0; byte < 4; ++byte) result |= selectByte(bytes, selectors >> (4 * byte) & 15) << (8 * byte);
  return result;
}

constexpr std::string_view kPermuteModes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};

void permuteByMode(Warp& warp, const Instruction& i, LaneMask active) {
  const uint32_t *a = warp.row<uint32_t>(i.a), *b = warp.row<uint32_t>(i.b), *c = warp.row<uint32_t>(i.c);
  uint32_t* d = warp.row<uint32_t>(i.d);
  forLanes(active,
           [&](int lane) { d[lane] = permute(a[lane], b[lane], selectorsOf(kPermuteModes[i.flags], c[lane])); });
}

void decodePrmt(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (!expectOperands(decoder, 4, 4)) return;
  for (uint8_t mode = 0; mode < std::size(kPermuteModes); ++mode)
    if (decoder.take(kPermuteModes[mode])) {
      emitPlain(decoder, type, permuteByMode).flags = mode;
      return;
    }
  using U = uint32_t;
  emitPlain(decoder, type, mapLanes3<[](U a, U b, U c) { return permute(a, b, c); }, U, U, U, U>);
}

// --- fields of bits

template <class T>
T extractField(T a, uint32_t position, uint32_t length) {
  const uint32_t width = 8 * sizeof(T);
  position &= 255, length &= 255;
  using U = std::make_unsigned_t<T>;
  const bool isNegative = std::is_signed_v<T> && length && (a >> std::min(position + length - 1, width - 1) & 1);
  U field = position < width ? static_cast<U>(static_cast<U>(a) >> position) : 0;
  const uint32_t known = position >= width ? 0 : std::min(length, width - position);
  if (known < width) {
    const U mask = static_cast<U>((U{1} << known) - 1);
    field = static_cast<U>((field & mask) | (isNegative ? ~mask : 0));
  }
  return static_cast<T>(field);
}

template <class T>
T insertField(T a, T b, uint32_t position, uint32_t length) {
  const uint32_t width = 8 * sizeof(T);
  position &= 255, length &= 255;
  if (position >= width || length == 0) return b;
  const T ones = length >= width ? ~T{0} : (T{1} << length) - 1;
  const T mask = ones << position;
  return (b & ~mask) | ((a << position) & mask);
}

void decodeBfe(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (!expectOperands(decoder, 4, 4)) return;
  Handler handler = nullptr;
  withInteger(type, [&]<class T>(T) {
    constexpr auto kOp = [](T a, uint32_t position, uint32_t length) { return extractField(a, position, length); };
    if constexpr (sizeof(T) >= 4) handler = mapLanes3<kOp, T, T, uint32_t, uint32_t>;
  });
  if (!handler) return decoder.failUnknown("bfe of this type");
  const uint32_t a = decoder.source(1, type), b = decoder.source(2, Type::U32), c = decoder.source(3, Type::U32);
  const uint32_t d = decoder.destination(0, type);
  Instruction& i = decoder.emit(handler);
  i.d = d, i.a = a, i.b = b, i.c = c;
}

template <class T>
void insertFields(Warp& warp, const Instruction& i, LaneMask active) {
  const SlotOf<T>*a = warp.row<T>(i.a), *b = warp.row<T>(i.b);
  const uint32_t *position = warp.row<uint32_t>(i.c), *length = warp.row<uint32_t>(i.list);
  SlotOf<T>* d = warp.row<T>(i.d);
  forLanes(active, [&](int lane) { d[lane] = insertField<T>(a[lane], b[lane], position[lane], length[lane]); });
}

void decodeBfi(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (!expectOperands(decoder, 5, 5)) return;
  const uint32_t a = decoder.source(1, type), b = decoder.source(2, type);
  const uint32_t position = decoder.source(3, Type::U32), length = decoder.source(4, Type::U32);
  const uint32_t d = decoder.destination(0, type);
  Instruction& i = decoder.emit(bitsOf(type) == 64 ? insertFields<uint64_t> : insertFields<uint32_t>);
  i.d = d, i.a = a, i.b = b, i.c = position, i.list = length;
}

void decodeBmsk(Decoder& decoder) {
  const bool wraps = decoder.take("wrap");
  decoder.take("clamp");
  const Type type = decoder.takeType();
  if (!expectOperands(decoder, 3, 3)) return;
  using U = uint32_t;
  constexpr auto kClamp = [](U position, U length) {
    return insertField<U>(~U{0}, 0, std::min(position, 255u), std::min(length, 32u));
  };
  constexpr auto kWrap = [](U position, U length) { return insertField<U>(~U{0}, 0, position & 31, length & 31); };
  emitPlain(decoder, type, wraps ? mapLanes2<kWrap, U, U, U> : mapLanes2<kClamp, U, U, U>);
}

// --- counting: the result has 32 bits

template <auto kOp>
void decodeCount(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (!expectOperands(decoder, 2, 2)) return;
  const uint32_t a = decoder.source(1, type), d = decoder.destination(0, Type::U32);
  Instruction& i =
      decoder.emit(bitsOf(type) == 64 ? mapLanes1<kOp, uint32_t, uint64_t> : mapLanes1<kOp, uint32_t, uint32_t>);
  i.d = d, i.a = a;
}

constexpr auto kPopc = [](auto a) { return std::popcount(a); };
constexpr auto kClz = [](auto a) { return std::countl_zero(a); };

template <class T>
uint32_t highestBit(T a, bool asShift) {
  using U = std::make_unsigned_t<T>;
  const U bits = a < 0 ? static_cast<U>(~static_cast<U>(a)) : static_cast<U>(a);
  if (bits == 0) return ~uint32_t{0};
  const auto shift = static_cast<uint32_t>(std::countl_zero(bits));
  return asShift ? shift : 8 * sizeof(T) - 1 - shift;
}

void decodeBfind(Decoder& decoder) {
  const bool asShift = decoder.take("shiftamt");
  const Type type = decoder.takeType();
  if (!expectOperands(decoder, 2, 2)) return;
  Handler handler = nullptr;
  withInteger(type, [&]<class T>(T) {
    if constexpr (sizeof(T) >= 4)
      handler = asShift ? mapLanes1<[](T a) { return highestBit(a, true); }, uint32_t, T>
                        : mapLanes1<[](T a) { return highestBit(a, false); }, uint32_t, T>;
  });
  if (!handler) return decoder.failUnknown("bfind of this type");
  const uint32_t a = decoder.source(1, type), d = decoder.destination(0, Type::U32);
  Instruction& i = decoder.emit(handler);
  i.d = d, i.a = a;
}

template <class T>
T reversed(T a) {
  T result = 0;
  for (size_t bit = 0; bit < 8 * sizeof(T); ++bit) result |= (a >> bit & 1) << (8 * sizeof(T) - 1 - bit);
  return result;
}

void decodeBrev(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (expectOperands(decoder, 2, 2)) emitPlain(decoder, type, bits1<[](auto a) { return reversed(a); }>(type));
}

// The place of the n-th set bit from `base` on; downwards where n is negative.
uint32_t nthSetBit(uint32_t mask, uint32_t base, int32_t n) {
  if (n == 0) return mask >> (base & 31) & 1 ? base : ~uint32_t{0};
  const int step = n > 0 ? 1 : -1;
  int left = std::abs(n);
  for (int at = static_cast<int>(base & 31); at >= 0 && at < 32; at += step)
    if ((mask >> at & 1) && --left == 0) return static_cast<uint32_t>(at);
  return ~uint32_t{0};
}

void decodeFns(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (!expectOperands(decoder, 4, 4)) return;
  emitPlain(decoder, type,
            mapLanes3<[](uint32_t m, uint32_t b, int32_t n) { return nthSetBit(m, b, n); }, uint32_t, uint32_t,
                      uint32_t, int32_t>);
}

// --- dp4a: four products of bytes and a sum

template <class A, class B>
constexpr auto kDp4a = [](uint32_t a, uint32_t b, uint32_t c) {
  for (int byte = 0; byte < 4; ++byte)
    c += static_cast<uint32_t>(int32_t{static_cast<A>(a >> (8 * byte))} * int32_t{static_cast<B>(b >> (8 * byte))});
  return c;
};

void decodeDp4a(Decoder& decoder) {
  const Type a = decoder.takeType(), b = decoder.takeType();
  if (!expectOperands(decoder, 4, 4)) return;
  using U = uint32_t;
  const Handler signedFirst =
      isSigned(b) ? mapLanes3<kDp4a<int8_t, int8_t>, U, U, U, U> : mapLanes3<kDp4a<int8_t, uint8_t>, U, U, U, U>;
  const Handler unsignedFirst =
      isSigned(b) ? mapLanes3<kDp4a<uint8_t, int8_t>, U, U, U, U> : mapLanes3<kDp4a<uint8_t, uint8_t>, U, U, U, U>;
  emitPlain(decoder, Type::B32, isSigned(a) ? signedFirst : unsignedFirst);
}

}  // namespace

void addBitInstructions(InstructionTable& table) {
  table["and"] = decodeLogic<kBitAnd>;
  table["or"] = decodeLogic<kBitOr>;
  table["xor"] = decodeLogic<kBitXor>;
  table["not"] = decodeNot;
  table["cnot"] = decodeCnot;
  table["shl"] = decodeShift<kShiftLeft>;
  table["shr"] = decodeShift<kShiftRight>;
  table["shf"] = decodeShf;
  table["lop3"] = decodeLop3;
  table["prmt"] = decodePrmt;
  table["bfe"] = decodeBfe;
  table["bfi"] = decodeBfi;
  table["bmsk"] = decodeBmsk;
  table["popc"] = decodeCount<kPopc>;
  table["clz"] = decodeCount<kClz>;
  table["bfind"] = decodeBfind;
  table["brev"] = decodeBrev;
  table["fns"] = decodeFns;
  table["dp4a"] = decodeDp4a;
}

}  // namespace tessera::cuda::simulated
