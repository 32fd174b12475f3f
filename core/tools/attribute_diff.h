// Do two instructions of different modules have the same attributes? Called computations are left to the caller.
#pragma once

#include <optional>
#include <string>

#include "core/hlo/module.h"

namespace tessera {

struct AttributeDifference {
  std::string name, inLeft, inRight;  // "" where it is absent
};
// The first attribute that differs. Absent is the same as the op's default; the order of writing does not count.
std::optional<AttributeDifference> attributeDifference(const Module& left, const Instruction& a, const Module& right,
                                                       const Instruction& b);

}  // namespace tessera
