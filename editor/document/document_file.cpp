// A file of another program is written only when its graph was changed, and the window asks first.
#include "editor/document/document_file.h"

#include <QFileInfo>
#include <utility>

#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "editor/document/document.h"
#include "editor/document/node_values.h"
#include "editor/document/priorities.h"

namespace tessera {
namespace {

constexpr uint64_t kNeverSaved = UINT64_MAX;  // no state of a history

// --- reading

// A Graphviz file stands on the page of a module without instructions.
bool readPlainGraph(const std::string& path, ReadResult& read, std::shared_ptr<const PlainGraph>& plain) {
  const std::string head = firstBytesOf(path);
  if (!head.empty() && !isPacked(head) && !looksLikeDot(head)) return false;
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

// The graph is hashed only where there is something to allow.
FileAccess filesOf(const QString& path, const Module& graph, const RunSettings& settings) {
  FileAccess out(path.isEmpty() ? std::string() : QFileInfo(path).absolutePath().toStdString());
  if (!out.asks(settings).empty()) out.setGraph(graph);
  return out;
}

// What a window says of how files are shown that are opened in it.
struct ShownIn {
  bool fields;
  Room room;
  explicit ShownIn(const SceneView& view) : fields(view.showsFields()), room(view.room()) {}
  void tell(SceneMaker& maker) const {
    maker.setFields(fields);
    maker.setRoom(room);
  }
};

// Of what it showed last.
void makePicture(OpenedFile& file, const ShownIn& shownIn) {
  const Module& module = *file.read.module;
  file.maker = std::make_shared<SceneMaker>(module, file.project, file.plain, file.live);
  shownIn.tell(*file.maker);
  if (const auto inputs = file.files.inputs()) file.maker->setInputs(inputs->name);
  const ComputationId shown = module.findComputation(file.project.shown).value_or(module.entry());
  file.scene = file.maker->make(shown, file.maker->initialOptions(shown), nullptr);
}

OpenedFile readFrom(const QString& path, const std::optional<QString>& recoveredFor,
                    const std::optional<ShownPart>& shownPart, const ShownIn& shownIn) {
  OpenedFile out;
  out.path = path;
  out.stamp = stampOf(path.toStdString());
  out.recoveredFor = recoveredFor;
  if (!readPlainGraph(path.toStdString(), out.read, out.plain)) out.read = readModule(path.toStdString());
  const auto& module = out.read.module;
  if (!module) return out;
  if (auto project = readArrangement(path.toStdString()))
    out.project = *std::move(project);
  else  // a sidecar that cannot be read: the graph is shown without it
    out.read.diagnostics.add(std::move(project).error());
  if (shownPart && module->findComputation(shownPart->computation)) {
    ProjectPage& page = out.project.page(shownPart->computation);
    page.opened = true;
    page.openGroups = shownPart->groups;
    out.project.shown = shownPart->computation;
  }
  out.files = filesOf(recoveredFor.value_or(path), *module, out.project.run);
  out.asks = out.files.asks(out.project.run);
  out.live = !out.plain && out.asks.empty() && startsLive(*module);  // as what was made here
  makePicture(out, shownIn);
  return out;
}

// Whether a file is as this program writes its graph, which is read from it if the caller has not.
bool holdsOwnForm(const std::filesystem::path& file, const std::optional<Module>& graph) {
  const std::optional<Module> known = graph ? graph : readModule(file).module;
  const auto there = readFile(file);
  const auto ours = known ? graphAs(file, *known) : fail("");
  return there && ours && *there == *ours;
}

Result<FileStamp> cannotSavePicture() {
  return fail("a Graphviz file is a picture: there is no graph of operations to save");
}

}  // namespace

ShownPart shownPartOf(const Document& document) {
  ShownPart out;
  const auto& groups = document.view().scene().options.openGroups;
  out.groups.assign(groups.begin(), groups.end());
  if (!document.isPlainGraph()) out.computation = document.module().at(document.view().computation()).name;
  return out;
}

void DocumentFile::begin(const OpenedFile& file) {
  state_ = State{.path = file.path, .title = file.title, .stamp = file.stamp};
  if (file.isUnsaved) state_.savedState = state_.savedGraph = kNeverSaved;
  if (!file.recoveredFor) return;
  state_.path = *file.recoveredFor;
  state_.stamp = stampOf(state_.path.toStdString());
  state_.recoveredFrom = file.path;
  state_.savedState = state_.savedGraph = kNeverSaved;
}

void DocumentFile::open(const QString& path, std::optional<ShownPart> shown) {
  read(path, std::nullopt, std::move(shown));
}
void DocumentFile::openRecovered(const QString& file, const QString& path) { read(file, path, std::nullopt); }

void DocumentFile::read(const QString& path, std::optional<QString> recoveredFor, std::optional<ShownPart> shown) {
  readInBackground(QFileInfo(path).fileName(),
                   [path = QFileInfo(path).absoluteFilePath(), recoveredFor, shown = std::move(shown),
                    shownIn = ShownIn(document_.view())] { return readFrom(path, recoveredFor, shown, shownIn); });
}

void DocumentFile::openText(const QString& text, const QString& name) {
  readInBackground(name, [text = text.toStdString(), name, shownIn = ShownIn(document_.view())] {
    OpenedFile out;
    out.read = readModuleText(text, name.toStdString());
    out.isUnsaved = true;
    if (!out.read.module) return out;
    out.live = startsLive(*out.read.module);
    makePicture(out, shownIn);
    return out;
  });
}

void DocumentFile::readInBackground(const QString& name, std::function<OpenedFile()> read) {
  document_.cancel();
  reading_ = tr("Reading %1").arg(name);
  emit progressed();
  background_.start(kReading, [this, read = std::move(read), request = ++request_]() -> Background::Answer {
    auto opened = std::make_shared<OpenedFile>(read());
    return [this, opened, request] {
      if (request != request_) return;
      reading_.clear();
      document_.install(std::move(*opened));
    };
  });
}

// What is read meanwhile is dropped when it comes.
void DocumentFile::cancelReading() {
  if (!isReading()) return;
  ++request_;
  reading_.clear();
  emit progressed();
  emit readingCancelled();
}

void DocumentFile::create() {
  OpenedFile made;
  made.read.module.emplace(emptyModule());
  install(std::move(made));
}

void DocumentFile::createFrom(const std::string& text) {
  auto content = parseProject(text);
  OpenedFile made;
  made.read = readProjectModule(text, {});
  if (!content || !made.read.module) return create();
  made.project = std::move(content->project);
  inferModule(*made.read.module);
  install(std::move(made));
  document_.live().evaluate();
}

Status DocumentFile::createFromHlo(const std::string& text, const std::string& title) {
  OpenedFile made;
  made.title = QString::fromStdString(title);
  made.read = readHloText(text, title);
  if (!made.read.module) {
    const auto& wrong = made.read.diagnostics.items();
    return wrong.empty() ? Status(fail(title + " cannot be read")) : Status(std::unexpected(wrong.front()));
  }
  inferModule(*made.read.module);
  install(std::move(made));
  document_.live().evaluate();
  return {};
}

void DocumentFile::createToLookAt(Module module) {
  OpenedFile made;
  made.title = QString::fromStdString(module.name);
  made.read.module = std::move(module);
  install(std::move(made), false);
}

// What was made here is live.
void DocumentFile::install(OpenedFile made, bool live) {
  ++request_;  // a file that is still being read comes too late
  reading_.clear();
  document_.cancel();
  made.live = live;
  made.maker = std::make_shared<SceneMaker>(*made.read.module, made.project, nullptr, live);
  ShownIn(document_.view()).tell(*made.maker);
  const ComputationId entry = made.read.module->entry();
  made.scene = made.maker->make(entry, made.maker->initialOptions(entry), nullptr);
  document_.install(std::move(made));
}

// --- saving

QString DocumentFile::title() const {
  if (!path().isEmpty()) return QFileInfo(path()).fileName();
  return state_.title.isEmpty() ? tr("untitled") : state_.title;
}

QString DocumentFile::fileName() const {
  return path().isEmpty() ? title().replace(QLatin1Char('/'), QLatin1Char('_')) + QStringLiteral(".hlo") : title();
}

bool DocumentFile::isModified() const { return document_.isOpen() && document_.history().state() != state_.savedState; }

bool DocumentFile::differsOnDisk() const { return !isSaving() && !path().isEmpty() && stampOnDisk() != state_.stamp; }

FileStamp DocumentFile::stampOnDisk() const { return stampOf(path().toStdString()); }

void DocumentFile::keepOverDisk() {
  state_.stamp = stampOnDisk();
  state_.savedState = state_.savedGraph = kNeverSaved;
  emit document_.moduleChanged();
}

bool DocumentFile::savesSidecar(const QString& path) const {
  return !isProject(path.toStdString()) && document_.project().arranged();
}

bool DocumentFile::isOfProgram() const {
  return !path().isEmpty() && QFileInfo(path()).canonicalPath() == programFolder_;
}

// The graph on the disk is the one that stands here.
bool DocumentFile::holdsGraph(const std::filesystem::path& file) const {
  return !path().isEmpty() && file == std::filesystem::path(path().toStdString()) &&
         document_.history().graph() == state_.savedGraph && std::filesystem::exists(file);
}

bool DocumentFile::wouldRewriteOthers() const {
  const std::filesystem::path file = path().toStdString();
  const bool isOwn = state_.isOwn && stampOnDisk()[0] == state_.stamp[0];
  return document_.isOpen() && !path().isEmpty() && !isOwn && !isProject(file) && !holdsGraph(file) &&
         std::filesystem::exists(file);
}

void DocumentFile::compareFormInBackground() {
  if (path().isEmpty() || isProject(path().toStdString())) return;
  const auto module = state_.recoveredFrom.isEmpty() ? std::optional(document_.module()) : std::nullopt;
  background_.startForFile(kPrinting, [this, file = std::filesystem::path(path().toStdString()), module] {
    const bool isOwn = holdsOwnForm(file, module);
    return Background::Answer([this, isOwn] { state_.isOwn = state_.isOwn || isOwn; });
  });
}

// Edits go on while it is written; a path that is chosen meanwhile is the next one.
void DocumentFile::startSaving(const QString& path) {
  if (saving_) {
    next_ = path;
    return;
  }
  document_.rememberOpenGroups();
  const std::filesystem::path file = path.toStdString();
  FileToWrite content{file, document_.module(), document_.project(), !isProject(file) && holdsGraph(file)};
  Saving saving{.path = path,
                .state = document_.history().state(),
                .graph = document_.history().graph(),
                .writesGraph = !content.graphStays && !isProject(file),
                .number = ++savings_};
  saving.written = std::async(std::launch::async, [this, content = std::move(content), number = savings_,
                                                   isPicture = document_.isPlainGraph()] {
    auto written = isPicture ? cannotSavePicture() : write(content);
    QMetaObject::invokeMethod(
        this, [this, number] { endSaving(number); }, Qt::QueuedConnection);
    return written;
  });
  saving_ = std::move(saving);
}

Status DocumentFile::waitForSaving() {
  Status out;
  while (saving_) out = endSaving(savings_);
  return out;
}

Status DocumentFile::save(const QString& path) {
  startSaving(path);
  return waitForSaving();
}

// Whoever waited for it has ended it before its answer comes.
Status DocumentFile::endSaving(uint64_t number) {
  if (!saving_ || number != saving_->number) return {};
  const Result<FileStamp> written = saving_->written.get();
  const Saving saving = *std::exchange(saving_, std::nullopt);
  if (written) {
    document_.trustSaved(std::filesystem::absolute(saving.path.toStdString()).parent_path());
    state_.isOwn = state_.isOwn || saving.writesGraph;
    state_.path = saving.path;
    state_.stamp = *written;
    state_.savedState = saving.state;
    state_.savedGraph = saving.graph;
    emit document_.moduleChanged();
  }
  const Status out = written ? Status() : Status(std::unexpected(written.error()));
  emit savingEnded(saving.path, out ? QString() : QString::fromStdString(out.error().toString()));
  if (const auto next = std::exchange(next_, std::nullopt)) startSaving(*next);
  return out;
}

}  // namespace tessera
