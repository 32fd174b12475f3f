// Where instructions belong that say it not themselves: copies, fusions and gradients that a compiler made without
// op_name. Used by sums of cost and of time by scope.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

// For each instruction of the computation the position of the one whose place it has; -1: none is near.
// places: by position, of each its own, as a number; -1: it has none, as parameters, whose names are those of
// arguments. Without an own one it has that of its readers, where they agree, else that of the nearest value that it is
// computed from, else that of its first reader; at most four steps away.
std::vector<int32_t> nearestPlaces(const Module& module, const Computation& computation, const UserTable& users,
                                   std::span<const int32_t> places);

}  // namespace tessera
