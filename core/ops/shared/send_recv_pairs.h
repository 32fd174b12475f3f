// Which device sends to which: the frontend attribute _xla_send_recv_source_target_pairs="{{0,1},{1,0}}" of send and
// recv.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

// Empty when the instruction does not say it: then a value stays on its device.
std::vector<std::pair<int64_t, int64_t>> sendReceivePairs(const Instruction& instruction);

}  // namespace tessera
