// See product_type.h.
#include "core/ops/inference/product_type.h"

#include <compare>

namespace tessera {
namespace {

// The least power of two that a float type cannot hold, and the bits of its fraction.
struct FloatForm {
  int range = -1, fraction = -1;
};

FloatForm formOf(ElementType type) {
  switch (type) {
    case ElementType::F4E2M1FN: return {3, 1};
    case ElementType::F6E2M3FN: return {3, 3};
    case ElementType::F6E3M2FN: return {5, 2};
    case ElementType::F8E3M4: return {4, 4};
    case ElementType::F8E4M3: return {8, 3};
    case ElementType::F8E4M3FN: return {9, 3};
    case ElementType::F8E4M3B11FNUZ: return {5, 3};
    case ElementType::F8E4M3FNUZ: return {8, 3};
    case ElementType::F8E5M2:
    case ElementType::F8E5M2FNUZ: return {16, 2};
    case ElementType::F8E8M0FNU: return {128, 0};
    case ElementType::F16: return {16, 10};
    case ElementType::BF16: return {128, 7};
    case ElementType::F32:
    case ElementType::C64: return {128, 23};
    case ElementType::F64:
    case ElementType::C128: return {1024, 52};
    default: return {};
  }
}

struct Rank {
  bool complex;
  int range, fraction, bits;
  bool isSigned;
  auto operator<=>(const Rank&) const = default;
};

Rank rankOf(ElementType type) {
  const FloatForm form = formOf(type);
  const int bits = type == ElementType::Pred ? 1 : info(type).bits;
  return {isComplex(type), form.range, form.fraction, bits, isSigned(type)};
}

}  // namespace

ElementType higherType(ElementType a, ElementType b) { return rankOf(b) > rankOf(a) ? b : a; }

bool floatHoldsAll(ElementType to, ElementType from) {
  if (to == from) return true;
  const bool signless = from != ElementType::F8E8M0FNU && to != ElementType::F8E8M0FNU;
  const FloatForm wide = formOf(to), narrow = formOf(from);
  const bool sameKind = isFloat(from) ? isFloat(to) || isComplex(to) : isComplex(from) && isComplex(to);
  return sameKind && signless && wide.range >= narrow.range && wide.fraction >= narrow.fraction;
}

std::optional<ElementType> productType(ElementType lhs, ElementType rhs, ElementType result) {
  if (lhs == rhs && rhs == result) return std::nullopt;
  if (isInteger(lhs) && isInteger(rhs) && isInteger(result)) return std::nullopt;
  const ElementType type = higherType(higherType(lhs, rhs), result);
  const bool own = type == result && floatHoldsAll(type, lhs) && floatHoldsAll(type, rhs);
  return own ? std::nullopt : std::optional(type);
}

}  // namespace tessera
