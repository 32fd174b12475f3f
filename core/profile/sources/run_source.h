// The file of `tessera run --profile` as an OpProfile: its steps, or, with the module that ran, the instructions of
// that module with their shares. Used by profile_source.
#pragma once

#include <memory>

#include "core/profile/op_profile.h"

namespace tessera {

OpProfile fromRun(const Profile& profile, std::shared_ptr<const Module> given);

}  // namespace tessera
