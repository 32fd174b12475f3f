// From the addresses of a warp's lanes to memory of the host: which space, whether there is such memory, whether the
// address is aligned; races and patterns are noted on the way. Every load, store and atomic operation goes through
// here.
#pragma once

#include "backends/cuda/simulated/machine/access_patterns.h"
#include "backends/cuda/simulated/machine/shared_memory.h"
#include "backends/cuda/simulated/machine/warp.h"

namespace tessera::cuda::simulated {

struct LanePointers {
  std::array<std::byte*, kLanes> at;  // of active lanes; null where there is no such memory, which has been reported
};

// The lanes' addresses: the base register (`a`, of 4 bytes where kNarrowAddress is set) and the offset.
void addressesOf(Warp& warp, const Instruction& instruction, LaneAddresses& addresses);
void resolve(Warp& warp, const Instruction& instruction, LaneMask active, Access access, LanePointers& pointers);
// The same for addresses that are known, of another space or size than the instruction's.
void resolveAt(Warp& warp, const Instruction& instruction, LaneMask active, Access access, Space space, unsigned bytes,
               const LaneAddresses& addresses, LanePointers& pointers);

}  // namespace tessera::cuda::simulated
