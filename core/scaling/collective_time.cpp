// See collective_time.h. n bytes, p devices, a latency of L and B bytes a second.
#include "core/scaling/collective_time.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tessera {
namespace {

double stepsOf(int64_t devices) { return static_cast<double>(std::bit_width(static_cast<uint64_t>(devices - 1))); }

// A switch carries what all devices send at once.
double throughSwitch(Movement movement, double n, int64_t devices, const LinkTier& tier) {
  const auto p = static_cast<double>(devices);
  const double L = tier.seconds, transfer = n / tier.bytesPerSecond, steps = stepsOf(devices), share = (p - 1) / p;
  const double halving = steps * L + share * transfer;
  switch (movement) {
    case Movement::AllGather:
    case Movement::ReduceScatter: return halving;
    case Movement::AllReduce: return std::min(2 * halving, steps * (L + transfer));
    // Pairs, one after the other, or log p rounds of half of the array each.
    case Movement::AllToAll: return std::min((p - 1) * L + share * transfer, steps * (L + transfer / 2));
    case Movement::Permute: return L + transfer;
    case Movement::Broadcast: return steps * L + transfer;
  }
  return 0;
}

// k devices along each of `rank` dimensions, and a link each way between neighbours, the ends joined.
double throughTorus(Movement movement, double n, int64_t devices, int rank, const LinkTier& tier) {
  const auto p = static_cast<double>(devices);
  const double k = std::max(2.0, std::ceil(std::pow(p, 1.0 / rank) - 1e-9));
  const double delay = rank * std::floor(k / 2) * tier.seconds, transfer = n / tier.bytesPerSecond;
  const double gather = delay + (p - 1) / p * transfer / (2 * rank);
  switch (movement) {
    case Movement::AllGather:
    case Movement::ReduceScatter: return gather;
    case Movement::AllReduce: return 2 * gather;
    case Movement::AllToAll: return delay + transfer * std::max(k / 8, (p - 1) / p / (2 * rank));
    case Movement::Permute: return tier.seconds + transfer;
    case Movement::Broadcast: return delay + transfer / rank;
  }
  return 0;
}

}  // namespace

double secondsOf(Movement movement, double bytes, int64_t devices, const LinkTier& tier) {
  if (devices < 2) return 0;
  switch (tier.topology) {
    case Topology::Switch: return throughSwitch(movement, bytes, devices, tier);
    case Topology::Torus2: return throughTorus(movement, bytes, devices, 2, tier);
    case Topology::Torus3: return throughTorus(movement, bytes, devices, 3, tier);
  }
  return 0;
}

double secondsOf(Movement movement, double bytes, const GroupExtent& group, const Links& links) {
  const double share = bytes / static_cast<double>(group.inner);
  const auto inside = [&](Movement each, double n) { return secondsOf(each, n, group.inner, links.inner); };
  const auto between = [&](Movement each, double n) { return secondsOf(each, n, group.outer, links.outer); };
  switch (movement) {
    case Movement::AllReduce:
      return inside(Movement::ReduceScatter, bytes) + between(Movement::AllReduce, share) +
             inside(Movement::AllGather, bytes);
    // Each device of a node gets its share from the other nodes, then the node shares.
    case Movement::AllGather:
    case Movement::ReduceScatter: return between(movement, share) + inside(movement, bytes);
    case Movement::AllToAll:
      return between(movement, bytes) + inside(movement, bytes / static_cast<double>(group.outer));
    case Movement::Permute: return group.outer > 1 ? between(movement, bytes) : inside(movement, bytes);
    case Movement::Broadcast: return between(movement, bytes) + inside(movement, bytes);
  }
  return 0;
}

}  // namespace tessera
