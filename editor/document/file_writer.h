// A document on its way to the disk: snapshots, which any thread writes. Used by DocumentFile.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/formats/project.h"
#include "core/hlo/module.h"

namespace tessera {

// What tells a file and its sidecar from what they become later: size and time of each.
using FileStamp = std::array<std::pair<std::uintmax_t, std::filesystem::file_time_type>, 2>;
FileStamp stampOf(const std::filesystem::path& file);

bool isProject(const std::filesystem::path& path);
// The content of a file of this name's ending: protobuf (.pb, .pbtxt) or HLO text.
Result<std::string> graphAs(const std::filesystem::path& path, const Module& module);

struct FileToWrite {
  std::filesystem::path path;
  Module module;
  Project project;
  bool graphStays = false;  // what is there holds this graph
};

// By the name's ending: a project (.tessera: graph and arrangement), or the graph, with what was arranged round it in a
// sidecar. Each file is whole or as it was before. Fails with the reason; the stamp is that of what was written.
Result<FileStamp> write(const FileToWrite& file);

}  // namespace tessera
