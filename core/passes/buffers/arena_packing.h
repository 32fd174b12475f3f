// Arena packing: values with live ranges get offsets in one arena, so that no two that are live at the same time
// overlap. Memory that is allocated anyway and not used yet (a result before it is computed) is lent to values whose
// ranges end before. Plain numbers; used by buffer assignment.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tessera {

struct LiveRange {
  int64_t bytes = 0, alignment = 64;  // a power of two
  int64_t begin = 0, end = 0;         // both belong to it
};

// Lends its bytes to ranges that end before its own begins. Aligned to 64.
struct ArenaLender {
  int64_t bytes = 0, begin = 0;
};

struct ArenaOffset {
  int32_t lender = -1;  // -1: the arena
  int64_t offset = 0;
};

struct ArenaPacking {
  std::vector<ArenaOffset> offsets;  // by live range
  int64_t bytes = 0;                 // of the arena
};

// nullopt: more bytes than can be addressed.
std::optional<ArenaPacking> packArena(std::span<const LiveRange> ranges, std::span<const ArenaLender> lenders);

}  // namespace tessera
