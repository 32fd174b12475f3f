// What `findings` and `overview` share.
#pragma once

#include <optional>
#include <string>

#include "app/cli/command.h"
#include "core/overview/findings.h"

namespace tessera::cli {

// Of a run of the module; nothing when no file is named. Fails for the profile of another module.
Result<std::optional<Profile>> profileFor(const Module& module, const std::string& file);

// Into the object's "findings", and as lines.
void tellFindings(const Workload& work, Report& report);

}  // namespace tessera::cli
