// See document_saver.h.
#include "app/studio/window/documents/document_saver.h"

#include <QAbstractButton>
#include <QDir>
#include <QFileInfo>
#include <QStatusBar>

#include "app/studio/window/documents/current_document.h"
#include "app/studio/window/documents/pane_area.h"
#include "editor/controllers/group_actions.h"
#include "editor/document/document.h"
#include "editor/document/recent_files.h"
#include "editor/panels/banner.h"
#include "editor/panels/save_dialog.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {
constexpr int kToldMs = 5000;
}

DocumentSaver::DocumentSaver(CurrentDocument& current, PaneArea& area, RecentFiles& recent, QStatusBar& status,
                             bool asks, QObject* parent)
    : QObject(parent), current_(current), area_(area), recent_(recent), status_(status), asks_(asks) {
  connect(&area_, &PaneArea::added, this, &DocumentSaver::connectPane);
}

QWidget* DocumentSaver::window() const { return area_.window(); }

void DocumentSaver::connectPane(DocumentPane& pane) {
  connect(&pane.groups(), &GroupActions::extracted, this, [this](const QString& path) {
    recent_.add(path);
    status_.showMessage(tr("Extracted to %1; stands under File › Open recent").arg(path), 6000);
  });
  if (pane.isTwin()) return;
  connect(&pane.document().file(), &DocumentFile::savingEnded, this,
          [this, &pane](const QString& path, const QString& why) { tellSaved(pane, path, why); });
}

// Examples of the program are there to be changed, but stay as they are: what was made of one becomes a file of the
// user's.
void DocumentSaver::save() {
  const DocumentFile& file = current_.document().file();
  const QString path = file.path().isEmpty() || file.isOfProgram() ? chosenPath() : file.path();
  if (path.isEmpty()) return;
  if (asks_ && file.wouldRewriteOthers()) {
    const auto answer = askToRewrite(QFileInfo(path).fileName());
    if (answer == QMessageBox::SaveAll) return saveAs();
    if (answer != QMessageBox::Save) return;
  }
  saveTo(path);
}

void DocumentSaver::saveAs() {
  if (const QString path = chosenPath(); !path.isEmpty()) saveTo(path);
}

QString DocumentSaver::chosenPath() const {
  const DocumentFile& file = current_.document().file();
  return askWhereToSave(window(), file.isOfProgram()      ? QDir::home().filePath(file.fileName())
                                  : file.path().isEmpty() ? file.fileName()
                                                          : file.path());
}

// Whoever goes on meanwhile hears of it when it is done.
void DocumentSaver::saveTo(const QString& path) {
  status_.showMessage(tr("Saving %1").arg(path));
  current_.document().file().startSaving(path);
}

void DocumentSaver::tellSaved(DocumentPane& pane, const QString& path, const QString& why) {
  if (!why.isEmpty()) {
    status_.clearMessage();
    const bool isCurrent = &current_.document() == &pane.document();
    return (isCurrent ? current_.banner() : pane.banner()).showMessage(why);
  }
  recent_.add(path);
  status_.showMessage(pane.document().file().savesSidecar(path)
                          ? tr("Saved %1; places, frames and notes to %1.tessera beside it").arg(path)
                          : tr("Saved %1").arg(path),
                      kToldMs);
  emit saved();
}

QMessageBox::StandardButton DocumentSaver::askToRewrite(const QString& name) {
  QMessageBox box(QMessageBox::Question, tr("Tessera"), asPlainText(tr("%1 was written by another program.").arg(name)),
                  QMessageBox::Save | QMessageBox::SaveAll | QMessageBox::Cancel, window());
  box.setInformativeText(tr(
      "Saving over it gives it the form that this program writes: comments and what only the other program knows go."));
  box.button(QMessageBox::Save)->setText(tr("Save over it"));
  box.button(QMessageBox::SaveAll)->setText(tr("Save as…"));
  box.setDefaultButton(QMessageBox::SaveAll);
  return static_cast<QMessageBox::StandardButton>(box.exec());
}

bool DocumentSaver::mayLoseChanges(DocumentPane& pane) {
  DocumentFile& file = pane.document().file();
  file.waitForSaving();
  if (!asks_ || !pane.hasUnsavedWork()) return true;
  current_.set(pane);
  const QString unsaved = asPlainText(tr("%1 has changes that are not saved.").arg(file.fileName()));
  const auto answer =
      QMessageBox::question(window(), tr("Tessera"), unsaved,
                            QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save);
  if (answer == QMessageBox::Save) save();
  file.waitForSaving();
  return answer == QMessageBox::Discard || (answer == QMessageBox::Save && !file.isModified());
}

}  // namespace tessera
