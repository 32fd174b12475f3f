// From what profilers recorded to the instructions of modules: by program id, module name and instruction name. Time
// that lands nowhere is kept, with the reason. Used by profile_source.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/profile/op_profile.h"
#include "core/profile/sources/recorded.h"

namespace tessera {

// One file after the other, of several hosts and runs, into one profile. `given`: the module whose instructions are
// meant, in place of those that the profiles hold; null: theirs, and where they hold none, the names of the events.
OpProfile matchProfiles(std::vector<Recorded> recorded, std::shared_ptr<const Module> given);

}  // namespace tessera
