// Rules of bits, comparisons, selects and conversions. Every one is exact.
#include <algorithm>

#include "core/hlo/numbers.h"
#include "core/passes/simplify/simplify_rules.h"

namespace tessera {
namespace {

using Id = InstructionId;

bool isPred(const Site& s) { return s.type() == ElementType::Pred; }
std::optional<int64_t> bitsOf(const Site& s, Id id) {
  const Literal* literal = s.splatLiteral(id);
  const ElementType type = s.shapeOf(id).type;
  if (!literal || !(isInteger(type) || type == ElementType::Pred)) return std::nullopt;
  return loadInt(type, literal->bytes().data());
}
bool isOnes(const Site& s, Id id) {
  const Literal* literal = s.splatLiteral(id);
  return literal && isNeutral(*literal, Opcode::And);
}
bool isZeros(const Site& s, Id id) { return bitsOf(s, id) == 0; }
bool areOpposite(const Site& s, Id a, Id b) {
  return (s.is(a, Opcode::Not) && s.module.at(a).operands[0] == b) ||
         (s.is(b, Opcode::Not) && s.module.at(b).operands[0] == a);
}

Id withZeros(Site& s) {
  for (size_t i : {0u, 1u})
    if (isZeros(s, s.operand(i))) return s.operand(s.in.opcode == Opcode::And ? i : 1 - i);
  return {};
}
Id withOnes(Site& s) {
  for (size_t i : {0u, 1u})
    if (isOnes(s, s.operand(i))) {
      if (s.in.opcode == Opcode::Xor) return s.make(Opcode::Not, *s.in.shape, {s.operand(1 - i)});
      return s.operand(s.in.opcode == Opcode::And ? 1 - i : i);
    }
  return {};
}
Id withOpposite(Site& s) {
  if (!areOpposite(s, s.operand(0), s.operand(1))) return {};
  return s.filledInteger(s.in.opcode == Opcode::And ? 0 : isPred(s) ? 1 : -1);
}
Id xorOfItself(Site& s) { return s.operand(0) == s.operand(1) ? s.filledInteger(0) : Id(); }
// and(a, or(a, b)) = a, or(a, and(a, b)) = a, and(a, and(a, b)) = and(a, b).
Id absorbed(Site& s) {
  const Opcode other = s.in.opcode == Opcode::And ? Opcode::Or : Opcode::And;
  for (size_t i : {0u, 1u}) {
    const Instruction& inner = s.from(i);
    if (inner.opcode != other && inner.opcode != s.in.opcode) continue;
    if (std::ranges::find(inner.operands, s.operand(1 - i)) == inner.operands.end()) continue;
    return inner.opcode == other ? s.operand(1 - i) : inner.id;
  }
  return {};
}

std::string_view directionOf(const Instruction& in) { return in.attributes->textOr(Attr::direction, ""); }
std::string_view opposite(std::string_view direction) {
  constexpr std::pair<std::string_view, std::string_view> kPairs[] = {{"EQ", "NE"}, {"NE", "EQ"}, {"LT", "GE"},
                                                                      {"GE", "LT"}, {"GT", "LE"}, {"LE", "GT"}};
  for (auto [a, b] : kPairs)
    if (a == direction) return b;
  return "";
}
Id notNot(Site& s) { return s.is(s.operand(0), Opcode::Not) ? s.from(0).operands[0] : Id(); }
// For floats only EQ and NE are opposites: NaN is neither less nor not less.
Id notCompare(Site& s) {
  const Instruction& compare = s.from(0);
  if (compare.opcode != Opcode::Compare) return {};
  const ElementType type = s.shapeOf(compare.operands[0]).type;
  const std::string_view direction = directionOf(compare), inverted = opposite(direction);
  const bool ordered = isInteger(type) || type == ElementType::Pred || direction == "EQ" || direction == "NE";
  if (inverted.empty() || !ordered) return {};
  AttributeSet attributes = *compare.attributes;
  attributes.set(Attr::direction, std::string(inverted));
  return s.make(Opcode::Compare, *s.in.shape, compare.operands, std::move(attributes), compare.id);
}

bool isReflexive(std::string_view direction) { return direction == "EQ" || direction == "LE" || direction == "GE"; }
Id compareWithItself(Site& s) {
  if (s.operand(0) != s.operand(1)) return {};
  const ElementType type = s.shapeOf(s.operand(0)).type;
  const std::string_view direction = directionOf(s.in);
  if (isInteger(type) || type == ElementType::Pred) return s.filledInteger(isReflexive(direction));
  return isFloat(type) && (direction == "LT" || direction == "GT") ? s.filledInteger(0) : Id();
}
// x == true is x, x == false is not x, and the like.
Id comparePredWithConstant(Site& s) {
  const std::string_view direction = directionOf(s.in);
  if (s.shapeOf(s.operand(0)).type != ElementType::Pred || (direction != "EQ" && direction != "NE")) return {};
  for (size_t i : {0u, 1u}) {
    const auto value = bitsOf(s, s.operand(i));
    if (!value) continue;
    const Id x = s.operand(1 - i);
    return (*value != 0) == (direction == "EQ") ? x : s.make(Opcode::Not, *s.in.shape, {x});
  }
  return {};
}
// Numbers made of pred are 0 or 1.
Id compareConvertedPred(Site& s) {
  const Instruction& from = s.from(0);
  const std::string_view direction = directionOf(s.in);
  if (from.opcode != Opcode::Convert || s.shapeOf(from.operands[0]).type != ElementType::Pred) return {};
  const auto value = s.splat(1);
  if (!value || (*value != 0 && *value != 1) || (direction != "EQ" && direction != "NE")) return {};
  const Id x = from.operands[0];
  return (*value == 1) == (direction == "EQ") ? x : s.make(Opcode::Not, *s.in.shape, {x}, {}, from.id);
}
// unsigned x < 0 is never true.
Id compareUnsignedWithZero(Site& s) {
  const std::string_view direction = directionOf(s.in);
  if (!isUnsigned(s.shapeOf(s.operand(0)).type)) return {};
  if (isZeros(s, s.operand(1)) && (direction == "LT" || direction == "GE")) return s.filledInteger(direction == "GE");
  if (isZeros(s, s.operand(0)) && (direction == "GT" || direction == "LE")) return s.filledInteger(direction == "LE");
  return {};
}
// An iota counts from 0 to its size - 1: a mask that it is within is known where all or none of it is.
Id compareIotaWithConstant(Site& s) {
  const Instruction& iota = s.from(0);
  const ElementType type = iota.shape->type;
  if (iota.opcode != Opcode::Iota || !isInteger(type) || info(type).bits < 32) return {};
  const auto bound = bitsOf(s, s.operand(1));
  const int64_t last = iota.shape->dimensions[static_cast<size_t>(iota.attributes->intOr(Attr::iota_dimension, 0))] - 1;
  if (!bound || (isUnsigned(type) && *bound < 0) || last > INT32_MAX || last < 0) return {};
  const std::string_view direction = directionOf(s.in);
  if (direction == "LT" || direction == "GE") {
    if (last < *bound) return s.filledInteger(direction == "LT");
    if (0 >= *bound) return s.filledInteger(direction == "GE");
  }
  if (direction == "GT" || direction == "LE") {
    if (last <= *bound) return s.filledInteger(direction == "LE");
    if (0 > *bound) return s.filledInteger(direction == "GT");
  }
  if ((direction == "EQ" || direction == "NE") && (*bound < 0 || *bound > last))
    return s.filledInteger(direction == "NE");
  return {};
}

Id selectOfSame(Site& s) { return s.operand(1) == s.operand(2) ? s.operand(1) : Id(); }
Id selectConstant(Site& s) {
  const auto condition = s.splat(0);
  return condition ? s.operand(*condition != 0 ? 1 : 2) : Id();
}
Id selectByNot(Site& s) {
  if (!s.is(s.operand(0), Opcode::Not)) return {};
  return s.make(Opcode::Select, *s.in.shape, {s.from(0).operands[0], s.operand(2), s.operand(1)}, {}, s.operand(0));
}
Id selectOfPreds(Site& s) {
  if (!isPred(s) || s.shapeOf(s.operand(0)).dimensions != s.in.shape->dimensions) return {};
  const auto yes = bitsOf(s, s.operand(1)), no = bitsOf(s, s.operand(2));
  const Id c = s.operand(0);
  if (yes && no)
    return *yes == 1 && *no == 0 ? c : *yes == 0 && *no == 1 ? s.make(Opcode::Not, *s.in.shape, {c}) : Id();
  if (no && *no == 0) return s.make(Opcode::And, *s.in.shape, {c, s.operand(1)});
  if (yes && *yes == 1) return s.make(Opcode::Or, *s.in.shape, {c, s.operand(2)});
  return {};
}
Id selectOfSelect(Site& s) {
  for (size_t i : {1u, 2u}) {
    const Instruction& inner = s.from(i);
    if (inner.opcode != Opcode::Select || inner.operands[0] != s.operand(0)) continue;
    const Id taken = inner.operands[i], other = s.operand(3 - i);
    return s.make(Opcode::Select, *s.in.shape, {s.operand(0), i == 1 ? taken : other, i == 1 ? other : taken}, {},
                  inner.id);
  }
  return {};
}

Id convertToSame(Site& s) { return s.shapeOf(s.operand(0)) == *s.in.shape ? s.operand(0) : Id(); }
// convert(convert(x)): the detour through a type that holds every x changes nothing.
Id convertOfConvert(Site& s) {
  const Instruction& inner = s.from(0);
  if (inner.opcode != Opcode::Convert) return {};
  const Id x = inner.operands[0];
  const ElementType type = s.shapeOf(x).type;
  if (!holdsExactly(type, inner.shape->type)) return {};
  if (type == s.type()) return x;
  return s.make(Opcode::Convert, *s.in.shape, {x}, {}, inner.id);
}
Id bitcastConvertToSame(Site& s) { return s.shapeOf(s.operand(0)) == *s.in.shape ? s.operand(0) : Id(); }
Id bitcastConvertTwice(Site& s) {
  const Instruction& inner = s.from(0);
  if (inner.opcode != Opcode::BitcastConvert || s.shapeOf(inner.operands[0]).dimensions != s.in.shape->dimensions)
    return {};
  if (info(s.shapeOf(inner.operands[0]).type).bits != info(inner.shape->type).bits || info(inner.shape->type).bits < 8)
    return {};
  if (s.shapeOf(inner.operands[0]).type == ElementType::Pred || s.type() == ElementType::Pred) return {};
  return s.shapeOf(inner.operands[0]) == *s.in.shape
             ? inner.operands[0]
             : s.make(Opcode::BitcastConvert, *s.in.shape, {inner.operands[0]}, {}, inner.id);
}
// Rounding to the digits that the type has anyway.
Id reduceToOwnPrecision(Site& s) {
  const int64_t exponent = s.in.attributes->intOr(Attr::exponent_bits, 0),
                mantissa = s.in.attributes->intOr(Attr::mantissa_bits, 0);
  switch (s.type()) {
    case ElementType::F16: return exponent >= 5 && mantissa >= 10 ? s.operand(0) : Id();
    case ElementType::BF16: return exponent >= 8 && mantissa >= 7 ? s.operand(0) : Id();
    case ElementType::F32: return exponent >= 8 && mantissa >= 23 ? s.operand(0) : Id();
    case ElementType::F64: return exponent >= 11 && mantissa >= 52 ? s.operand(0) : Id();
    default: return {};
  }
}

constexpr Rule kLogicRules[] = {
    {Opcode::And, "and(x, x) = x", sameOperands},
    {Opcode::Or, "or(x, x) = x", sameOperands},
    {Opcode::And, "and(x, 0) = 0", withZeros},
    {Opcode::Or, "or(x, 0) = x", withZeros},
    {Opcode::Xor, "xor(x, 0) = x", withZeros},
    {Opcode::And, "and(x, ones) = x", withOnes},
    {Opcode::Or, "or(x, ones) = ones", withOnes},
    {Opcode::Xor, "xor(x, ones) = not x", withOnes},
    {Opcode::And, "and(x, not x) = 0", withOpposite},
    {Opcode::Or, "or(x, not x) = ones", withOpposite},
    {Opcode::Xor, "xor(x, x) = 0", xorOfItself},
    {Opcode::And, "and(x, or(x, y)) = x", absorbed},
    {Opcode::Or, "or(x, and(x, y)) = x", absorbed},
    {Opcode::Not, "not not x = x", notNot},
    {Opcode::Not, "not(x < y) = x >= y", notCompare},
    {Opcode::Compare, "x = x", compareWithItself},
    {Opcode::Compare, "(x == true) = x", comparePredWithConstant},
    {Opcode::Compare, "(convert(pred x) != 0) = x", compareConvertedPred},
    {Opcode::Compare, "unsigned x < 0 is false", compareUnsignedWithZero},
    {Opcode::Compare, "iota < size is true", compareIotaWithConstant},
    {Opcode::Select, "select(c, x, x) = x", selectOfSame},
    {Opcode::Select, "select(true, x, y) = x", selectConstant},
    {Opcode::Select, "select(not c, x, y) = select(c, y, x)", selectByNot},
    {Opcode::Select, "select(c, true, false) = c", selectOfPreds},
    {Opcode::Select, "select(c, select(c, x, y), z) = select(c, x, z)", selectOfSelect},
    {Opcode::Convert, "convert to the same type", convertToSame},
    {Opcode::Convert, "convert(convert x) = convert x", convertOfConvert},
    {Opcode::BitcastConvert, "bitcast-convert to the same type", bitcastConvertToSame},
    {Opcode::BitcastConvert, "bitcast-convert(bitcast-convert x) = bitcast-convert x", bitcastConvertTwice},
    {Opcode::ReducePrecision, "reduce-precision to the type's own", reduceToOwnPrecision},
};

}  // namespace

std::span<const Rule> logicRules() { return kLogicRules; }

}  // namespace tessera
