// Bf16, F16: elements of two bytes as they lie in memory, converted from and to f32, to nearest even, without
// instructions that only some processors have. Used by the steps that add such elements up in f32.
#pragma once

#include <bit>
#include <cstdint>

namespace tessera::cpu {

// The upper half of an f32.
struct Bf16 {
  uint16_t bits = 0;
  explicit Bf16(float value) {
    const auto wide = std::bit_cast<uint32_t>(value);
    bits = static_cast<uint16_t>((value != value ? wide | 0x400000 : wide + 0x7fff + (wide >> 16 & 1)) >> 16);
  }
  explicit Bf16(uint16_t stored) : bits(stored) {}
  explicit operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
};

struct F16 {
  uint16_t bits = 0;
  explicit F16(uint16_t stored) : bits(stored) {}
  explicit F16(float value) {
    constexpr uint32_t kInfinity = 0x7f800000, kBeyond = 0x47800000, kLeastNormal = 0x38800000;  // f32's, 2^16, 2^-14
    const auto wide = std::bit_cast<uint32_t>(value);
    const uint32_t magnitude = wide & 0x7fffffff;
    uint32_t code = 0;
    if (magnitude >= kBeyond)
      code = magnitude > kInfinity ? 0x7e00 : 0x7c00;
    else if (magnitude < kLeastNormal)  // added to 0.5, whose last bit is that of f16's subnormal numbers
      code = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - std::bit_cast<uint32_t>(0.5f);
    else
      code = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
    bits = static_cast<uint16_t>(code | (wide >> 16 & 0x8000));
  }
  // Exponent and fraction moved into an f32's place and rescaled, which is exact, subnormal numbers included.
  explicit operator float() const {
    const uint32_t magnitude = bits & 0x7fffu, sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
    const float value = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
    const uint32_t out = magnitude >= 0x7c00u ? (magnitude << 13) | 0x7f800000u : std::bit_cast<uint32_t>(value);
    return std::bit_cast<float>(out | sign);
  }
};

}  // namespace tessera::cpu
