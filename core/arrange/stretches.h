// Where an order of computation is parted, so that what belongs together stays together. Used by the outline of a
// computation without op_name.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/arrange/scope_turns.h"
#include "core/hlo/module.h"

namespace tessera {

// By boundary before the item k, and behind the last: how many values cross it, and a share of how many leading keys
// the parameters that are read before and behind it have in common (p['h'][0]['fc'] and p['h'][0]['pr']: three).
std::vector<float> partingCosts(const Module& module, const Computation& computation, std::span<const int32_t> items,
                                const OperandPlaces& operands);

// Ends of about `pieces` stretches of like length, parted where that costs the least.
std::vector<size_t> stretchesOf(std::span<const float> costs, size_t pieces);

}  // namespace tessera
