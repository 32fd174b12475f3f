// How PassesPanel gets its film: whose passes they are, and the workers that run them or read a folder. See
// passes_panel.h.
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTreeWidget>

#include "core/edit/wiring/splicing.h"
#include "core/ops/inference/infer.h"
#include "core/tools/passes/pass_film.h"
#include "editor/canvas/canvas.h"
#include "editor/document/document.h"
#include "editor/panels/compiler/pass_strip.h"
#include "editor/panels/compiler/passes_panel.h"

namespace tessera {
namespace {

Status isRunnable(const Module& module) {
  const Diagnostics found = verify(module);
  for (const Diagnostic& each : found.items())
    if (each.severity == Severity::Error) return std::unexpected(each);
  return {};
}

Result<PassFilm> filmOf(const std::shared_ptr<const Module>& module, const QString& folder, const QString& file,
                        const std::atomic<bool>& cancel) {
  if (!module) {
    TESSERA_ASSIGN_OR_RETURN(PassTrail trail, PassTrail::ofFolder(folder.toStdString(), file.toStdString()));
    return PassFilm(std::move(trail));
  }
  TESSERA_TRY(isRunnable(*module));
  TESSERA_ASSIGN_OR_RETURN(PassTrail trail, PassTrail::ofPipeline(*module, {}, &cancel));
  return PassFilm(std::move(trail));
}

}  // namespace

void PassesPanel::listSources() {
  const QString path = document_.file().path();
  const QString beside = path.isEmpty() ? QString() : QFileInfo(path).absolutePath();
  const bool isDump = !beside.isEmpty() && isDumpFolder(beside.toStdString());
  if (!chosen_) from_ = isDump ? kBeside : kOwn;
  source_->clear();
  source_->addItem(tr("Our passes over this graph"), kOwn);
  if (isDump) source_->addItem(tr("The dump that this file is of"), kBeside);
  if (!folder_.isEmpty()) source_->addItem(QFileInfo(folder_).fileName(), kFolder);
  source_->addItem(tr("A dump folder …"), -1);
  source_->setCurrentIndex(std::max(0, source_->findData(from_)));
}

void PassesPanel::chooseSource(int index) {
  const int wanted = source_->itemData(index).toInt();
  if (wanted < 0) {
    const QString folder = QFileDialog::getExistingDirectory(this, tr("A folder that XLA dumped into"));
    if (folder.isEmpty()) return listSources();
    return openFolder(folder);
  }
  chosen_ = true;
  from_ = static_cast<Source>(wanted);
  forget();
}

void PassesPanel::openFolder(const QString& folder) {
  folder_ = folder;
  from_ = kFolder;
  chosen_ = true;
  listSources();
  forget();
}

void PassesPanel::forget() {
  if (cancel_) *cancel_ = true;
  cancel_.reset();
  film_.reset();
  frame_.reset();
  trouble_.clear();
  notes_.clear();
  fits_ = true;
  ++filmRequest_;
  emit filmingChanged();
  ++*wanted_;
  clearHistory();
  strip_->setMoments({});
  changes_->clear();
  text_->clear();
  showWords();
  if (isVisible()) {
    listSources();
    start();
  }
}

// What was asked for begins again when the panel is shown anew, or another source is chosen.
void PassesPanel::cancelFilming() {
  if (!cancel_) return;
  *cancel_ = true;
  cancel_.reset();
  ++filmRequest_;
  trouble_ = tr("Cancelled");
  showWords();
  emit filmingChanged();
}

void PassesPanel::start() {
  const QString path = document_.file().path();
  if (from_ != kFolder && (!document_.isOpen() || document_.isPlainGraph())) return showWords();
  std::shared_ptr<const Module> module;
  if (from_ == kOwn) module = std::make_shared<const Module>(withoutMuted(document_.module(), document_.muted()));
  const QString folder = from_ == kFolder ? folder_ : QFileInfo(path).absolutePath();
  const QString file = from_ == kBeside ? QFileInfo(path).fileName() : QString();
  cancel_ = std::make_shared<std::atomic<bool>>(false);
  emit filmingChanged();
  showWords();
  if (module) showStart(module);
  inBackground(kFramePriority,
               [this, module, folder, file, cancel = cancel_, request = ++filmRequest_]() -> std::function<void()> {
                 auto made = filmOf(module, folder, file, *cancel);
                 if (!made) {
                   const QString why = QString::fromStdString(made.error().toString());
                   return [this, why, request] {
                     if (request != filmRequest_) return;
                     cancel_.reset();
                     emit filmingChanged();
                     trouble_ = why;
                     showWords();
                   };
                 }
                 auto film = std::make_shared<PassFilm>(*std::move(made));
                 QStringList titles;
                 for (const PassMoment& moment : film->trail().moments())
                   titles << QString::fromStdString(moment.title());
                 QStringList notes;
                 for (const std::string& each : film->trail().warnings()) notes << QString::fromStdString(each);
                 return [this, film, titles, notes = notes.join(QStringLiteral("; ")), request] {
                   if (request == filmRequest_) taken(film, titles, notes);
                 };
               });
}

// The picture before all passes, while they run.
void PassesPanel::showStart(const std::shared_ptr<const Module>& module) {
  inBackground(kFramePriority, [this, module, request = filmRequest_ + 1]() -> std::function<void()> {
    if (!isRunnable(*module)) return [] {};
    auto frame = PassFilm(PassTrail::ofStart(*module)).frameAt(0);
    if (!frame) return [] {};
    auto answer = std::make_shared<Answer>();
    answer->index = Canvas::makeIndex(*frame->picture);
    answer->frame = std::make_shared<const PassFrame>(*std::move(frame));
    return [this, answer, request] {
      if (request == filmRequest_) take(*answer);
    };
  });
}

void PassesPanel::taken(std::shared_ptr<PassFilm> film, const QStringList& titles, const QString& warnings) {
  film_ = std::move(film);
  cancel_.reset();
  emit filmingChanged();
  notes_ = warnings;
  strip_->setMoments(titles);
  wantFrame();
  countNext(0);
  followDocument();
}

}  // namespace tessera
