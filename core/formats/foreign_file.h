// Files that hold no module and that people open beside modules: profiles, intermediate code, bytecode. Told apart by
// content, so that an error can name the kind of file and the command that opens it. Used by module_file, core/profile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

enum class ForeignKind : uint8_t {
  Xplane,        // XLA's profile, tsl/profiler/protobuf/xplane.proto
  ChromeTrace,   // trace events as JSON, of any program
  RunProfile,    // of `tessera run --profile`
  ProfileTable,  // of `tessera profile --json`
  Json,          // any other
  Sqlite,        // Nsight Systems exports one
  MlirBytecode,
  LlvmIr,
  LlvmBitcode,
  Ptx,
  ObjectFile,
  ZipArchive,
  Zeros,
};

// nullopt: none of these. Looks at the first 64 KiB.
std::optional<ForeignKind> foreignKindOf(std::string_view content);
// "an XLA profile (xplane.pb)": what it is.
std::string_view nameOf(ForeignKind kind);
// "`tessera profile` lists its times …": what can be done with it.
std::string_view adviceFor(ForeignKind kind);

// The same of a folder: a dump, a log folder of profiles, or neither. nullopt: the path is no folder.
std::optional<std::string> whatFolderIs(const std::filesystem::path& path);

// Is there an xplane.pb in the folder or below? Looks at its first 10,000 files.
bool holdsProfiles(const std::filesystem::path& folder);

}  // namespace tessera
