// Profiles of several devices, or of several runs, as one. Used by backends/run_request.
#pragma once

#include <vector>

#include "core/profile/profile.h"

namespace tessera {

// Adds one run of a program on all its devices. Steps of the same place and name are one step; each device's threads
// are lanes of their own in the timeline; the run is as long as its longest device's.
void addDevices(Profile& into, std::vector<Profile> devices);

}  // namespace tessera
