// One device of a run measured without the others: its own work, whatever the exchanges would give. Used by
// `tessera scale`.
#pragma once

#include "backends/run_request.h"

namespace tessera {

struct AloneProfile {
  DeviceGrid grid;
  Module optimized;  // what the profile's steps are of
  Profile profile;   // of the quickest run
};
// Of device 0, with request.profiledRuns runs after one that warms up.
Result<AloneProfile> profileAlone(const Module& module, const RunRequest& request);

}  // namespace tessera
