// Structural comparison of two modules: the same graph under other names, ids and parameter orders is equal. Used by
// `tessera diff` and tests.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

struct Difference {
  InstructionId left, right;  // invalid: the other side has no counterpart
  std::string what;  // "opcode", "shape", "operands", "attribute dimensions", "value", "sharing", "missing" …
  std::string inLeft, inRight;
  std::string place;  // "%main: %add.3 | %main: %sum"
};

struct ModuleDiff {
  std::vector<Difference> differences;  // in the order of a walk from the entries' roots; at most kMaxDifferences
  bool more = false;                    // there are others
  size_t matched = 0;                   // pairs of instructions that stand for each other
};
inline constexpr size_t kMaxDifferences = 100;

// Walks both graphs from their roots; operand order counts, parameters are paired as they are met. Where two
// instructions differ in opcode or number of operands the walk ends, so a difference is told once. Names, metadata,
// notes, origins and numbers of channels are ignored; layouts are not.
ModuleDiff diff(const Module& left, const Module& right);

}  // namespace tessera
