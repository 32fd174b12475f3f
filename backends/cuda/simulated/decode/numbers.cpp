#include "backends/cuda/simulated/decode/numbers.h"

namespace tessera::cuda::simulated {

namespace {

double literalValue(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::Float32: return std::bit_cast<float>(static_cast<uint32_t>(operand.bits));
    case Operand::Kind::Float64: return std::bit_cast<double>(operand.bits);
    default: return static_cast<double>(static_cast<int64_t>(operand.bits));
  }
}

// A double that is a float already rounds like one; others take the exact way.
uint32_t nearestBFloat(double value) {
  const auto single = static_cast<float>(value);
  if (single != value || std::isnan(single)) return doubleToSmallFloat(ElementType::BF16, value);
  const auto bits = std::bit_cast<uint32_t>(single);
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

}  // namespace

uint64_t literalBits(const Operand& operand, Type type) {
  if (type == Type::F32 || (operand.kind == Operand::Kind::Float64 && bitsOf(type) == 32))
    return operand.kind == Operand::Kind::Float32 ? operand.bits
                                                  : std::bit_cast<uint32_t>(static_cast<float>(literalValue(operand)));
  if (type == Type::F64 || (operand.kind == Operand::Kind::Float32 && bitsOf(type) == 64))
    return std::bit_cast<uint64_t>(literalValue(operand));
  if (operand.kind == Operand::Kind::Integer) return operand.bits;
  if (type == Type::F16) return doubleToSmallFloat(ElementType::F16, literalValue(operand));
  if (type == Type::BF16) return doubleToSmallFloat(ElementType::BF16, literalValue(operand));
  return operand.bits;
}

uint32_t roundTo(ElementType type, double value, Rounding rounding) {
  const uint32_t nearest = type == ElementType::BF16 ? nearestBFloat(value) : doubleToSmallFloat(type, value);
  if (rounding == Rounding::Nearest || std::isnan(value)) return nearest;
  const double rounded = smallFloatToDouble(type, nearest);
  if (rounded == value) return nearest;
  const bool isAbove = rounded > value;
  const bool wantsBelow = rounding == Rounding::Down || (rounding == Rounding::Zero && value > 0);
  if (isAbove != wantsBelow) return nearest;
  // The neighbour on the other side of the value: towards zero if the rounded one is larger, else away from it.
  const bool towardsZero = isAbove == (value > 0);
  if (!towardsZero && rounded == 0) {  // the smallest number with the sign of the value
    const uint32_t sign = uint32_t{1} << (byteWidth(type) * 8 - 1);
    return value < 0 ? sign | 1 : 1;
  }
  return towardsZero ? nearest - 1 : nearest + 1;
}

}  // namespace tessera::cuda::simulated
