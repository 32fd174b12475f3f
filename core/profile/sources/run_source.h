// The file of `tessera run --profile` as an OpProfile: its steps, or, with the module that ran, the instructions of
// that module with their shares. Used by profile_source.
#pragma once

#include <memory>
#include <optional>

#include "core/profile/op_profile.h"

namespace tessera {

OpProfile fromRun(const Profile& profile, std::shared_ptr<const Module> given);

// Of a run of ours of several runs what the median one took, so that a run that was preempted does not put what it met
// in front; least, median and quantiles stay those of all. nullopt: it is none.
std::optional<OpProfile> medianRunOf(const OpProfile& profile);

}  // namespace tessera
