// How many layers a module has: parameters p['h'][0] … p['h'][11], numbered scopes, or a loop of so many trips.
#pragma once

#include <vector>

#include "core/overview/overview.h"

namespace tessera {

// The largest families first; a family of one kind that another one holds is left out.
std::vector<Overview::Layers> layersOf(const Workload& work);

}  // namespace tessera
