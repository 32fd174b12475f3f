// What opens documents: files, links, profiles, the clipboard, examples, lessons. A file is read by a pane that nobody
// sees yet, so that one that does not open leaves what is open alone; files that are asked for meanwhile wait.
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QStatusBar>
#include <algorithm>

#include "app/studio/actions/actions.h"
#include "app/studio/preferences/preference_control.h"
#include "app/studio/start/start_page.h"
#include "app/studio/window/document_pane.h"
#include "app/studio/window/document_tabs.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/panels.h"
#include "app/studio/window/workspaces.h"
#include "core/formats/dump_code.h"
#include "core/profile/sources/profile_source.h"
#include "core/tools/find_instruction.h"
#include "core/tools/link.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/lesson_controller.h"
#include "editor/document/document.h"
#include "editor/panels/banner.h"
#include "editor/panels/compare/diff_panel.h"
#include "editor/panels/overview/overview_panel.h"

namespace tessera {
namespace {

bool isLarge(const Document& document) {
  return !document.isPlainGraph() && document.module().instructionCount() > kLargeModule;
}

}  // namespace

void MainWindow::openFile(const QString& path) {
  const LinkParts link = splitLink(path.toStdString());
  waiting_.push_back({.path = QString::fromStdString(link.file), .instruction = link.name});
  if (!opening_) openNext();
}

void MainWindow::openNext() {
  opening_ = nullptr;
  request_ = {};
  while (!waiting_.empty()) {
    const OpenRequest next = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    if (!next.text && openDump(next.path)) continue;
    if (next.text || !looksLikeProfile(next.path.toStdString())) return startOpening(next);
    openProfile(next.path);
    return openNext();
  }
  if (const auto act = std::exchange(whenAllAreOpen_, nullptr)) act();
  keepDocuments();
}

// The module as it was compiled; of several each. The panel of the dump has the other files.
bool MainWindow::openDump(const QString& folder) {
  const std::filesystem::path path = folder.toStdString();
  std::error_code error;
  if (!std::filesystem::is_directory(path, error) || !isDumpFolder(path)) return false;
  const auto dump = readDumpFolder(path);
  if (!dump) return false;
  const auto most = std::ranges::max_element(
      dump->modules, {}, [](const DumpModule& module) { return std::pair(module.passes.size(), module.files.size()); });
  const std::string file = most == dump->modules.end() ? std::string() : moduleFileOf(*most);
  if (file.empty()) return false;
  waiting_.insert(waiting_.begin(), {.path = QDir(folder).filePath(QString::fromStdString(file)), .dump = true});
  return true;
}

// Recovered changes take the place of their file, where nothing else was done to it here.
void MainWindow::startOpening(const OpenRequest& request) {
  DocumentPane* there = request.text ? nullptr : paneOf(request.recoveredFor.value_or(request.path));
  if (there && !request.recoveredFor) return openAgain(*there, request);
  const bool replaces = there && !there->hasUnsavedWork();
  opening_ = replaces ? there : pane_->isUntouched() ? &pane_->original() : &addPane();
  request_ = request;
  DocumentFile& file = opening_->document().file();
  if (request.text)
    file.openText(*request.text, request.path);
  else if (request.recoveredFor)
    file.openRecovered(request.path, *request.recoveredFor);
  else
    file.open(request.path, request.shown);
}

void MainWindow::openClipboard() {
  const QString text = QGuiApplication::clipboard()->text();
  if (text.trimmed().isEmpty()) return banner_->showMessage(tr("The clipboard holds no text."));
  waiting_.push_back({.path = tr("the clipboard"), .text = text});
  if (!opening_) openNext();
}

// At the place that is seen; what was asked for meanwhile comes after it.
void MainWindow::reload(DocumentPane& pane) {
  waiting_.insert(waiting_.begin(), {.path = pane.document().file().path(),
                                     .shown = shownPartOf(pane.document()),
                                     .place = pane.place(),
                                     .again = true});
  if (!opening_) openNext();
}

// What the disk has now, where that is something else.
void MainWindow::openAgain(DocumentPane& pane, const OpenRequest& request) {
  makeCurrent(pane);
  if (!request.again && (!pane.document().file().differsOnDisk() || !mayLoseChanges(pane))) {
    showLinked(request.instruction);
    return openNext();
  }
  opening_ = &pane;
  request_ = request;
  pane.document().file().open(request.path, request.shown);
}

// Over the graph that is open; without one, or over the first graph, the module inside becomes a document.
void MainWindow::openProfile(const QString& path) {
  if (pane_->isFirstGraph()) newFile();
  document_->run().openProfile(path);
}

void MainWindow::showLinked(const std::string& instruction) {
  if (instruction.empty()) return;
  const auto id = instructionNamed(document_->module(), instruction);
  if (id) return revealInstruction(*id);
  const QString message = QString::fromStdString(id.error().message);
  banner_->showMessage(message);
  emit failed(message, id.error().kind);
}

// What is wrong with it is said beside what is open.
void MainWindow::openingFailed(DocumentPane& pane, const QString& message) {
  if (tabs_->indexOf(pane) < 0) {
    comparing_ = nullptr;
    document_->noteRefused(pane.document().diagnostics());
    banner_->showMessage(message);
    pane.deleteLater();
  }
  openNext();
}

void MainWindow::openingCancelled(DocumentPane& pane) {
  statusBar()->showMessage(tr("Opening was cancelled."), 4000);
  if (opening_ != &pane) return;
  if (tabs_->indexOf(pane) < 0) pane.deleteLater();
  openNext();
}

void MainWindow::newFile() {
  const bool fresh = !document_->isOpen() || pane_->isFirstGraph();
  (fresh ? *pane_ : addPane()).document().file().create();
}

void MainWindow::openExample(const QString& name, const std::string& hlo) {
  DocumentPane& pane = pane_->isUntouched() ? *pane_ : addPane();
  const Status opened = pane.document().file().createFromHlo(hlo, name.toStdString());
  if (opened) {  // what it is an example of stays in the help beside it
    const Module& module = pane.document().module();
    return pane.document().select({module.at(module.entry()).root});
  }
  banner_->showMessage(QString::fromStdString(opened.error().toString()));
  if (tabs_->indexOf(pane) < 0) pane.deleteLater();
}

void MainWindow::beginLesson(int lesson) {
  (pane_->isUntouched() || pane_->lessons().isOn() ? *pane_ : addPane()).lessons().begin(lesson);
}

// A lesson shows its panel beside the graph and no other panels below.
void MainWindow::connectLessons(DocumentPane& pane) {
  connect(&pane.lessons(), &LessonController::begun, this, [this, &pane](const QString& panel) {
    if (pane_ != &pane) return;
    workspaces_->choose(Workspaces::kLearn);
    docks_->keepBelow(panel);
    docks_->raise(panel);
  });
  connect(&pane.lessons(), &LessonController::lessonDone, preferences_, &PreferenceControl::keepLessons);
  connect(&pane.lessons(), &LessonController::newWanted, this, &MainWindow::newFile);
  connect(&pane.lessons(), &LessonController::chapterWanted, this, &MainWindow::showChapter);
}

void MainWindow::showFirstGraph() { (pane_->isUntouched() ? *pane_ : addPane()).showFirstGraph(); }

// The overview of a large file says more than its picture, and such a file is inspected rather than edited.
void MainWindow::showOverview() {
  if (workspaces_->current() == Workspaces::kBuild) workspaces_->choose(Workspaces::kInspect);
  constexpr int kOverviewWidth = 420;
  docks_->raise(QStringLiteral("overview"));
  resizeDocks({docks_->find(QStringLiteral("overview"))}, {std::min(kOverviewWidth, width() * 3 / 10)}, Qt::Horizontal);
}

void MainWindow::arrived(DocumentPane& pane) {
  if (pane.isTwin()) return;
  if (!pane.isFirstGraph()) workspaces_->showPanels();
  if (isLarge(pane.document())) showOverview();
  startPage_->setVisible(pane.isFirstGraph());
  if (tabs_->indexOf(pane) < 0) tabs_->add(pane);
  if (&pane_->original() != &pane) makeCurrent(pane);
  if (!document_->file().path().isEmpty()) addRecentFile(document_->file().path());
  canvas_->setFocus();
  updateComputations();
  updateActions();
  if (opening_ != &pane) return;
  if (request_.place) pane.goTo(*request_.place);
  if (request_.dump) docks_->raise(QStringLiteral("dump"));
  showLinked(request_.instruction);
  if (const QPointer<DocumentPane> from = std::exchange(comparing_, nullptr)) {
    from->panels().differences->compareWith(&pane.document());
    showBeside(*from, pane);
  }
  openNext();
}

}  // namespace tessera
