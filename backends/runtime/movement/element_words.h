// Elements as words of their width, for steps that move them and read no values.
#pragma once

#include <cstdint>

namespace tessera::cpu {

struct Bytes16 {
  uint64_t parts[2];
};

// Calls use(word) with an unsigned word of `width` bytes: 1, 2, 4, 8 or 16.
template <class Use>
decltype(auto) withWordOf(int64_t width, Use&& use) {
  switch (width) {
    case 1: return use(uint8_t{});
    case 2: return use(uint16_t{});
    case 4: return use(uint32_t{});
    case 8: return use(uint64_t{});
    default: return use(Bytes16{});
  }
}

}  // namespace tessera::cpu
