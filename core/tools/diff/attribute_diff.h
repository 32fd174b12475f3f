// Do two instructions of different modules have the same attributes? Called computations are left to the caller.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

struct AttributeDifference {
  std::string name, inLeft, inRight;  // "" where it is absent
};
// The attributes that differ. Absent is the same as the op's default; the order of writing does not count. Numbers of
// channels, origins, and references to computations and instructions are the caller's to compare.
std::vector<AttributeDifference> attributeDifferences(const Module& left, const Instruction& a, const Module& right,
                                                      const Instruction& b);
// Equal where there are no differences.
uint64_t attributesHash(const Module& module, const Instruction& instruction);

}  // namespace tessera
