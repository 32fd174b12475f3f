// The graph goes to the file that is named, what was arranged round it into a project or a sidecar. A sidecar that
// cannot be read (of a newer version, say) is never written over.
#include "editor/document/file_writer.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/safe_files.h"
#include "core/formats/hlo_text.h"
#include "core/formats/module_file.h"
#include "core/formats/protobuf.h"

namespace tessera {
namespace {

// Endings that promise something else than what is written here.
Status checkEnding(const std::filesystem::path& path) {
  constexpr std::array kOthers{".gz", ".zst", ".mlir", ".dot", ".gv", ".svg", ".png", ".npy", ".npz", ".json"};
  const std::string ending = path.extension().string();
  if (std::ranges::find(kOthers, ending) == kOthers.end()) return {};
  return fail({.kind = ErrorKind::Output,
               .message = "a graph is not saved as " + ending,
               .expected = ".hlo, .txt, .pb, .pbtxt or .tessera",
               .found = ending,
               .file = path.string()});
}

// A file that nobody may write to is to stay as it is, though its folder lets another one take its place.
Status checkPermission(const std::filesystem::path& path) {
  using std::filesystem::perms;
  std::error_code error;
  const std::filesystem::file_status there = std::filesystem::status(path, error);
  constexpr perms kWrite = perms::owner_write | perms::group_write | perms::others_write;
  if (error || !std::filesystem::is_regular_file(there) || (there.permissions() & kWrite) != perms::none) return {};
  return fail({.kind = ErrorKind::Output,
               .message = "is read-only: save under another name, or allow writing to it",
               .file = path.string()});
}

Status checkSidecar(const std::filesystem::path& graph) {
  const auto there = readArrangement(graph);
  if (there) return {};
  Diagnostic d = there.error();
  d.message =
      "the places and notes in " + sidecarOf(graph).filename().string() +
      " do not read and are not written over: move that file away, or save under another name. It says: " + d.message;
  d.kind = ErrorKind::Output;
  return fail(std::move(d));
}

// Nobody named the sidecar: where it is a symbolic link, what that leads to is not written over.
Status writeSidecar(const std::filesystem::path& graph, const std::string& content) {
  std::error_code error;
  const std::filesystem::path folder =
      std::filesystem::weakly_canonical(std::filesystem::absolute(graph).parent_path(), error);
  const std::filesystem::path sidecar = folder / sidecarOf(graph).filename();
  const auto written = writeWithoutLinks(sidecar, content);
  if (written) return {};
  return fail({.kind = ErrorKind::Output,
               .message = std::string("cannot be written: ") + std::strerror(written.error()),
               .file = sidecar.string()});
}

Status writeGraph(const FileToWrite& file) {
  TESSERA_ASSIGN_OR_RETURN(const std::string content, graphAs(file.path, file.module));
  return writeFileAtomically(file.path, content);
}

Status writeProject(const FileToWrite& file) {
  Project project = file.project;
  project.graphFile.clear();  // the graph moves in
  return writeFileAtomically(file.path, printProject(project, &file.module));
}

Status writeArrangement(const FileToWrite& file) {
  Project sidecar = file.project;
  sidecar.graphFile = file.path.filename().string();
  return writeSidecar(file.path, printProject(sidecar, nullptr));
}

}  // namespace

FileStamp stampOf(const std::filesystem::path& file) {
  FileStamp out{};
  std::error_code ignored;
  for (size_t i = 0; i < out.size(); ++i) {
    const std::filesystem::path each = i ? sidecarOf(file) : file;
    out[i] = {std::filesystem::file_size(each, ignored), std::filesystem::last_write_time(each, ignored)};
  }
  return out;
}

Result<std::string> graphAs(const std::filesystem::path& path, const Module& module) {
  const std::string ending = path.extension().string();
  if (ending == ".pb" || ending == ".pbtxt")
    return writeProto(module, {ProtoMessage::HloModule, ending == ".pbtxt", nullptr});
  return printHloText(module);
}

bool isProject(const std::filesystem::path& path) { return path.extension() == ".tessera"; }

Result<FileStamp> write(const FileToWrite& file) {
  const bool alone = isProject(file.path), arranged = !alone && file.project.arranged();
  if (alone || !file.graphStays) {
    TESSERA_TRY(checkEnding(file.path));
    TESSERA_TRY(checkPermission(file.path));
  }
  if (arranged) TESSERA_TRY(checkSidecar(file.path));
  if (alone)
    TESSERA_TRY(writeProject(file));
  else if (!file.graphStays)
    TESSERA_TRY(writeGraph(file));
  // What was arranged once and is not any more goes from the sidecar too.
  if (arranged || (!alone && std::filesystem::exists(sidecarOf(file.path)) && readArrangement(file.path)))
    TESSERA_TRY(writeArrangement(file));
  return stampOf(file.path);
}

}  // namespace tessera
