// Opening files: reads a file (plain, gz or zst), tells its format by content, gives Module and Diagnostics.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/descriptor.h"
#include "core/base/result.h"
#include "core/formats/hlo_text.h"
#include "core/formats/protobuf.h"

namespace tessera {

// Whole content; ErrorKind::Input with the reason for a directory, unreadable or missing file. gz and zst are unpacked.
Result<std::string> readFile(const std::filesystem::path& path);
// The same of a file that is open; the path is for messages.
Result<std::string> readFile(const Descriptor& file, const std::filesystem::path& path);
// Written to a temporary name beside it, synced and renamed; ErrorKind::Output with the reason.
Status writeFileAtomically(const std::filesystem::path& path, std::string_view content);

// readFile + the reader that the content asks for. An unreadable file is a diagnostic with ErrorKind::Input.
ReadResult readModule(const std::filesystem::path& path);
// The same of a file's content; the path is for messages.
ReadResult readModuleText(const std::string& text, const std::filesystem::path& path);
// The same with the values that an HloSnapshot brings.
ProtoContent readModuleWithValues(const std::filesystem::path& path);

}  // namespace tessera
