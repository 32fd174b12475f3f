// Finding the source files that a module names. They are looked for below folders that the user names and nowhere else:
// a module may come from an untrusted source. Used by the studio's source panel.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tessera {

struct SourceFile {
  std::filesystem::path path;
  std::string text;
};

// `recorded`: the path as the machine had it that wrote the module, "/home/a/b/model.py". The folder that holds the
// most of its end is taken: b/model.py before model.py. ErrorKind::Input lists the folders searched.
Result<SourceFile> findSourceFile(std::string_view recorded, std::span<const std::filesystem::path> folders);

}  // namespace tessera
