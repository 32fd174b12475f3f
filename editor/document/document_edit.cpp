// Edits of a Document: done on a copy by a worker, one after the other; undo and redo step between snapshots at once.
#include <utility>

#include "core/edit/splicing.h"
#include "core/formats/module_file.h"
#include "core/formats/protobuf.h"
#include "editor/document/document.h"
#include "editor/document/priorities.h"

namespace tessera {

void Document::perform(Edit edit, bool continues, InstructionId selects) {
  enqueue({std::move(edit), continues, selects});
}

void Document::enqueue(Waiting waiting) {
  if (!isOpen() || isPlainGraph()) return;
  // While somebody types faster than inference answers, only the last text matters.
  if (waiting.continues && !edits_.empty() && edits_.back().continues) edits_.pop_back();
  edits_.push_back(std::move(waiting));
  if (!editing_) startNextEdit();
}

void Document::startNextEdit() {
  while (!edits_.empty() && (edits_.front().change || edits_.front().settings)) {
    const Waiting waiting = std::move(edits_.front());
    edits_.erase(edits_.begin());
    changePage(waiting);
  }
  if (edits_.empty()) return;
  auto [edit, continues, selects, change, computation, settings] = std::move(edits_.front());
  edits_.erase(edits_.begin());
  editing_ = true;
  startForModule(kEditing, [this, history = *history_, edit = std::move(edit), continues, selects]() mutable -> Answer {
    if (continues && history.canUndo() && history.undoTitle() == edit.title) history.undo();
    auto result = history.perform(edit);
    return [this, history = std::move(history), result = std::move(result), selects] {
      editing_ = false;
      if (result) {
        dispose(std::move(history_));
        history_ = history;
        leaveRemovedComputation();
        takeProject();
        moduleReplaced();
        const uint32_t made = selects.valid() && selects.value >= kNewInstruction ? selects.value - kNewInstruction : InstructionId::kInvalid;
        if (made < result->added.size()) select({result->added[made]});
        else if (selects.valid()) select({selects});
        else if (!result->added.empty()) select({result->added.back()});
        setDiagnostics(result->diagnostics);
      } else {
        emit failed(QString::fromStdString(result.error().toString()), result.error().fault);
      }
      startNextEdit();
    };
  });
}

// A computation that came with a step goes with its undo: what is asked of the one that is shown is asked of the entry then.
void Document::leaveRemovedComputation() {
  if (module().contains(scene_.computation)) return;
  scene_.computation = module().entry();
  scene_.options = {};
}

void Document::moduleReplaced() {
  ++revision_;
  dispose(std::exchange(scenes_, newScenes()));
  std::erase_if(selection_, [&](InstructionId id) { return !module().contains(id); });
  dispose(std::move(outcome_));
  outcome_.reset();
  overlay_.reset();
  emit moduleChanged();
  emit outcomeChanged();
  arrangeAgain(true);
  printInBackground();
  evaluateInBackground();
}

void Document::undo() {
  if (!canUndo() || editing_) return;
  const uint64_t graph = history_->graph();
  history_->undo();
  stepTaken(graph);
}

void Document::redo() {
  if (!canRedo() || editing_) return;
  const uint64_t graph = history_->graph();
  history_->redo();
  stepTaken(graph);
}

// A step that only arranged leaves values and the last run alone.
void Document::stepTaken(uint64_t graphBefore) {
  leaveRemovedComputation();
  takeProject();
  if (history_->graph() == graphBefore) return pageReplaced();
  moduleReplaced();
  verifyInBackground();
}

namespace {

Result<std::string> graphAs(const std::filesystem::path& path, const Module& module) {
  const std::string ending = path.extension().string();
  if (ending == ".pb" || ending == ".pbtxt") return writeProto(module, {ProtoMessage::HloModule, ending == ".pbtxt", nullptr});
  return printHloText(module);
}

}  // namespace

bool Document::savesSidecar(const QString& path) const {
  return std::filesystem::path(path.toStdString()).extension() != ".tessera" && project_.arranged();
}

Status Document::save(const QString& path) {
  if (isPlainGraph()) return fail("a Graphviz file is a picture: there is no graph of operations to save");
  const std::filesystem::path file = path.toStdString();
  rememberPage();
  if (file.extension() == ".tessera") {
    Project project = project_;
    project.graphFile.clear();  // the graph moves in
    TESSERA_TRY(writeFileAtomically(file, printProject(project, &module())));
  } else {
    TESSERA_ASSIGN_OR_RETURN(const std::string content, graphAs(file, module()));
    TESSERA_TRY(writeFileAtomically(file, content));
  }
  if (savesSidecar(path)) {
    Project sidecar = project_;
    sidecar.graphFile = file.filename().string();
    TESSERA_TRY(writeFileAtomically(sidecarOf(file), printProject(sidecar, nullptr)));
  }
  path_ = path;
  savedState_ = history_->state();
  emit moduleChanged();
  return {};
}

Status Document::exportSvg(const QString& path, Theme theme) const {
  return writeFileAtomically(path.toStdString(), toSvg(*scene_.picture, theme));
}

}  // namespace tessera
