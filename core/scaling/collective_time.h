// How long a collective takes over given links, by the usual model: a latency a step and the bytes that the slowest
// link carries, of the best of the known algorithms. A group over several nodes goes through the nodes first and then
// between them. Used by prediction.
#pragma once

#include "core/scaling/links.h"

namespace tessera {

enum class Movement : uint8_t { AllReduce, AllGather, ReduceScatter, AllToAll, Permute, Broadcast };

// Devices of a group: how many in a node, and how many nodes.
struct GroupExtent {
  int64_t inner = 1, outer = 1;
  int64_t count() const { return inner * outer; }
};

// bytes: of the whole array that is reduced, gathered, scattered or exchanged by a device, or of what it sends.
double secondsOf(Movement movement, double bytes, const GroupExtent& group, const Links& links);
// Of devices that one tier connects.
double secondsOf(Movement movement, double bytes, int64_t devices, const LinkTier& tier);

}  // namespace tessera
