// An order of computation in which few values wait for their readers, so that a stretch of it belongs together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/arrange/scope_turns.h"

namespace tessera {

enum class Toward : uint8_t {
  Results,  // what is computed aside comes just before its first reader: a projection of the context before its product
  Inputs,   // and just after the last that it reads: the gradient of a weight after what it is computed from
};

// items: places of instructions, in any order of computation; the same, ordered. Wires to others do not count.
std::vector<int32_t> compactOrder(std::span<const int32_t> items, const OperandPlaces& operands, Toward toward);

// By boundary before the item k, and behind the last: how many of the values that items before it make are read behind
// it. items: in an order of computation.
std::vector<uint32_t> valuesAcross(std::span<const int32_t> items, const OperandPlaces& operands);

}  // namespace tessera
