// Edits of a Document: done on a copy by a worker, one after the other; undo and redo step between snapshots at once.
#include <utility>

#include "core/formats/module_file.h"
#include "editor/document/document.h"
#include "editor/document/priorities.h"

namespace tessera {

void Document::perform(Edit edit, bool continues) {
  if (!isOpen()) return;
  // While somebody types faster than inference answers, only the last text matters.
  if (continues && !edits_.empty() && edits_.back().second) edits_.pop_back();
  edits_.emplace_back(std::move(edit), continues);
  if (!editing_) startNextEdit();
}

void Document::startNextEdit() {
  if (edits_.empty()) return;
  auto [edit, continues] = std::move(edits_.front());
  edits_.erase(edits_.begin());
  editing_ = true;
  startForModule(kEditing, [this, history = *history_, edit = std::move(edit), continues]() mutable -> Answer {
    if (continues && history.canUndo() && history.undoTitle() == edit.title) history.undo();
    auto result = history.perform(edit);
    return [this, history = std::move(history), result = std::move(result)] {
      editing_ = false;
      if (result) {
        dispose(std::move(history_));
        history_ = history;
        modified_ = true;
        moduleReplaced();
        setDiagnostics(result->diagnostics);
      } else {
        emit failed(QString::fromStdString(result.error().toString()), result.error().fault);
      }
      startNextEdit();
    };
  });
}

void Document::moduleReplaced() {
  ++revision_;
  dispose(std::exchange(scenes_, std::make_shared<SceneMaker>(module())));
  std::erase_if(selection_, [&](InstructionId id) { return !module().contains(id); });
  dispose(std::move(outcome_));
  outcome_.reset();
  overlay_.reset();
  emit moduleChanged();
  emit outcomeChanged();
  arrangeAgain(true);
  printInBackground();
}

void Document::undo() {
  if (!canUndo() || editing_) return;
  history_->undo();
  modified_ = true;
  moduleReplaced();
  verifyInBackground();
}

void Document::redo() {
  if (!canRedo() || editing_) return;
  history_->redo();
  modified_ = true;
  moduleReplaced();
  verifyInBackground();
}

Status Document::save(const QString& path) {
  TESSERA_TRY(writeFileAtomically(path.toStdString(), printHloText(module())));
  path_ = path;
  modified_ = false;
  emit moduleChanged();
  return {};
}

Status Document::exportSvg(const QString& path, Theme theme) const {
  return writeFileAtomically(path.toStdString(), toSvg(*scene_.picture, theme));
}

}  // namespace tessera
