// How hashes are combined: for tables in memory, never for what is stored or trusted (core/base/sha256.h).
#pragma once

#include <cstdint>

namespace tessera {

// The hash of a sequence, value by value: an empty one has any seed. Multiplies and folds as splitmix64 does.
inline uint64_t mixedHash(uint64_t seed, uint64_t value) {
  const uint64_t x = (seed ^ (value + 0x9e3779b97f4a7c15ull)) * 0xbf58476d1ce4e5b9ull;
  return x ^ (x >> 31);
}

}  // namespace tessera
