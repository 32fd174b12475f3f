// Comparisons and choices: setp, set, selp, slct.
#include <cmath>
#include <optional>

#include "backends/cuda/simulated/decode/instruction_table.h"
#include "backends/cuda/simulated/decode/lanes.h"
#include "backends/cuda/simulated/decode/numbers.h"

namespace tessera::cuda::simulated {

namespace {

enum class Comparison : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Num, Nan };
constexpr uint8_t kUnordered = 8;  // true where an operand is NaN
enum class Combine : uint8_t { None, And, Or, Xor };

struct ComparisonName {
  std::string_view name;
  Comparison comparison;
  bool isUnordered;
};
constexpr ComparisonName kComparisons[] = {
    {"eq", Comparison::Eq, false}, {"ne", Comparison::Ne, false},   {"lt", Comparison::Lt, false},
    {"le", Comparison::Le, false}, {"gt", Comparison::Gt, false},   {"ge", Comparison::Ge, false},
    {"lo", Comparison::Lt, false}, {"ls", Comparison::Le, false},   {"hi", Comparison::Gt, false},
    {"hs", Comparison::Ge, false}, {"equ", Comparison::Eq, true},   {"neu", Comparison::Ne, true},
    {"ltu", Comparison::Lt, true}, {"leu", Comparison::Le, true},   {"gtu", Comparison::Gt, true},
    {"geu", Comparison::Ge, true}, {"num", Comparison::Num, false}, {"nan", Comparison::Nan, false},
};

// Values as they are compared: narrow floats as doubles.
template <class T>
auto comparable(T value) {
  if constexpr (requires { value.bits; })
    return toDouble(value);
  else
    return value;
}

template <Comparison kComparison, class T>
bool holds(T a, T b) {
  switch (kComparison) {
    case Comparison::Eq: return a == b;
    case Comparison::Ne: return a < b || a > b;
    case Comparison::Lt: return a < b;
    case Comparison::Le: return a <= b;
    case Comparison::Gt: return a > b;
    case Comparison::Ge: return a >= b;
    case Comparison::Num: return a == a && b == b;
    case Comparison::Nan: return a != a || b != b;
  }
  return false;
}

// The lanes for which the comparison holds.
template <Comparison kComparison, class T>
LaneMask compareRows(Warp& warp, const Instruction& i, LaneMask active) {
  const SlotOf<T>*a = warp.row<T>(i.a), *b = warp.row<T>(i.b);
  const bool isUnordered = i.flags & kUnordered;
  LaneMask result = 0;
  forLanes(active, [&](int lane) {
    const auto x = comparable(fromSlot<T>(a[lane])), y = comparable(fromSlot<T>(b[lane]));
    bool isTrue = holds<kComparison>(x, y);
    if constexpr (std::is_floating_point_v<decltype(x)>) isTrue |= isUnordered && (x != x || y != y);
    result |= LaneMask{isTrue} << lane;
  });
  return result;
}

LaneMask combined(Warp& warp, const Instruction& i, LaneMask value) {
  if (i.count == static_cast<uint8_t>(Combine::None)) return value;
  const LaneMask other = warp.predicate(i.c);
  switch (static_cast<Combine>(i.count)) {
    case Combine::And: return value & other;
    case Combine::Or: return value | other;
    default: return value ^ other;
  }
}

template <Comparison kComparison, class T>
void setpLanes(Warp& warp, const Instruction& i, LaneMask active) {
  const LaneMask result = compareRows<kComparison, T>(warp, i, active);
  const LaneMask first = combined(warp, i, result), second = combined(warp, i, ~result);
  setPredicate(warp.predicate(i.d), first, active);
  setPredicate(warp.predicate(i.list), second, active);
}

// set: all ones or 1.0 where the comparison holds.
template <Comparison kComparison, class T>
void setLanes(Warp& warp, const Instruction& i, LaneMask active) {
  const LaneMask result = combined(warp, i, compareRows<kComparison, T>(warp, i, active));
  uint32_t* d = warp.row<uint32_t>(i.d);
  forLanes(active, [&](int lane) { d[lane] = result >> lane & 1 ? static_cast<uint32_t>(i.offset) : 0; });
}

template <class T>
Handler handlerFor(Comparison comparison, bool isSet) {
  using C = Comparison;
  switch (comparison) {
    case C::Eq: return isSet ? setLanes<C::Eq, T> : setpLanes<C::Eq, T>;
    case C::Ne: return isSet ? setLanes<C::Ne, T> : setpLanes<C::Ne, T>;
    case C::Lt: return isSet ? setLanes<C::Lt, T> : setpLanes<C::Lt, T>;
    case C::Le: return isSet ? setLanes<C::Le, T> : setpLanes<C::Le, T>;
    case C::Gt: return isSet ? setLanes<C::Gt, T> : setpLanes<C::Gt, T>;
    case C::Ge: return isSet ? setLanes<C::Ge, T> : setpLanes<C::Ge, T>;
    case C::Num: return isSet ? setLanes<C::Num, T> : setpLanes<C::Num, T>;
    case C::Nan: return isSet ? setLanes<C::Nan, T> : setpLanes<C::Nan, T>;
  }
  return nullptr;
}

Handler handlerFor(Comparison comparison, Type type, bool isSet) {
  Handler handler = nullptr;
  if (withInteger(type, [&]<class T>(T) {
        if constexpr (sizeof(T) > 1) handler = handlerFor<T>(comparison, isSet);
      }))
    return handler;
  switch (type) {
    case Type::F32: return handlerFor<float>(comparison, isSet);
    case Type::F64: return handlerFor<double>(comparison, isSet);
    case Type::F16: return handlerFor<Half>(comparison, isSet);
    case Type::BF16: return handlerFor<BFloat>(comparison, isSet);
    default: return nullptr;
  }
}

std::optional<ComparisonName> takeComparison(Decoder& decoder) {
  for (const ComparisonName& name : kComparisons)
    if (decoder.take(name.name)) return name;
  decoder.failUnknown("a comparison without its relation");
  return std::nullopt;
}

Combine takeCombine(Decoder& decoder) {
  if (decoder.take("and")) return Combine::And;
  if (decoder.take("or")) return Combine::Or;
  return decoder.take("xor") ? Combine::Xor : Combine::None;
}

uint32_t flushedOperand(Decoder& decoder, size_t index, Type type, bool flushes) {
  const uint32_t row = decoder.source(index, type);
  if (!flushes) return row;
  const uint32_t made = decoder.temporary(false);
  Instruction& i = decoder.emit(
      mapLanes1<[](float a) { return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0f, a) : a; }, float, float>);
  i.d = made, i.a = row;
  return made;
}

