// A file that may be truncated, for readers that show the part before the cut. Used by core/profile.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace tessera {

struct CutContent {
  std::string bytes;
  bool cut = false;  // the packed data (gz, zst) end too early: these are the bytes before
};
// As readFile, but packed data may end too early.
Result<CutContent> readCutFile(const std::filesystem::path& path);

}  // namespace tessera
