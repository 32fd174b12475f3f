// Nsight Systems' SQLite export (`nsys export --type=sqlite`): kernels, copies, and the NVTX ranges with which XLA
// names the instruction that launched them. Used by profile_source.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/profile/sources/recorded.h"

namespace tessera {

Result<Recorded> readNsight(const std::string& content, const std::string& fileName = {}, bool keepsLines = false);

}  // namespace tessera
