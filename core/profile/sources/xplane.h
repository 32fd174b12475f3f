// XLA's profiles: an XSpace of planes (devices, hosts), lines (threads, streams) and events, with the modules that ran
// inside. Used by profile_source; fuzzed by tests/fuzz/fuzz_xplane.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/profile/sources/recorded.h"

namespace tessera {

// Of a file that is cut or damaged, what could be read, with a warning; an error where there is no plane at all.
Result<Recorded> readXplane(std::string_view content, const std::string& fileName = {}, bool keepsLines = false);

}  // namespace tessera
