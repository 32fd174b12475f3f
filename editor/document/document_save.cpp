// Saving a Document. The graph goes to the file that is named, what was arranged round it into a project or a sidecar.
// A file of another program is written only when its graph was changed, and the window asks first; a sidecar that does
// not read (of a newer version, say) is never written over.
#include <QFileInfo>
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/base/safe_files.h"
#include "core/formats/module_file.h"
#include "core/formats/protobuf.h"
#include "editor/document/document.h"

namespace tessera {
namespace {

Result<std::string> graphAs(const std::filesystem::path& path, const Module& module) {
  const std::string ending = path.extension().string();
  if (ending == ".pb" || ending == ".pbtxt")
    return writeProto(module, {ProtoMessage::HloModule, ending == ".pbtxt", nullptr});
  return printHloText(module);
}

bool isProject(const std::filesystem::path& path) { return path.extension() == ".tessera"; }

// Endings that promise something else than what is written here.
Status checkEnding(const std::filesystem::path& path) {
  constexpr std::array kOthers{".gz", ".zst", ".mlir", ".dot", ".gv", ".svg", ".png", ".npy", ".npz", ".json"};
  const std::string ending = path.extension().string();
  if (std::ranges::find(kOthers, ending) == kOthers.end()) return {};
  Diagnostic d;
  d.kind = ErrorKind::Output;
  d.file = path.string();
  d.message = "a graph is not saved as " + ending;
  d.expected = ".hlo, .txt, .pb, .pbtxt or .tessera";
  d.found = ending;
  return fail(std::move(d));
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

bool isThere(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// Nobody named the sidecar: where it is a symbolic link, what that leads to is not written over.
Status writeSidecar(const std::filesystem::path& graph, const std::string& content) {
  std::error_code error;
  const std::filesystem::path folder =
      std::filesystem::weakly_canonical(std::filesystem::absolute(graph).parent_path(), error);
  const std::filesystem::path sidecar = folder / sidecarOf(graph).filename();
  const auto written = writeWithoutLinks(sidecar, content);
  if (written) return {};
  Diagnostic d;
  d.kind = ErrorKind::Output;
  d.file = sidecar.string();
  d.message = std::string("cannot be written: ") + std::strerror(written.error());
  return fail(std::move(d));
}

}  // namespace

bool Document::savesSidecar(const QString& path) const { return !isProject(path.toStdString()) && project_.arranged(); }

bool Document::isOfProgram() const { return !path_.isEmpty() && QFileInfo(path_).canonicalPath() == programFolder_; }

// The graph on the disk is the one that stands here.
bool Document::holdsGraph(const std::filesystem::path& file) const {
  return !path_.isEmpty() && file == std::filesystem::path(path_.toStdString()) && history_->graph() == savedGraph_ &&
         isThere(file);
}

bool Document::wouldRewriteOthers() const {
  const std::filesystem::path file = path_.toStdString();
  if (!isOpen() || path_.isEmpty() || ownFile_ || isProject(file) || holdsGraph(file) || !isThere(file)) return false;
  const auto content = readFile(file);
  const ReadResult read = readModule(file);
  const auto ours = read.module ? graphAs(file, *read.module) : fail("");
  return !content || !ours || *ours != *content;
}

Status Document::save(const QString& path) {
  if (isPlainGraph()) return fail("a Graphviz file is a picture: there is no graph of operations to save");
  const std::filesystem::path file = path.toStdString();
  const bool beside = savesSidecar(path), stays = !isProject(file) && holdsGraph(file);
  if (!stays) TESSERA_TRY(checkEnding(file));
  if (beside) TESSERA_TRY(checkSidecar(file));
  rememberPage();
  if (isProject(file)) {
    Project project = project_;
    project.graphFile.clear();  // the graph moves in
    TESSERA_TRY(writeFileAtomically(file, printProject(project, &module())));
  } else if (!stays) {
    TESSERA_ASSIGN_OR_RETURN(const std::string content, graphAs(file, module()));
    TESSERA_TRY(writeFileAtomically(file, content));
    ownFile_ = true;
  }
  // What was arranged once and is not any more goes from the sidecar too.
  if (beside || (!isProject(file) && isThere(sidecarOf(file)) && readArrangement(file))) {
    Project sidecar = project_;
    sidecar.graphFile = file.filename().string();
    TESSERA_TRY(writeSidecar(file, printProject(sidecar, nullptr)));
  }
  files_.save(std::filesystem::absolute(file).parent_path(), module(), project_.run);
  path_ = path;
  savedState_ = history_->state();
  savedGraph_ = history_->graph();
  emit moduleChanged();
  return {};
}

Status Document::exportSvg(const QString& path, Theme theme) const {
  return writeFileAtomically(path.toStdString(), toSvg(*scene_.picture, theme));
}

}  // namespace tessera
