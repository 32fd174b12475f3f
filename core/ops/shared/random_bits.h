// The two counter-based generators of HLO, bit for bit: Threefry-2x32 with 20 rounds and Philox-4x32 with 10 (Salmon,
// Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011). Used by rng-bit-generator and rng.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tessera {

inline constexpr uint32_t kThreefryParity = 0x1BD11BDAu, kThreefryGroups = 5;
inline constexpr int kThreefryRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
inline constexpr int kPhiloxRounds = 10;
inline constexpr uint32_t kPhiloxFactors[2] = {0xD2511F53u, 0xCD9E8D57u},
                          kPhiloxKeySteps[2] = {0x9E3779B9u, 0xBB67AE85u};

std::array<uint32_t, 2> threefry2x32(std::array<uint32_t, 2> key, std::array<uint32_t, 2> counter);
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 2> key, std::array<uint32_t, 4> counter);

// A counter of 128 bits as two words, lower one first.
struct WideCounter {
  uint64_t low = 0, high = 0;
  WideCounter plus(uint64_t n) const { return {low + n, high + (low + n < low ? 1 : 0)}; }
};
// Among frontend_attributes of an rng that a pass has copied: the number of the instruction whose stream it draws from.
inline constexpr std::string_view kStreamNumber = "tessera.stream";
// The n-th 32 bits of the Philox stream with this key that begins at `start`.
uint32_t philoxWord(uint64_t key, WideCounter start, uint64_t n);

// Positions of Threefry's pairs of 32 bits in an array: side by side along one dimension, the first even one, else the
// first of the largest; `inner` elements follow each of its places.
struct HalvedDimension {
  uint64_t size = 1, inner = 1;
  uint64_t half() const { return (size + 1) / 2; }
  // How many pairs fill `count` elements.
  uint64_t pairs(uint64_t count) const { return size == 0 ? 0 : count / size * half(); }
};
HalvedDimension halvedDimension(const std::vector<int64_t>& dims);

}  // namespace tessera