// What setp and set have in common: relation, combination, operands. False: it has failed.
bool emitComparison(Decoder& decoder, bool isSet, uint32_t d, uint32_t second, Type resultType) {
  const auto relation = takeComparison(decoder);
  const Combine combine = takeCombine(decoder);
  const Type type = decoder.takeType();
  const bool flushes = decoder.take("ftz") && type == Type::F32;
  if (!relation || !expectOperands(decoder, combine == Combine::None ? 3 : 4, combine == Combine::None ? 3 : 4))
    return false;
  const Handler handler = handlerFor(relation->comparison, type, isSet);
  if (!handler) return decoder.failUnknown("a comparison of the type ." + std::string(nameOf(type))), false;
  const uint32_t a = flushedOperand(decoder, 1, type, flushes), b = flushedOperand(decoder, 2, type, flushes);
  const uint32_t c = combine == Combine::None ? 0 : decoder.predicate(decoder.operand(3));
  Instruction& i = decoder.emit(handler);
  i.d = d, i.a = a, i.b = b, i.c = c, i.list = second;
  i.count = static_cast<uint8_t>(combine);
  i.flags = relation->isUnordered ? kUnordered : 0;
  i.offset = resultType == Type::F32 ? 0x3f800000 : 0xffffffff;
  return true;
}

void decodeSetp(Decoder& decoder) {
  const Operand& result = decoder.operand(0);
  const bool isPair = result.kind == Operand::Kind::Pair;
  const uint32_t first = decoder.predicateDestination(isPair ? result.parts[0] : result);
  const uint32_t second = isPair ? decoder.predicateDestination(result.parts[1]) : decoder.temporaryPredicate();
  emitComparison(decoder, false, first, second, Type::Pred);
}

void decodeSet(Decoder& decoder) {
  const Type resultType = decoder.takeType();
  if (resultType != Type::F32 && (bitsOf(resultType) != 32 || isFloat(resultType)))
    return decoder.failUnknown("set with a result of ." + std::string(nameOf(resultType)));
  emitComparison(decoder, true, decoder.destination(0, resultType), 0, resultType);
}

template <class U>
void selectLanes(Warp& warp, const Instruction& i, LaneMask active) {
  const U *a = warp.row<U>(i.a), *b = warp.row<U>(i.b);
  U* d = warp.row<U>(i.d);
  const LaneMask condition = warp.predicate(i.c);
  forLanes(active, [&](int lane) { d[lane] = condition >> lane & 1 ? a[lane] : b[lane]; });
}

void decodeSelp(Decoder& decoder) {
  const Type type = decoder.takeType();
  if (!expectOperands(decoder, 4, 4)) return;
  const uint32_t a = decoder.source(1, type), b = decoder.source(2, type), c = decoder.predicate(decoder.operand(3));
  const uint32_t d = decoder.destination(0, type);
  Instruction& i = decoder.emit(bitsOf(type) == 64 ? selectLanes<uint64_t> : selectLanes<uint32_t>);
  i.d = d, i.a = a, i.b = b, i.c = c;
}

// slct: the first where the last operand is not negative.
void decodeSlct(Decoder& decoder) {
  decoder.take("ftz");
  const Type type = decoder.takeType(), by = decoder.takeType();
  if (!expectOperands(decoder, 4, 4)) return;
  const uint32_t a = decoder.source(1, type), b = decoder.source(2, type), c = decoder.source(3, by);
  const uint32_t d = decoder.destination(0, type), condition = decoder.temporaryPredicate();
  const uint32_t zero = decoder.constant(0, false), unused = decoder.temporaryPredicate();
  Instruction& test =
      decoder.emit(by == Type::F32 ? setpLanes<Comparison::Ge, float> : setpLanes<Comparison::Ge, int32_t>);
  test.d = condition, test.a = c, test.b = zero, test.list = unused;
  test.count = static_cast<uint8_t>(Combine::None);
  Instruction& i = decoder.emit(bitsOf(type) == 64 ? selectLanes<uint64_t> : selectLanes<uint32_t>);
  i.d = d, i.a = a, i.b = b, i.c = condition;
}

}  // namespace

void addCompareInstructions(InstructionTable& table) {
  table["setp"] = decodeSetp;
  table["set"] = decodeSet;
  table["selp"] = decodeSelp;
  table["slct"] = decodeSlct;
}

}  // namespace tessera::cuda::simulated
