// Reshapes between arrays that are cut: runs of dimensions of equal size on both sides keep the cuts of their major
// dimensions.
#pragma once

#include "core/passes/partition/cut.h"

namespace tessera::partition {

struct ReshapedSharding {
  ArraySharding from, to;  // from: without the cuts that `to` cannot have
};

// What becomes of the sharding of an array of the dimensions `from` that is reshaped to those of `to`.
ReshapedSharding reshapeSharding(const Shape& from, const Shape& to, const ArraySharding& sharding);

}  // namespace tessera::partition
