// See random_bits.h.
#include "core/ops/random_bits.h"

#include <bit>

namespace tessera {

std::array<uint32_t, 2> threefry2x32(std::array<uint32_t, 2> key, std::array<uint32_t, 2> counter) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t keys[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDAu};
  uint32_t a = counter[0] + keys[0], b = counter[1] + keys[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      a += b;
      b = std::rotl(b, rotation) ^ a;
    }
    a += keys[(group + 1) % 3];
    b += keys[(group + 2) % 3] + group + 1;
  }
  return {a, b};
}

std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 2> key, std::array<uint32_t, 4> counter) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t x = uint64_t{0xD2511F53u} * counter[0], y = uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<uint32_t>(y >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(y),
               static_cast<uint32_t>(x >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(x)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

uint32_t philoxWord(uint64_t key, WideCounter start, uint64_t n) {
  const WideCounter at = start.plus(n / 4);
  const auto low = [](uint64_t x) { return static_cast<uint32_t>(x); };
  const auto high = [](uint64_t x) { return static_cast<uint32_t>(x >> 32); };
  return philox4x32({low(key), high(key)}, {low(at.low), high(at.low), low(at.high), high(at.high)})[n % 4];
}

}  // namespace tessera
