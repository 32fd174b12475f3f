// Opens what holds times: a file of any profiler, or a log folder with several hosts and runs. Used by `tessera
// profile` and the studio.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/profile/op_profile.h"

namespace tessera {

struct ProfileSelection {
  std::string host, run;  // of a log folder; "": all
};

// `given`: the module whose instructions are meant; null: those that the profile holds.
Result<OpProfile> readProfileSource(const std::filesystem::path& source, std::shared_ptr<const Module> given = nullptr,
                                    const ProfileSelection& selection = {});

}  // namespace tessera
