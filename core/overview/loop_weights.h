// Whether the trips of a loop are layers: whether each multiplies by weights of its own, slices of arrays that the loop
// leaves alone, as jax's scan over layers does; or all by the same, as a recurrent cell or a sampler's steps do.
#pragma once

#include "core/hlo/module.h"

namespace tessera {

// Of a while. True where every product of its body, calls and fusions included, that reads a weight reads a slice of
// it, and there is one. Weights are what the loop leaves alone and no product, lookup or loop computed before it. The
// bodies of inner loops are not looked into.
bool hasWeightsOfItsOwn(const Module& module, const Instruction& loop);

}  // namespace tessera
