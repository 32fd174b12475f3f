// Blocks of a stack whose shapes differ from those of the others. Used by
// the outline, after groups have their names.
#pragma once

#include "core/arrange/outline.h"

namespace tessera {

// Notes of members whose results have other shapes than those of three quarters of their stack, and of the stack.
void noteOutliers(const Module& module, const Computation& computation, const std::vector<bool>& hubs,
                  Outline& outline);

}  // namespace tessera
