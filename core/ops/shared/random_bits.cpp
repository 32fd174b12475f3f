// See random_bits.h.
#include "core/ops/shared/random_bits.h"

#include <bit>
#include <cstddef>

namespace tessera {

std::array<uint32_t, 2> threefry2x32(std::array<uint32_t, 2> key, std::array<uint32_t, 2> counter) {
  const uint32_t keys[3] = {key[0], key[1], key[0] ^ key[1] ^ kThreefryParity};
  uint32_t a = counter[0] + keys[0], b = counter[1] + keys[1];
  for (uint32_t group = 0; group < kThreefryGroups; ++group) {
    for (int rotation : kThreefryRotations[group % 2]) {
      a += b;
      b = std::rotl(b, rotation) ^ a;
    }
    a += keys[(group + 1) % 3];
    b += keys[(group + 2) % 3] + group + 1;
  }
  return {a, b};
}

std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 2> key, std::array<uint32_t, 4> counter) {
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const uint64_t x = uint64_t{kPhiloxFactors[0]} * counter[0], y = uint64_t{kPhiloxFactors[1]} * counter[2];
    counter = {static_cast<uint32_t>(y >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(y),
               static_cast<uint32_t>(x >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(x)};
    key[0] += kPhiloxKeySteps[0];
    key[1] += kPhiloxKeySteps[1];
  }
  return counter;
}

uint32_t philoxWord(uint64_t key, WideCounter start, uint64_t n) {
  const WideCounter at = start.plus(n / 4);
  const auto low = [](uint64_t x) { return static_cast<uint32_t>(x); };
  const auto high = [](uint64_t x) { return static_cast<uint32_t>(x >> 32); };
  return philox4x32({low(key), high(key)}, {low(at.low), high(at.low), low(at.high), high(at.high)})[n % 4];
}

HalvedDimension halvedDimension(const std::vector<int64_t>& dims) {
  if (dims.empty()) return {};
  std::size_t split = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] % 2 == 0) {
      split = d;
      break;
    }
    if (dims[d] > dims[split]) split = d;
  }
  HalvedDimension out{static_cast<uint64_t>(dims[split]), 1};
  for (std::size_t d = split + 1; d < dims.size(); ++d) out.inner *= static_cast<uint64_t>(dims[d]);
  return out;
}

}  // namespace tessera
