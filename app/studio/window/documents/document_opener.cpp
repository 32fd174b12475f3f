// See document_opener.h.
#include "app/studio/window/documents/document_opener.h"

#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QStatusBar>
#include <algorithm>
#include <iterator>

#include "app/studio/files/disk_bar.h"
#include "app/studio/window/documents/current_document.h"
#include "app/studio/window/documents/document_closer.h"
#include "app/studio/window/documents/document_saver.h"
#include "app/studio/window/documents/document_tabs.h"
#include "app/studio/window/documents/pane_area.h"
#include "app/studio/window/panels.h"
#include "core/formats/dump_code.h"
#include "core/profile/sources/profile_source.h"
#include "core/tools/find_instruction.h"
#include "core/tools/link.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/canvas_binding.h"
#include "editor/controllers/lesson_controller.h"
#include "editor/document/document.h"
#include "editor/document/program_run.h"
#include "editor/lessons/lesson_progress.h"
#include "editor/panels/banner.h"
#include "editor/panels/compiler/dump_panel.h"
#include "editor/panels/help_panel.h"
#include "editor/panels/profile/memory_panel.h"
#include "editor/panels/profile/profile_panel.h"

namespace tessera {
namespace {

bool isFileOrLink(const QString& text) {
  return !text.contains(QLatin1Char('\n')) &&
         QFileInfo::exists(QString::fromStdString(splitLink(text.toStdString()).file));
}

}  // namespace

DocumentOpener::DocumentOpener(CurrentDocument& current, PaneArea& area, DocumentTabs& tabs, DocumentSaver& saver,
                               DocumentCloser& closer, QStatusBar& status, QObject* parent)
    : QObject(parent), current_(current), area_(area), tabs_(tabs), saver_(saver), status_(status) {
  connect(&area_, &PaneArea::added, this, &DocumentOpener::connectPane);
  connect(&closer, &DocumentCloser::closing, this, [this](DocumentPane& pane) {
    if (opening_ == &pane) openNext();  // another state of it was being read
  });
}

void DocumentOpener::connectPane(DocumentPane& pane) {
  connect(&pane, &DocumentPane::arrived, this, [this, &pane] { show(pane); });
  connect(&pane.document(), &Document::failed, this, [this, &pane](const QString& message) {
    if (opening_ == &pane) openingFailed(pane, message);
  });
  if (!pane.isTwin()) {
    connect(&pane.document().file(), &DocumentFile::readingCancelled, this, [this, &pane] { openingCancelled(pane); });
    connect(&pane.document().run(), &ProgramRun::ofAnotherModule, this,
            [this](const QString& path) { openProfileBeside(path, {}); });
  }
  if (pane.diskBar()) connect(pane.diskBar(), &DiskBar::reloadWanted, this, [this, &pane] { reload(pane); });
  connect(pane.panels().help, &HelpPanel::exampleWanted, this, &DocumentOpener::openExample);
  connect(pane.panels().memory, &MemoryPanel::moduleMade, this,
          [this](const QString& name, const std::string& hlo, const QString& verdict) {
            if (openExample(name, hlo)) current_.banner().showNote(verdict);
          });
  connect(pane.panels().profile, &ProfilePanel::moduleWanted, this, &DocumentOpener::openProfileBeside);
  connect(pane.panels().dump, &DumpPanel::fileWanted, this, [this](const QString& path) { open(path); });
  connect(&pane.lessons(), &LessonController::newWanted, this, &DocumentOpener::newFile);
}

// --- what is asked for

void DocumentOpener::open(const QString& path, DocumentPane* comparedWith) {
  const LinkParts link = splitLink(path.toStdString());
  open({{.path = QString::fromStdString(link.file), .instruction = link.name, .comparedWith = comparedWith}});
}

void DocumentOpener::open(std::vector<OpenRequest> requests) {
  std::ranges::move(requests, std::back_inserter(waiting_));
  if (!opening_) openNext();
}

void DocumentOpener::openClipboard() {
  const QString text = QGuiApplication::clipboard()->text();
  if (text.trimmed().isEmpty()) return current_.banner().showMessage(tr("The clipboard holds no text."));
  if (isFileOrLink(text.trimmed())) return open(text.trimmed());
  open({{.path = tr("the clipboard"), .text = text}});
}

DocumentPane& DocumentOpener::freePane() { return current_.pane().isUntouched() ? current_.pane() : area_.add(); }

void DocumentOpener::newFile() {
  const bool fresh = !current_.isOpen() || current_.pane().isFirstGraph();
  (fresh ? current_.pane() : area_.add()).document().file().create();
}

bool DocumentOpener::openExample(const QString& name, const std::string& hlo) {
  DocumentPane& pane = freePane();
  const Status opened = pane.document().file().createFromHlo(hlo, name.toStdString());
  if (opened) {  // what it is an example of stays in the help beside it
    const Module& module = pane.document().module();
    pane.document().select({module.at(module.entry()).root});
    return true;
  }
  current_.banner().showMessage(QString::fromStdString(opened.error().toString()));
  if (tabs_.indexOf(pane) < 0) pane.deleteLater();
  return false;
}

void DocumentOpener::beginLesson(int lesson) {
  (current_.pane().lessons().isOn() ? current_.pane() : freePane()).lessons().begin(lesson);
}

void DocumentOpener::goOnWithLessons() { beginLesson(lessonToGoOnWith()); }

void DocumentOpener::showFirstGraph() { freePane().showFirstGraph(); }

// Without a graph, or over the first graph, the module inside becomes a document.
void DocumentOpener::openProfile(const QString& path) {
  if (current_.pane().isFirstGraph()) newFile();
  current_.document().run().openProfile(path);
}

// Of another module than the graph that is open: the one inside, or the one that is asked for.
void DocumentOpener::openProfileBeside(const QString& path, const QString& module) {
  for (DocumentPane* pane : area_.all()) {
    const ProfileOrigin& origin = pane->document().run().origin();
    if (!module.isEmpty() && origin.path == path && origin.modules.value(0) == module) return current_.set(*pane);
  }
  DocumentPane& pane = freePane();
  pane.document().file().create();
  pane.document().run().openProfile(path, module);
}

// At the place that is seen; what was asked for meanwhile comes after it.
void DocumentOpener::reload(DocumentPane& pane) {
  waiting_.insert(waiting_.begin(), {.path = pane.document().file().path(),
                                     .shown = shownPartOf(pane.document()),
                                     .place = pane.place(),
                                     .again = true});
  if (!opening_) openNext();
}

void DocumentOpener::cancelReading() {
  if (opening_) opening_->document().file().cancelReading();
}

// --- one after the other

void DocumentOpener::openNext() {
  opening_ = nullptr;
  request_ = {};
  while (!waiting_.empty()) {
    const OpenRequest next = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    if (!next.text && openDump(next)) continue;
    if (next.text || !looksLikeProfile(next.path.toStdString())) return start(next);
    openProfile(next.path);
  }
  emit allOpened();
}

// The module as it was compiled; of several each. The panel of the dump has the other files.
bool DocumentOpener::openDump(const OpenRequest& request) {
  const std::filesystem::path path = request.path.toStdString();
  std::error_code error;
  if (!std::filesystem::is_directory(path, error) || !isDumpFolder(path)) return false;
  const auto dump = readDumpFolder(path);
  if (!dump) return false;
  const auto most = std::ranges::max_element(
      dump->modules, {}, [](const DumpModule& module) { return std::pair(module.passes.size(), module.files.size()); });
  QStringList files;
  if (most != dump->modules.end())
    for (const std::string& file : moduleFilesOf(*most))
      files << QDir(request.path).filePath(QString::fromStdString(file));
  if (files.isEmpty()) return openDumpWithoutModule(request.path), true;
  QStringList odd;
  for (const std::string& warning : dump->warnings) odd << QString::fromStdString(warning);
  const QString first = files.takeFirst();
  waiting_.insert(waiting_.begin(), {.path = first,
                                     .dump = true,
                                     .otherwise = files,
                                     .note = odd.join(QStringLiteral("; ")),
                                     .comparedWith = request.comparedWith});
  return true;
}

void DocumentOpener::openDumpWithoutModule(const QString& folder) {
  DocumentPane& pane = freePane();
  pane.document().file().create();
  pane.panels().dump->showFolder(folder);
  current_.panels().raise(QStringLiteral("dump"));
  pane.banner().showNote(tr("%1: no file of it holds a module; the Dump panel shows the others").arg(folder));
}

// Recovered changes take the place of their file, where nothing else was done to it here.
void DocumentOpener::start(const OpenRequest& request) {
  DocumentPane* there = request.text ? nullptr : area_.paneOf(request.recoveredFor.value_or(request.path));
  if (there && !request.recoveredFor) return openAgain(*there, request);
  const bool replaces = there && !there->hasUnsavedWork();
  opening_ = replaces ? there : &freePane().original();
  request_ = request;
  DocumentFile& file = opening_->document().file();
  if (request.text)
    file.openText(*request.text, request.path);
  else if (request.recoveredFor)
    file.openRecovered(request.path, *request.recoveredFor);
  else
    file.open(request.path, request.shown);
}

// What the disk has now, where that is something else.
void DocumentOpener::openAgain(DocumentPane& pane, const OpenRequest& request) {
  current_.set(pane);
  if (!request.again && (!pane.document().file().differsOnDisk() || !saver_.mayLoseChanges(pane))) {
    showLinked(request.instruction);
    return openNext();
  }
  opening_ = &pane;
  request_ = request;
  pane.document().file().open(request.path, request.shown);
}

// --- how it ends

void DocumentOpener::show(DocumentPane& pane) {
  if (pane.isTwin()) return;
  emit arriving(pane);
  if (tabs_.indexOf(pane) < 0) tabs_.add(pane);
  if (&current_.pane().original() != &pane) current_.set(pane);
  emit arrived(pane);
  if (opening_ != &pane) return;
  if (request_.place) pane.goTo(*request_.place);
  if (request_.dump) current_.panels().raise(QStringLiteral("dump"));
  if (!request_.note.isEmpty()) pane.banner().showNote(request_.note);
  showLinked(request_.instruction);
  emit opened(pane, request_);
  openNext();
}

void DocumentOpener::showLinked(const std::string& instruction) {
  if (instruction.empty()) return;
  const auto id = instructionNamed(current_.document().module(), instruction);
  if (id) return current_.pane().binding().reveal(*id);
  const QString message = QString::fromStdString(id.error().message);
  current_.banner().showMessage(message);
  emit failed(message, id.error().kind);
}

// What is wrong with it is said beside what is open.
void DocumentOpener::openingFailed(DocumentPane& pane, const QString& message) {
  if (!request_.otherwise.isEmpty()) {
    OpenRequest next = request_;
    next.path = next.otherwise.takeFirst();
    if (!next.note.isEmpty()) next.note += QStringLiteral("; ");
    next.note += message;
    waiting_.insert(waiting_.begin(), next);
    if (tabs_.indexOf(pane) < 0 && &pane != &current_.pane()) pane.deleteLater();
    return openNext();
  }
  if (tabs_.indexOf(pane) < 0) {
    current_.document().noteRefused(pane.document().diagnostics());
    current_.banner().showMessage(message);
    pane.deleteLater();
  }
  openNext();
}

void DocumentOpener::openingCancelled(DocumentPane& pane) {
  status_.showMessage(tr("Opening was cancelled."), 4000);
  if (opening_ != &pane) return;
  if (tabs_.indexOf(pane) < 0) pane.deleteLater();
  openNext();
}

}  // namespace tessera
