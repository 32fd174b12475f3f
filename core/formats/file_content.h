// Whole files: their content with gz and zst unpacked, and writing that never leaves half a file.
// Used by module_file, project, npz, and whatever writes a file that a user keeps.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/descriptor.h"
#include "core/base/result.h"

namespace tessera {

// Whole content; ErrorKind::Input with the reason for a directory, unreadable or missing file. gz and zst are unpacked.
Result<std::string> readFile(const std::filesystem::path& path);
// The same of a file that is open; the path is for messages.
Result<std::string> readFile(const Descriptor& file, const std::filesystem::path& path);
// The same for a file that another file names, or a sidecar: inside the folder, not through a symbolic link.
Result<std::string> readFileBeneath(const std::filesystem::path& folder, const std::filesystem::path& name);
bool isPacked(std::string_view content);  // gzip or zstd
// The first 64 KiB, not unpacked; "" for an empty file and for what reading would consume (a pipe).
std::string firstBytesOf(const std::filesystem::path& path);
// Written to a temporary name beside it, synced and renamed; ErrorKind::Output with the reason.
Status writeFileAtomically(const std::filesystem::path& path, std::string_view content);

}  // namespace tessera
