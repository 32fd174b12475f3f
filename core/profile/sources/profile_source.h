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
  bool timeline = false;  // events stay, as OpProfile::timeline
};

// By the first bytes of a file, or its name where it is packed or a table; by the files in a folder.
bool looksLikeProfile(const std::filesystem::path& source);

// `given`: the module whose instructions are meant; null: those that the profile holds.
Result<OpProfile> readProfileSource(const std::filesystem::path& source, std::shared_ptr<const Module> given = nullptr,
                                    const ProfileSelection& selection = {});

// The times of a module's instructions as overlays and findings read them; an error where none lands on the module. A
// profile of `tessera run` comes back as it was written.
Result<Profile> readProfileFor(const Module& module, const std::filesystem::path& source);

}  // namespace tessera
