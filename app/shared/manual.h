// The location of the manual: chapters in Markdown with their pictures, installed beside the programs and made into the
// build folder. Used by `tessera help` and the studio's help.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera {

struct Chapter {
  std::string name;   // of its file, without .md
  std::string title;  // its first heading
};

// share/tessera/manual of the prefix in which the running program is; fails where it is not.
Result<std::filesystem::path> manualFolder();
// The contents ("index") first, the others by name.
Result<std::vector<Chapter>> manualChapters();
// A chapter's Markdown; ErrorKind::Usage where there is none of this name.
Result<std::string> manualChapter(std::string_view name);

}  // namespace tessera
