// The manual as HTML: a page a chapter with its pictures. Used by `tessera help --html`.
#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace tessera::cli {

Status writeManual(const std::filesystem::path& folder);

}  // namespace tessera::cli
