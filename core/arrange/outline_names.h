// Names of groups that no scope names: repeated blocks by the number in their parameters' names, pieces by what they
// do.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

// "2 dot, reduce, 14 multiply": what a reader looks for first, the rest by number. items: places in the computation.
std::string summaryOf(const Module& module, const Computation& computation, std::span<const int32_t> items);

struct BlockNames {
  std::string stack;                // "p['h'] 0…95", or what one block does
  std::vector<std::string> blocks;  // "p['h'] 7", or "block 7"
};
// Names of the blocks of `period` items each.
BlockNames namesOfBlocks(const Module& module, const Computation& computation, std::span<const int32_t> items,
                         size_t period);

}  // namespace tessera
