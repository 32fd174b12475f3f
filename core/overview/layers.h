// How many layers a module has: parameters p['h'][0] … p['h'][11], numbered scopes, loops of which each trip has
// weights of its own; where none of these tells, equal blocks that multiply and update no parameter. Which loops run
// how often.
#pragma once

#include <vector>

#include "core/overview/overview.h"

namespace tessera {

// The largest families first; a family of one kind that another one holds is left out.
std::vector<Overview::Layers> layersOf(const Workload& work);
// Loops of known trips that are a substantial part of the cost; not those that make random bits and the like.
std::vector<Overview::Layers> loopsOf(const Workload& work);

}  // namespace tessera
