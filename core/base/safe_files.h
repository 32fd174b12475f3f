// Files whose names do not come from the user: names in a project file, or in folders that other users can write. Paths
// are walked one component at a time by descriptor, and no component may be a symbolic link, so that nothing can be
// swapped between a check and its use. Used by core/formats, core/trust and the kernel cache.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/base/descriptor.h"

namespace tessera {

// What failed is an errno value. EXDEV: the name leads out of its folder; ELOOP: a component is a symbolic link.
template <class T>
using SystemResult = std::expected<T, int>;

// A regular file for reading, in the folder or below it. "a/../b" is b.
SystemResult<Descriptor> openBeneath(const std::filesystem::path& folder, const std::filesystem::path& name);
// The same of an absolute path.
SystemResult<Descriptor> openWithoutLinks(const std::filesystem::path& path);
// Whole or not at all: a temporary file beside it takes its place. An existing file must be a regular one.
SystemResult<void> writeWithoutLinks(const std::filesystem::path& path, std::string_view content);

// A folder that this user alone can write, made when it is not there. Its parents belong to this user or to root, and
// others can write them only where the sticky bit keeps them from renaming what is not theirs. EPERM: it is not so.
SystemResult<Descriptor> openPrivateFolder(const std::filesystem::path& folder);
// A regular file of this user that no other can write. readableByOthers false: nor read.
bool isPrivateFile(int descriptor, bool readableByOthers);

// $XDG_CONFIG_HOME/tessera or ~/.config/tessera; empty where there is no home.
std::filesystem::path userConfigFolder();
// Random bytes under this name in userConfigFolder(), which only this user can read; made at the first use. Absent
// where they cannot be kept.
using UserKey = std::array<uint8_t, 32>;
std::optional<UserKey> userKey(const std::string& name);

}  // namespace tessera
