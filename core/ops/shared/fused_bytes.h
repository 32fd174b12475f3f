// What a fusion reads and writes of memory: of its body only parameters and the root are there. Read by the fusion op's
// cost.
#pragma once

#include "core/ops/shared/op_cost.h"

namespace tessera {

double fusionBytes(const CostContext& fusion);

}  // namespace tessera
