// Opening, selection and the scene of a Document. Edits are in document_edit.cpp, runs in document_run.cpp.
#include "editor/document/document.h"

#include <QFileInfo>
#include <QThread>
#include <algorithm>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "core/formats/module_file.h"
#include "core/ops/inference/infer.h"
#include "editor/document/priorities.h"

namespace tessera {
namespace {

constexpr uint64_t kNeverSaved = UINT64_MAX;  // no state of a history

QString withFile(Diagnostic d, const QString& path) {
  if (d.file.empty()) d.file = path.toStdString();
  return QString::fromStdString(d.toString());
}

// A group and those that it lies in, whose names do not tell; `all` is the view in which every group is open.
ViewOptions openedTo(const GraphView& all, ViewOptions options, const std::string& group) {
  for (int32_t at = all.findGroup(group); at >= 0; at = all.nodes[static_cast<size_t>(at)].parent)
    options.openGroups.insert(all.nodes[static_cast<size_t>(at)].group);
  return options;
}

}  // namespace

// What the reading worker hands back.
struct Document::Opened {
  QString path;
  std::optional<QString> recoveredFor;
  ReadResult read;
  Project project;
  FileAccess files;
  std::vector<FileAsk> asks;
  std::shared_ptr<const PlainGraph> plain;
  std::shared_ptr<SceneMaker> scenes;
  Scene scene;
};

namespace {

// A Graphviz file stands on the page of a module without instructions.
bool readPlainGraph(const std::string& path, ReadResult& read, std::shared_ptr<const PlainGraph>& plain) {
  const auto content = readFile(path);
  if (!content || !looksLikeDot(*content)) return false;
  auto graph = readDot(*content, path);
  if (!graph) {
    read.diagnostics.add(std::move(graph).error());
    return true;
  }
  Module module(graph->name.empty() ? "graph" : graph->name);
  const ComputationId page = module.addComputation("graph");
  module.setOrder({page});
  module.setEntry(page);
  read.module = std::move(module);
  plain = std::make_shared<const PlainGraph>(*std::move(graph));
  return true;
}

}  // namespace

namespace {

// The graph is hashed only where there is something to allow.
FileAccess filesOf(const QString& path, const Module& graph, const RunSettings& settings) {
  FileAccess out(path.isEmpty() ? std::string() : QFileInfo(path).absolutePath().toStdString());
  if (!out.asks(settings).empty()) out.setGraph(graph);
  return out;
}

}  // namespace

Document::Document(QObject* parent) : QObject(parent) {
  pool_.setMaxThreadCount(std::max(2, QThread::idealThreadCount()));
}

Document::~Document() {
  cancel();
  if (cancelValues_) *cancelValues_ = true;
  pool_.clear();
  pool_.waitForDone();
}

void Document::start(int priority, std::function<Answer()> work) {
  ++pending_;
  pool_.start(
      [this, work = std::move(work)]() mutable {
        Answer answer = work();
        work = nullptr;  // snapshots are freed here, not where the answer is called
        QMetaObject::invokeMethod(
            this,
            [this, answer = std::move(answer)] {
              --pending_;
              if (answer) answer();
            },
            Qt::QueuedConnection);
      },
      priority);
}

void Document::startForModule(int priority, std::function<Answer()> work) {
  start(priority, [this, work = std::move(work), generation = generation_]() -> Answer {
    Answer answer = work();
    return [this, answer = std::move(answer), generation] {
      if (generation == generation_ && answer) answer();
    };
  });
}

void Document::open(const QString& path) { read(path, std::nullopt); }
void Document::openRecovered(const QString& file, const QString& path) { read(file, path); }

void Document::read(const QString& path, std::optional<QString> recovered) {
  cancel();
  emit progressed(tr("Reading %1").arg(QFileInfo(path).fileName()), -1);
  start(kReading,
        [this, path = QFileInfo(path).absoluteFilePath(), request = ++openRequest_, recovered,
         fields = fields_]() -> Answer {
          auto opened = std::make_shared<Opened>();
          opened->path = path;
          opened->recoveredFor = recovered;
          if (!readPlainGraph(path.toStdString(), opened->read, opened->plain))
            opened->read = readModule(path.toStdString());
          if (const auto& module = opened->read.module) {
            if (auto project = readArrangement(path.toStdString()); !project)
              opened->read.diagnostics.add(
                  std::move(project).error());  // a sidecar that does not read: the graph is shown without it
            else
              opened->project = *std::move(project);
            opened->files = filesOf(recovered ? *recovered : path, *module, opened->project.run);
            opened->asks = opened->files.asks(opened->project.run);
            opened->scenes = std::make_shared<SceneMaker>(*module, opened->project, opened->plain);
            opened->scenes->setFields(fields);
            const ComputationId shown = module->findComputation(opened->project.shown).value_or(module->entry());
            opened->scene = opened->scenes->make(shown, opened->scenes->initialOptions(shown), nullptr);
          }
          return [this, opened, request] {
            if (request == openRequest_) install(opened);
          };
        });
}

void Document::create() {
  ++openRequest_;  // a file that is still being read comes too late
  cancel();
  auto made = std::make_shared<Opened>();
  made->read.module.emplace(emptyModule());
  made->scenes = std::make_shared<SceneMaker>(*made->read.module, Project{}, nullptr, true);
  made->scenes->setFields(fields_);
  made->scene = made->scenes->make(made->read.module->entry(), {}, nullptr);
  install(made);
  live_ = true;
}

void Document::createFrom(const std::string& text) {
  auto content = parseProject(text);
  auto made = std::make_shared<Opened>();
  made->read = readProjectModule(text, {});
  if (!content || !made->read.module) return create();
  ++openRequest_;
  cancel();
  made->project = std::move(content->project);
  inferModule(*made->read.module);
  made->scenes = std::make_shared<SceneMaker>(*made->read.module, made->project, nullptr, true);
  made->scenes->setFields(fields_);
  made->scene =
      made->scenes->make(made->read.module->entry(), made->scenes->initialOptions(made->read.module->entry()), nullptr);
  install(made);
  live_ = true;
  evaluateInBackground();
}

// What was open stays; what is wrong with the other file goes before its diagnostics.
void Document::refuse(const Opened& file) {
  refused_ = file.read.diagnostics.items();
  for (Diagnostic& d : refused_) {
    d.instruction = InstructionId();  // ids of a module that does not exist
    if (d.file.empty()) d.file = file.path.toStdString();
  }
  collectDiagnostics();
  QString message = refused_.empty() ? tr("%1 cannot be read.").arg(file.path) : withFile(refused_.front(), file.path);
  if (refused_.size() > 1) message += tr("\n… and %n more", nullptr, static_cast<int>(refused_.size()) - 1);
  emit failed(message, refused_.empty() ? ErrorKind::Input : refused_.front().kind);
}

void Document::install(std::shared_ptr<Opened> file) {
  emit progressed({}, 0);
  if (!file->read.module) {
    refuse(*file);
    return;
  }
  ++generation_;
  ++revision_;
  path_ = file->path;
  dispose(std::make_tuple(std::move(history_), std::move(scene_), std::move(text_), std::move(outcome_),
                          std::move(users_), std::move(scenes_)));
  project_ = std::move(file->project);
  history_.emplace(std::move(*file->read.module), project_);
  scenes_ = std::move(file->scenes);
  plain_ = std::move(file->plain);
  scene_ = std::move(file->scene);
  text_.reset();
  users_.reset();
  outcome_.reset();
  selection_.clear();
  waiting_.clear();
  setEditing(false);
  live_ = false;
  savedState_ = savedGraph_ = file->recoveredFor ? kNeverSaved : 0;
  ownFile_ = false;
  if (file->recoveredFor) path_ = *file->recoveredFor;
  if (cancelValues_) *cancelValues_ = true;
  cancelFetch_.reset();
  values_.clear();
  trace_.reset();
  valuesFailure_.clear();
  callPath_.clear();
  played_.clear();
  files_ = std::move(file->files);
  overlay_.reset();
  running_ = false;
  emit runningChanged();
  refused_.clear();
  foundDiagnostics_.clear();
  readDiagnostics_ = file->read.diagnostics.items();
  collectDiagnostics();
  emit this->opened();
  emit sceneChanged(false);
  emit textChanged();
  emit selectionChanged();
  emit outcomeChanged();
  emit valuesChanged();
  emit runSettingsChanged();
  showAsks(isOfProgram() ? filesOfRun().asks(project_.run) : std::move(file->asks));
  if (isPlainGraph()) return;
  inferInBackground();
  printInBackground();
}

void Document::rememberPage() {
  if (isPlainGraph()) return;
  ProjectPage& page = project_.page(module().at(scene_.computation).name);
  page.opened = true;
  page.openGroups.assign(scene_.options.openGroups.begin(), scene_.options.openGroups.end());
  project_.shown = module().at(scene_.computation).name;
}

void Document::inferInBackground() {
  startForModule(kInference, [this, module = module(), revision = revision_]() mutable -> Answer {
    Diagnostics found = inferModule(module);
    found.addAll(verify(module).items());
    return [this, module = std::move(module), found = std::move(found), revision] {
      if (revision != revision_ || editing_ || history_->canUndo())
        return;  // an edit came first and inferred for itself
      dispose(std::move(history_));
      history_.emplace(module, project_);
      setDiagnostics(found);
      emit moduleChanged();
    };
  });
}

void Document::verifyInBackground() {
  startForModule(kInference, [this, module = module(), revision = revision_]() -> Answer {
    Module copy = module;
    Diagnostics found = inferModule(copy);
    found.addAll(verify(copy).items());
    return [this, found = std::move(found), revision] {
      if (revision == revision_) setDiagnostics(found);
    };
  });
}

void Document::printInBackground() {
  startForModule(kPrinting, [this, module = module(), revision = revision_]() -> Answer {
    auto text = makeHloText(module);
    return [this, text, revision] {
      if (revision != revision_) return;
      text_ = text;
      emit textChanged();
    };
  });
}

void Document::setDiagnostics(const Diagnostics& found) {
  foundDiagnostics_ = found.items();
  collectDiagnostics();
}

void Document::collectDiagnostics() {
  diagnostics_ = refused_;
  std::unordered_set<std::string> seen;
  for (const auto* list : {&readDiagnostics_, &foundDiagnostics_})
    for (const Diagnostic& d : *list)
      if (seen.insert(d.toString()).second) diagnostics_.push_back(d);
  emit diagnosticsChanged();
}

// --- what is shown

void Document::makeScene(bool keepView, SceneWork work) {
  startForModule(kArrangement,
                 [this, scenes = scenes_, request = ++sceneRequest_, keepView, work = std::move(work),
                  overlay = overlayShown_ ? overlay_ : std::nullopt]() -> Answer {
                   auto scene = std::make_shared<Scene>(work(*scenes, overlay ? &*overlay : nullptr));
                   return [this, scene, request, keepView] {
                     if (request != sceneRequest_) return;
                     sceneShown_ = request;
                     dispose(std::exchange(scene_, std::move(*scene)));
                     rememberPage();
                     emit sceneChanged(keepView);
                     followSight();
                   };
                 });
}

void Document::arrangeAgain(bool keepView) {
  makeScene(keepView,
            [computation = scene_.computation, options = scene_.options](SceneMaker& scenes, const Overlay* overlay) {
              return scenes.make(computation, options, overlay);
            });
}

void Document::showComputation(ComputationId computation) {
  if (!isOpen() || !module().contains(computation) || computation == scene_.computation) return;
  makeScene(false, [computation](SceneMaker& scenes, const Overlay* overlay) {
    return scenes.make(computation, scenes.initialOptions(computation), overlay);
  });
}

void Document::toggleGroup(const QString& group) {
  if (!isOpen()) return;
  auto& open = scene_.options.openGroups;
  const std::string path = group.toStdString();
  if (!open.erase(path)) open.insert(path);
  arrangeAgain(true);
}

bool Document::openGroup(const QString& group) {
  if (!isOpen()) return false;
  const auto paths = scenes_->groupPaths(scene_.computation);
  const std::string wanted = group.toStdString();
  const auto named = [&](const std::string& path) {  // the whole path, or its last part
    return path == wanted || path.ends_with("/" + wanted);
  };
  const auto found = std::ranges::find_if(paths, named);
  if (found == paths.end()) return false;
  makeScene(true, [group = *found, computation = scene_.computation, options = scene_.options](SceneMaker& scenes,
                                                                                               const Overlay* overlay) {
    const Scene all = scenes.make(computation, scenes.allOpened(computation, options), nullptr);
    return scenes.make(computation, openedTo(*all.view, options, group), overlay);
  });
  return true;
}

QStringList Document::groupNames(int most) const {
  QStringList out;
  if (!isOpen()) return out;
  for (const std::string& path : scenes_->groupPaths(scene_.computation))
    if (out.size() < most) out << QString::fromStdString(path);
  return out;
}

void Document::reveal(InstructionId id) {
  if (!isOpen() || !module().contains(id)) return;
  select({id});
  const ComputationId own = module().at(id).computation;
  const bool here = scene_.view->boxOf(id) >= 0;
  makeScene(here, [id, computation = here ? scene_.computation : own, here, options = scene_.options](
                      SceneMaker& scenes, const Overlay* overlay) {
    ViewOptions opened = scenes.openedFor(computation, here ? options : scenes.initialOptions(computation), id);
    return scenes.make(computation, std::move(opened), overlay);
  });
}

void Document::openAllGroups() {
  if (!isOpen()) return;
  makeScene(true,
            [computation = scene_.computation, options = scene_.options](SceneMaker& scenes, const Overlay* overlay) {
              return scenes.make(computation, scenes.allOpened(computation, options), overlay);
            });
}

void Document::closeAllGroups() {
  if (!isOpen()) return;
  scene_.options.openGroups.clear();
  arrangeAgain(true);
}

void Document::showFields(bool shown) {
  fields_ = shown;
  if (!isOpen() || isPlainGraph()) return;
  scenes_->setFields(shown);
  arrangeAgain(true);
}

void Document::select(std::vector<InstructionId> selection) {
  if (!isOpen()) return;
  std::erase_if(selection, [&](InstructionId id) { return !module().contains(id); });
  if (selection == selection_) return;
  selection_ = std::move(selection);
  const InstructionId first = selected();
  const bool shownLater =
      scene_.view && first.valid() && first.value >= scene_.view->boxes.size();  // made by the last edit
  if (first.valid() && scene_.view && !shownLater && scene_.view->boxOf(first) < 0)
    showComputation(module().at(first).computation);
  emit selectionChanged();
  followCall();
}

std::vector<InstructionId> Document::usersOf(InstructionId id) const {
  if (!users_ || usersRevision_ != revision_) {
    users_ = std::make_shared<const UserTable>(module());
    usersRevision_ = revision_;
  }
  const auto users = users_->users(id);
  return {users.begin(), users.end()};
}

}  // namespace tessera
