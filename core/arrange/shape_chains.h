// Chains of instructions that only change an array's form: reshape, broadcast, convert, bitcast and bitcast-convert,
// one after the other, each read by the next alone. A view may show such a chain as one pill on its wire. Used by view.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

// By place in the computation: the place of the last member of the chain that contains an instruction; -1: in none of
// two or more. All members are written in the file, lie in the same group and are no hubs; no member but the last has
// its name in `placed`. groupOf, hubs: by place; positions: the place of each instruction, by InstructionId value.
std::vector<int32_t> shapeChains(const Module& module, const Computation& computation, const UserTable& users,
                                 const std::vector<bool>& hubs, const std::vector<int32_t>& groupOf,
                                 const std::vector<int32_t>& positions, const std::set<std::string>& placed);

}  // namespace tessera
