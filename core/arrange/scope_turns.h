// What the outline needs to know of scopes beyond their tree: which come again after the data has left them, and which
// are numbered copies of each other.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/arrange/scopes.h"

namespace tessera {

// Places (in the computation) of the operands of every instruction, in one array.
struct OperandPlaces {
  std::vector<uint32_t> begin{0};
  std::vector<int32_t> items;
};

// How often the data has left a scope and come back before it reaches an instruction; by turnKey, absent: 0. Two calls
// of relu with a convolution between are turns 0 and 1 of the scope relu: drawn as one group its wires would run back.
// content[i]: whether instruction i counts.
using ScopeTurns = std::unordered_map<uint64_t, int32_t>;
inline uint64_t turnKey(int32_t scope, int32_t item) {
  return static_cast<uint64_t>(scope) << 32 | static_cast<uint32_t>(item);
}
ScopeTurns scopeTurns(const ScopeTree& tree, const OperandPlaces& operands, const std::vector<bool>& content);

// Sibling scopes whose names differ by a number, in sequence, with the same signature: "layer_0…95".
struct NumberedStacks {
  struct Stack {
    std::string path, title;
  };
  std::vector<Stack> stacks;
  std::vector<int32_t> of;  // by scope: its stack; -1: none
};
NumberedStacks numberedStacks(const ScopeTree& tree, const std::vector<uint64_t>& signatures);

}  // namespace tessera
