// Arena packing: values with lives get offsets in one arena, so that no two that live at the same time overlap. Memory
// that stands anyway and is not used yet (a result before it is computed) is lent to values that die before.
// Plain numbers: buffer assignment says what lives when.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tessera {

struct ArenaLife {
  int64_t bytes = 0, alignment = 64;  // a power of two
  int64_t birth = 0, death = 0;       // both ends belong to the life
};

// Lends its bytes to lives that end before `birth`. Aligned to 64.
struct ArenaLender {
  int64_t bytes = 0, birth = 0;
};

struct ArenaPlace {
  int32_t lender = -1;  // -1: the arena
  int64_t offset = 0;
};

struct ArenaPacking {
  std::vector<ArenaPlace> places;  // by life
  int64_t bytes = 0;               // of the arena
};

// nullopt: more bytes than can be addressed.
std::optional<ArenaPacking> packArena(std::span<const ArenaLife> lives, std::span<const ArenaLender> lenders);

}  // namespace tessera
