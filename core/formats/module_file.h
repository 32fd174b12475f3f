// Opening files: reads a file (plain, gz or zst), recognises its format by content, gives Module and Diagnostics.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/formats/file_content.h"
#include "core/formats/hlo_text.h"
#include "core/formats/protobuf.h"

namespace tessera {

// readFile + the reader for the content's format. An unreadable file is a diagnostic with ErrorKind::Input.
ReadResult readModule(const std::filesystem::path& path);
// The same of a file's content; the path is for messages.
ReadResult readModuleText(const std::string& text, const std::filesystem::path& path);
// The same with the values that an HloSnapshot brings.
ProtoContent readModuleWithValues(const std::filesystem::path& path);
// The module of a project file, with positions of the file in its diagnostics. A graph file is read from beside `path`.
ReadResult readProjectModule(std::string_view content, const std::filesystem::path& path);

}  // namespace tessera
