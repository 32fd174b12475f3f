// Float arithmetic that is exact but for one rounding: add, sub, mul, fma, div, sqrt, rcp in all directions, min, max,
// abs, neg, copysign, testp; f32, f64, f16, bf16 and pairs. Saturation and flushing of subnormals are instructions of
// their own around the one that computes.
#include <fenv.h>

#include <cmath>
#include <limits>

#include "backends/cuda/simulated/decode/arithmetic.h"
#include "backends/cuda/simulated/decode/instruction_table.h"
#include "backends/cuda/simulated/decode/lanes.h"
#include "backends/cuda/simulated/decode/numbers.h"

namespace tessera::cuda::simulated {

namespace {

// The C library's rounding while a handler runs. Lanes are read from memory and written to it between the calls, so
// that no arithmetic moves out.
class RoundingScope {
 public:
  explicit RoundingScope(Rounding rounding) : before_(fegetround()) { fesetround(modeOf(rounding)); }
  ~RoundingScope() { fesetround(before_); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  static int modeOf(Rounding rounding) {
    switch (rounding) {
      case Rounding::Zero: return FE_TOWARDZERO;
      case Rounding::Down: return FE_DOWNWARD;
      case Rounding::Up: return FE_UPWARD;
      case Rounding::Nearest: break;
    }
    return FE_TONEAREST;
  }
  const int before_;
};

// Instruction::flags of these handlers is the rounding.
template <Handler kHandler>
void rounded(Warp& warp, const Instruction& i, LaneMask active) {
  const RoundingScope scope(static_cast<Rounding>(i.flags));
  kHandler(warp, i, active);
}

template <auto kOp, class T>
constexpr auto kFloat1 = [](T a) { return applyFloat<kOp, T>(a); };
template <auto kOp, class T>
constexpr auto kFloat2 = [](T a, T b) { return applyFloat<kOp, T>(a, b); };
template <auto kOp, class T>
constexpr auto kFloat3 = [](T a, T b, T c) { return applyFloat<kOp, T>(a, b, c); };

// Calls fn with a value of the C++ type that stands for a float type.
template <class Fn>
void withFloat(Type type, Fn&& fn) {
  switch (type) {
    case Type::F32: return fn(float{});
    case Type::F64: return fn(double{});
    case Type::F16: return fn(Half{});
    case Type::BF16: return fn(BFloat{});
    case Type::F16x2: return fn(Half2{});
    case Type::BF16x2: return fn(BFloat2{});
    default: return;
  }
}

template <auto kOp>
Handler float1(Type type) {
  Handler handler = nullptr;
  withFloat(type, [&]<class T>(T) { handler = mapLanes1<kFloat1<kOp, T>, T, T>; });
  return handler;
}
template <auto kOp>
Handler float2(Type type) {
  Handler handler = nullptr;
  withFloat(type, [&]<class T>(T) { handler = mapLanes2<kFloat2<kOp, T>, T, T, T>; });
  return handler;
}
template <auto kOp>
Handler float3(Type type) {
  Handler handler = nullptr;
  withFloat(type, [&]<class T>(T) { handler = mapLanes3<kFloat3<kOp, T>, T, T, T, T>; });
  return handler;
}

constexpr auto kFloatAdd = [](auto a, auto b) { return a + b; };
constexpr auto kFloatSub = [](auto a, auto b) { return a - b; };
constexpr auto kFloatMul = [](auto a, auto b) { return a * b; };
constexpr auto kFloatDiv = [](auto a, auto b) { return a / b; };
constexpr auto kFma = [](auto a, auto b, auto c) { return std::fma(a, b, c); };
constexpr auto kSqrt = [](auto a) { return std::sqrt(a); };
constexpr auto kRcp = [](auto a) { return decltype(a)(1) / a; };
constexpr auto kSaturate = [](auto a) { return a >= 1 ? decltype(a)(1) : a > 0 ? a : decltype(a)(0); };
constexpr auto kRelu = [](auto a) { return a < 0 ? decltype(a)(0) : a; };

// One of two rounds: where a NaN comes, and whether -0 is below 0.
template <class T, bool kMax, bool kPassesNan>
T extreme(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) {
    if (kPassesNan || (std::isnan(a) && std::isnan(b))) return std::numeric_limits<T>::quiet_NaN();
    return std::isnan(a) ? b : a;
  }
  if (a == b) return std::signbit(a) == kMax ? b : a;
  return (a < b) == kMax ? b : a;
}
template <bool kMax, bool kPassesNan>
constexpr auto kExtreme = [](auto a, auto b) { return extreme<decltype(a), kMax, kPassesNan>(a, b); };

// --- flushing and saturation around an instruction

constexpr auto kFlush = [](float a) { return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0f, a) : a; };

bool takesFlush(Decoder& decoder, Type type) { return decoder.take("ftz") && type == Type::F32; }

uint32_t flushed(Decoder& decoder, uint32_t row, bool flushes) {
  if (!flushes) return row;
  Instruction& i = decoder.emit(mapLanes1<kFlush, float, float>);
  i.a = row;
  const uint32_t made = decoder.temporary(false);
  decoder.kernel().code.back().d = made;
  return made;
}

void applyTo(Decoder& decoder, Handler handler, uint32_t row) {
  Instruction& i = decoder.emit(handler);
  i.a = i.d = row;
}

struct Behind {
  bool flushes = false, saturates = false, clampsBelow = false;
};

Behind takeBehind(Decoder& decoder, Type type) {
  return {.flushes = takesFlush(decoder, type), .saturates = decoder.take("sat"), .clampsBelow = decoder.take("relu")};
}

// Emits the instruction over flushed operands, then what comes behind.
void emitFloat(Decoder& decoder, Type type, Handler handler, const Behind& behind,
               Rounding rounding = Rounding::Nearest) {
  if (!handler)
    return decoder.failUnknown("the type ." + std::string(nameOf(type)) + " of " +
                               std::string(decoder.statement().opcode));
  uint32_t rows[3] = {};
  for (size_t k = 1; k < decoder.operands() && k <= 3; ++k)
    rows[k - 1] = flushed(decoder, decoder.source(k, type), behind.flushes);
  const uint32_t d = decoder.destination(0, type);
  Instruction& i = decoder.emit(handler);
  i.d = d, i.a = rows[0], i.b = rows[1], i.c = rows[2];
  i.flags = static_cast<uint8_t>(rounding);
  if (behind.flushes) applyTo(decoder, mapLanes1<kFlush, float, float>, d);
  if (behind.saturates) applyTo(decoder, float1<kSaturate>(type), d);
  if (behind.clampsBelow) applyTo(decoder, float1<kRelu>(type), d);
}

// The handler of f32 or f64 that rounds in a direction.
template <template <class> class Map>
Handler directed(Type type) {
  if (type == Type::F32) return rounded<Map<float>::kHandler>;
  return type == Type::F64 ? rounded<Map<double>::kHandler> : nullptr;
}
template <auto kOp>
struct Maps {
  template <class T>
  struct One {
    static constexpr Handler kHandler = mapLanes1<kFloat1<kOp, T>, T, T>;
  };
  template <class T>
  struct Two {
    static constexpr Handler kHandler = mapLanes2<kFloat2<kOp, T>, T, T, T>;
  };
  template <class T>
  struct Three {
    static constexpr Handler kHandler = mapLanes3<kFloat3<kOp, T>, T, T, T, T>;
  };
};

template <auto kOp>
void decodeRounded2(Decoder& decoder, Type type) {
  if (!expectOperands(decoder, 3, 3)) return;
  const Rounding rounding = decoder.tryRounding().value_or(Rounding::Nearest);
  decoder.ignore({"approx", "full"});
  const Handler handler = rounding == Rounding::Nearest ? float2<kOp>(type) : directed<Maps<kOp>::template Two>(type);
  const Behind behind = takeBehind(decoder, type);
  emitFloat(decoder, type, handler, behind, rounding);
}

void decodeFma(Decoder& decoder, Type type) {
  if (!expectOperands(decoder, 4, 4)) return;
  const Rounding rounding = decoder.tryRounding().value_or(Rounding::Nearest);
  const Handler handler = rounding == Rounding::Nearest ? float3<kFma>(type) : directed<Maps<kFma>::Three>(type);
  const Behind behind = takeBehind(decoder, type);
  emitFloat(decoder, type, handler, behind, rounding);
}

template <bool kMax>
void decodeExtreme(Decoder& decoder, Type type) {
  const bool passesNan = decoder.take("NaN"), isSigned = decoder.take("xorsign");
  decoder.take("abs");
  if (isSigned) return decoder.failUnknown(".xorsign");
  const Handler handler = passesNan ? float2<kExtreme<kMax, true>>(type) : float2<kExtreme<kMax, false>>(type);
  const Behind behind = takeBehind(decoder, type);
  if (decoder.operands() == 3) return emitFloat(decoder, type, handler, behind);
  decoder.failUnknown("an extreme of this many operands");
}

// --- signs: bits alone

template <class U>
constexpr U signBits(Type type) {
  if (type == Type::F16x2 || type == Type::BF16x2) return static_cast<U>(0x80008000u);
  return static_cast<U>(U{1} << (bitsOf(type) - 1));
}

void decodeSign(Decoder& decoder, Type type, bool clears) {
  if (!expectOperands(decoder, 2, 2)) return;
  const bool flushes = takesFlush(decoder, type);
  const bool isWide = bitsOf(type) == 64;
  const uint64_t sign = isWide ? signBits<uint64_t>(type) : signBits<uint32_t>(type);
  const uint32_t a = decoder.source(1, type), d = decoder.destination(0, type);
  const uint32_t mask = decoder.constant(clears ? ~sign : sign, isWide);
  constexpr auto kAnd = [](auto x, auto m) { return x & m; };
  constexpr auto kXor = [](auto x, auto m) { return x ^ m; };
  using U = uint32_t;
  using W = uint64_t;
  const Handler narrow = clears ? mapLanes2<kAnd, U, U, U> : mapLanes2<kXor, U, U, U>;
  const Handler wide = clears ? mapLanes2<kAnd, W, W, W> : mapLanes2<kXor, W, W, W>;
  Instruction& i = decoder.emit(isWide ? wide : narrow);
  i.d = d, i.a = a, i.b = mask;
  if (flushes) applyTo(decoder, mapLanes1<kFlush, float, float>, d);
}

void decodeCopysign(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (expectOperands(decoder, 3, 3))
    emitFloat(decoder, type, float2<[](auto a, auto b) { return std::copysign(b, a); }>(type), {});
}

// --- testp

template <auto kTest, class T>
void testLanes(Warp& warp, const Instruction& i, LaneMask active) {
  const SlotOf<T>* a = warp.row<T>(i.a);
  LaneMask result = 0;
  forLanes(active, [&](int lane) { result |= LaneMask{kTest(fromSlot<T>(a[lane]))} << lane; });
  LaneMask& d = warp.predicate(i.d);
  d = (d & ~active) | result;
}

template <auto kTest>
Handler testHandler(Type type) {
  return type == Type::F64 ? testLanes<kTest, double> : testLanes<kTest, float>;
}

Handler testNamed(std::string_view name, Type type) {
  if (name == "finite") return testHandler<[](auto a) { return std::isfinite(a); }>(type);
  if (name == "infinite") return testHandler<[](auto a) { return std::isinf(a); }>(type);
  if (name == "number") return testHandler<[](auto a) { return !std::isnan(a); }>(type);
  if (name == "notanumber") return testHandler<[](auto a) { return std::isnan(a); }>(type);
  if (name == "normal") return testHandler<[](auto a) { return std::isnormal(a) || a == 0; }>(type);
  return testHandler<[](auto a) { return std::fpclassify(a) == FP_SUBNORMAL; }>(type);
}

void decodeTestp(Decoder& decoder) {
  const auto test = decoder.takeOneOf({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  const Type type = decoder.takeType();
  if (test.empty()) return decoder.failUnknown("testp without a test");
  if (!expectOperands(decoder, 2, 2)) return;
  const uint32_t a = decoder.source(1, type), d = decoder.predicateDestination(decoder.operand(0));
  Instruction& i = decoder.emit(testNamed(test, type));
  i.d = d, i.a = a;
}

// sqrt and rcp: rounded; approximate ones of f64 keep the upper half of the bits only, as cards do.
template <auto kOp>
void decodeRoot(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (!expectOperands(decoder, 2, 2)) return;
  const Rounding rounding = decoder.tryRounding().value_or(Rounding::Nearest);
  const bool isApproximate = decoder.take("approx");
  const Behind behind = takeBehind(decoder, type);
  Handler handler = rounding == Rounding::Nearest ? float1<kOp>(type) : directed<Maps<kOp>::template One>(type);
  if (isApproximate && type == Type::F64) handler = mapLanes1<kUpperHalf<kOp>, double, double>;
  emitFloat(decoder, type, handler, behind, rounding);
}

}  // namespace

void decodeFloatArithmetic(Decoder& decoder, Arithmetic operation, Type type) {
  switch (operation) {
    case Arithmetic::Add: return decodeRounded2<kFloatAdd>(decoder, type);
    case Arithmetic::Sub: return decodeRounded2<kFloatSub>(decoder, type);
    case Arithmetic::Mul: return decodeRounded2<kFloatMul>(decoder, type);
    case Arithmetic::Div: return decodeRounded2<kFloatDiv>(decoder, type);
    case Arithmetic::Fma: return decodeFma(decoder, type);
    case Arithmetic::Min: return decodeExtreme<false>(decoder, type);
    case Arithmetic::Max: return decodeExtreme<true>(decoder, type);
    case Arithmetic::Abs: return decodeSign(decoder, type, true);
    case Arithmetic::Neg: return decodeSign(decoder, type, false);
  }
}

void addFloatInstructions(InstructionTable& table) {
  table["fma"] = [](Decoder& decoder) { decodeFma(decoder, decoder.takeType()); };
  table["sqrt"] = decodeRoot<kSqrt>;
  table["rcp"] = decodeRoot<kRcp>;
  table["copysign"] = decodeCopysign;
  table["testp"] = decodeTestp;
}

}  // namespace tessera::cuda::simulated
