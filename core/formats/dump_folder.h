// A folder that XLA dumped modules into (--xla_dump_to, `tessera opt --dump`): which modules, their passes in order,
// and the role of each file, all from the names of the files. No file is opened. Used by `tessera dump`, foreign_file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera {

enum class DumpRole : uint8_t {
  Pass,              // a module between two passes, numbered
  Stage,             // a module at a moment with a name: before_optimizations
  BufferAssignment,  // and its values
  LiveRange,
  MemoryReport,
  LlvmIr,
  Ptx,
  MachineCode,
  Mlir,
  Thunks,
  DebugOptions,
  Snapshot,
  Drawing,
  Other,
};

struct DumpFile {
  std::string name;
  DumpRole role = DumpRole::Other;
  std::string subject;  // of code: the kernel; of a stage: its name
  uint64_t bytes = 0;
};

struct DumpPass {
  int64_t number = 0;
  std::string pipeline, after, before;  // `before` is "" where a pass dumps its own steps
  std::vector<std::string> files;       // the same module as text, protobuf, …
};

struct DumpModule {
  int64_t id = 0;
  std::string name;              // "" where the files have none
  std::string prefix;            // before "module_": the time, if XLA was run with --xla_dump_include_timestamp
  std::vector<DumpPass> passes;  // by number
  std::vector<DumpFile> files;   // all, by name
};

struct DumpFolder {
  std::vector<DumpModule> modules;  // by prefix, id, name
  std::vector<std::string> others;  // files of no module
  size_t files = 0;
  std::vector<std::string> warnings;  // missing and duplicate numbers, symbolic links
};

// Symbolic links are left out: the folder may come from anywhere.
Result<DumpFolder> readDumpFolder(const std::filesystem::path& path);
// Is there a file in it that a dump of a module would have?
bool isDumpFolder(const std::filesystem::path& path);

// "buffer_assignment": the key of a role in JSON.
std::string_view nameOf(DumpRole role);

}  // namespace tessera
