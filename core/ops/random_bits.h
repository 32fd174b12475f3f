// The two counter-based generators of HLO, bit for bit: Threefry-2x32 with 20 rounds and Philox-4x32 with 10. Stands
// below rng-bit-generator and rng.
#pragma once

#include <array>
#include <cstdint>

namespace tessera {

std::array<uint32_t, 2> threefry2x32(std::array<uint32_t, 2> key, std::array<uint32_t, 2> counter);
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 2> key, std::array<uint32_t, 4> counter);

// A counter of 128 bits as two words, lower one first.
struct WideCounter {
  uint64_t low = 0, high = 0;
  WideCounter plus(uint64_t n) const { return {low + n, high + (low + n < low ? 1 : 0)}; }
};
// The n-th 32 bits of the Philox stream with this key that begins at `start`.
uint32_t philoxWord(uint64_t key, WideCounter start, uint64_t n);

}  // namespace tessera
