// What is open, and the order in which its parts hear of a change.
#include "editor/document/document.h"

#include <QDir>
#include <QTimer>
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/ops/inference/infer.h"
#include "core/ops/inference/unfinished.h"
#include "editor/document/noted_places.h"
#include "editor/document/priorities.h"
#include "editor/document/shown_project.h"

namespace tessera {
namespace {

constexpr int kPatienceMs = 300;  // what takes longer is shown among the tasks

QString withFile(Diagnostic d, const QString& path) {
  if (d.file.empty()) d.file = path.toStdString();
  return QString::fromStdString(d.toString());
}

}  // namespace

Document::Document(QObject* parent) : QObject(parent) { connectParts(); }

Document::~Document() {
  const QSignalBlocker runs(run_), fetches(fetch_), values(live_), others(watched_);  // nobody is told any more
  cancel();
  live_.stop();
  background_.waitForAll();
}

void Document::connectParts() {
  connect(&edits_, &EditQueue::edited, this, &Document::edited);
  connect(&edits_, &EditQueue::stepped, this, &Document::moved);
  connect(&edits_, &EditQueue::editingChanged, this, &Document::editingChanged);
  connect(&edits_, &EditQueue::refused, this,
          [this](const Diagnostic& why) { emit failed(QString::fromStdString(why.toString()), why.kind); });
  connect(&edits_, &EditQueue::pageArranged, this, [this](bool mutes) {
    takeProject();
    pageReplaced();
    if (mutes) evaluate();
  });
  connect(&edits_, &EditQueue::runSet, this, [this] {
    takeProject();
    view_.runSettingsReplaced();
    emit pageChanged();
  });
  connect(&run_, &ProgramRun::failed, this, &Document::failed);
  connect(&run_, &ProgramRun::progressed, this, &Document::tellProgress);
  connect(&fetch_, &ValueFetch::failed, this, &Document::failed);
  connect(&edits_, &EditQueue::editingChanged, this, &Document::tellSoon);
  connect(&edits_, &EditQueue::cancelled, this, [this] {
    view_.arrangeAgain(true);  // what was dragged goes back
    emit cancelled(tr("The change was cancelled."));
  });
  connect(&view_, &SceneView::makingChanged, this, &Document::tellSoon);
  connect(&view_, &SceneView::cancelled, this, &Document::tellSoon);  // groups are being closed, maybe
  connect(&view_, &SceneView::cancelled, this, [this] { emit cancelled(tr("Arranging was cancelled.")); });
  connect(&live_, &LiveValues::evaluating, this, &Document::tellSoon);
  connect(&run_, &ProgramRun::cancelled, this, [this] { emit cancelled(tr("The run was cancelled.")); });
  connect(&fetch_, &ValueFetch::cancelled, this, [this] { emit cancelled(tr("Computing the value was cancelled.")); });
  connect(&file_, &DocumentFile::progressed, this, &Document::tellProgress);
  connect(this, &Document::opened, &search_, &ModuleSearch::again);
  connect(this, &Document::moduleChanged, &search_, &ModuleSearch::again);
  connect(this, &Document::opened, &shownSearches_, &ShownSearches::again);
  connect(this, &Document::moduleChanged, &shownSearches_, &ShownSearches::again);
  connect(this, &Document::opened, &overview_, &ModuleOverview::begin);
  connect(this, &Document::moduleChanged, &overview_, &ModuleOverview::forget);
  connect(&run_, &ProgramRun::outcomeChanged, &overview_, &ModuleOverview::forget);
  connect(&fetch_, &ValueFetch::progressed, this, &Document::tellProgress);
  connect(&watched_, &WatchedValues::computing, this, &Document::tellProgress);
  connect(&watched_, &WatchedValues::roomWanted, &view_, &SceneView::watchedReplaced);
  connect(this, &Document::opened, &measures_, &NodeMeasures::begin);
  connect(this, &Document::moduleChanged, &measures_, &NodeMeasures::moduleChanged);
  connect(&run_, &ProgramRun::analysed, &measures_, &NodeMeasures::timesChanged);
  connect(&view_, &SceneView::changed, &measures_, &NodeMeasures::sceneChanged);
}

void Document::tellProgress() {
  const std::vector<BackgroundTask> all = tasks();
  const Progress shown = all.empty() ? Progress() : all.front().progress;
  emit progressed(shown.stage, shown.fraction);
}

// What is done at once is no task: edits, arranging and evaluations are looked at again while they go on.
void Document::tellSoon() {
  tellProgress();
  if (asksAgain_ || (!edits_.isEditing() && !live_.isEvaluating() && !view_.isMaking())) return;
  asksAgain_ = true;
  QTimer::singleShot(kPatienceMs + 1, this, [this] {
    asksAgain_ = false;
    tellSoon();
  });
}

std::vector<BackgroundTask> Document::tasks() {
  std::vector<BackgroundTask> out;
  if (file_.isReading()) out.push_back({file_.progress(), [this] { file_.cancelReading(); }});
  if (run_.isReading()) out.push_back({run_.readingProgress(), [this] { run_.cancelReading(); }});
  // Values on nodes come with a run, and are not wanted without it.
  const auto cancelRun = [this] {
    run_.cancel();
    live_.stop();
  };
  if (run_.isRunning()) out.push_back({run_.progress(), cancelRun});
  if (fetch_.isRunning()) out.push_back({fetch_.progress(), [this] { fetch_.cancel(); }});
  if (watched_.isComputing()) out.push_back({watched_.progress(), [this] { watched_.cancel(); }});
  if (edits_.editsFor(kPatienceMs)) out.push_back({{tr("Changing the graph")}, [this] { edits_.cancelEdit(); }});
  if (view_.makesFor(kPatienceMs)) out.push_back({{view_.stage()}, [this] { view_.cancelMaking(); }});
  if (!run_.isRunning() && live_.evaluatesFor(kPatienceMs))
    out.push_back({{tr("Values on nodes")}, [this] { live_.stop(); }});
  return out;
}

// --- opening

// What was open stays; what is wrong with the other file goes before its diagnostics.
void Document::refuse(const OpenedFile& file) {
  std::vector<Diagnostic> found = file.read.diagnostics.items();
  for (Diagnostic& d : found) {
    d.instruction = InstructionId();  // ids of a module that does not exist
    if (d.file.empty()) d.file = file.path.toStdString();
  }
  noteRefused(std::move(found));
  const auto& refused = state_.refused;
  QString message = refused.empty() ? tr("%1 cannot be read.").arg(file.path) : withFile(refused.front(), file.path);
  if (refused.size() > 1) message += tr("\n… and %n more", nullptr, static_cast<int>(refused.size()) - 1);
  emit failed(message, refused.empty() ? ErrorKind::Input : refused.front().kind);
}

// Everything is of the new file before anybody hears of it.
void Document::install(OpenedFile file) {
  tellProgress();
  if (!file.read.module) return refuse(file);
  file_.waitForSaving();  // of what was open
  background_.dropAnswersForFile();
  ++revision_;
  file_.begin(file);
  State fresh;
  fresh.project = file.project;
  fresh.files = std::move(file.files);
  fresh.plain = std::move(file.plain);
  fresh.read = file.read.diagnostics.items();
  background_.dispose(std::exchange(state_, std::move(fresh)));
  edits_.begin(std::move(*file.read.module), std::move(file.project));
  view_.begin(std::move(file.maker), std::move(file.scene));
  run_.begin();
  fetch_.begin();
  watched_.begin();
  live_.begin(file.live);
  emit editingChanged(false);
  emit run_.runningChanged();
  collectDiagnostics();
  emit opened();
  emit view_.changed(false);
  emit textChanged();
  emit selectionChanged();
  emit run_.outcomeChanged();
  emit live_.changed();
  emit runSettingsChanged();
  live_.followScene();
  watched_.follow();
  showAsks(file_.isOfProgram() ? filesOfRun().asks(runSettings()) : std::move(file.asks));
  if (isPlainGraph()) return;
  file_.compareFormInBackground();
  inferInBackground();
  printInBackground();
}

void Document::noteRefused(std::vector<Diagnostic> of) {
  state_.refused = std::move(of);
  collectDiagnostics();
}

void Document::tellAll() {
  emit diagnosticsChanged();
  emit view_.changed(true);
  emit textChanged();
  emit selectionChanged();
  emit live_.changed();
  emit runSettingsChanged();
  emit asksChanged();
}

void Document::inferInBackground() {
  background_.startForFile(kInference, [this, module = module(), revision = revision_]() mutable -> Background::Answer {
    Diagnostics found = inferModule(module);
    found.addAll(verify(module).items());
    return [this, module = std::move(module), found = std::move(found), revision] {
      if (revision != revision_) return;  // an edit came first and inferred for itself
      const bool unedited = edits_.replaceUnedited(module);
      setDiagnostics(found);  // those of an edit that is still being done follow, if it is not refused
      if (!unedited) return;
      emit moduleChanged();
      if (live_.isOn()) live_.evaluate();
    };
  });
}

void Document::verifyInBackground() {
  background_.startForFile(kInference, [this, module = module(), revision = revision_]() -> Background::Answer {
    Module copy = module;
    Diagnostics found = inferModule(copy);
    found.addAll(verify(copy).items());
    return [this, found = std::move(found), revision] {
      if (revision == revision_) setDiagnostics(found);
    };
  });
}

void Document::printInBackground() {
  background_.startForFile(kPrinting, [this, module = module(), revision = revision_]() -> Background::Answer {
    auto text = makeHloText(module);
    return [this, text, revision] {
      if (revision != revision_) return;
      state_.text = text;
      emit textChanged();
    };
  });
}

void Document::setDiagnostics(const Diagnostics& found) {
  state_.found = found.items();
  collectDiagnostics();
}

void Document::collectDiagnostics() {
  state_.diagnostics = state_.refused;
  Diagnostics read, found;
  read.addAll(state_.read);
  found.addAll(state_.found);
  leaveOutLacking(found, read);
  std::unordered_set<std::string> seen;
  for (const Diagnostics* list : {&read, &found})
    for (const Diagnostic& d : list->items())
      if (seen.insert(d.toString()).second) state_.diagnostics.push_back(d);
  emit diagnosticsChanged();
}

// --- the graph

void Document::perform(Edit edit, InstructionId selects, StepKey key) {
  if (!isOpen() || isPlainGraph()) return;
  const Scene& shown = view_.scene();
  noteAll(edit, module(), *shown.view, *shown.arrangement);
  edits_.perform(std::move(edit), selects, std::move(key));
}

void Document::edited(const EditResult& result, InstructionId selects) {
  view_.leaveRemovedComputation();
  live_.leaveRemovedCalls();
  takeProject();
  moduleReplaced();
  const uint32_t made =
      selects.valid() && selects.value >= kNewInstruction ? selects.value - kNewInstruction : InstructionId::kInvalid;
  if (selects == kAllAdded) {
    std::vector<InstructionId> all(result.added.rbegin(),
                                   result.added.rend());  // the last is the first to be looked at
    std::erase_if(all, [this](InstructionId id) { return module().at(id).computation != view_.computation(); });
    select(std::move(all));
  } else if (made < result.added.size())
    select({result.added[made]});
  else if (selects.valid())
    select({selects});
  else if (!result.added.empty())
    select({result.added.back()});
  setDiagnostics(result.diagnostics);
}

// A step that only arranged leaves values and the last run alone, unless it muted.
void Document::moved(const HistoryStep& step) {
  view_.leaveRemovedComputation();
  live_.leaveRemovedCalls();
  const std::vector<InstructionId> mutedBefore = muted();
  takeProject();
  if (step.graphChanged) {
    restoreSelection();
    moduleReplaced();
    emit selectionChanged();
    verifyInBackground();
  } else {
    pageReplaced();
    if (muted() != mutedBefore) evaluate();
  }
  emit stepped(step);
}

void Document::moduleReplaced() {
  ++revision_;
  view_.remakeMaker();
  std::erase_if(state_.selection, [&](InstructionId id) { return !module().contains(id); });
  run_.forgetOutcome();
  emit moduleChanged();
  if (!run_.bringBack()) emit run_.outcomeChanged();
  view_.arrangeAgain(true);
  printInBackground();
  evaluate();
}

void Document::evaluate() {
  live_.evaluate();
  watched_.compute();
}

// Selecting everything of a large graph after every edit would fill the memory.
void Document::noteSelection() {
  constexpr size_t kMostKept = 1000;
  if (state_.selection.size() <= kMostKept)
    state_.selectionOf[history().graph()] = state_.selection;
  else
    state_.selectionOf.erase(history().graph());
}

// What was selected when the graph was left that an undo or redo brings back.
void Document::restoreSelection() {
  if (const auto kept = state_.selectionOf.find(history().graph()); kept != state_.selectionOf.end())
    state_.selection = kept->second;
}

void Document::select(std::vector<InstructionId> selection) {
  if (!isOpen()) return;
  std::erase_if(selection, [&](InstructionId id) { return !module().contains(id); });
  view_.selectGroup({});
  if (selection == state_.selection) return;
  state_.selection = std::move(selection);
  noteSelection();
  const InstructionId first = selected();
  const auto& view = view_.scene().view;
  const bool shownLater = view && first.valid() && first.value >= view->boxes.size();  // made by the last edit
  if (first.valid() && view && !shownLater && view->boxOf(first) < 0)
    view_.showComputation(module().at(first).computation);
  emit selectionChanged();
  live_.followSelection();
}

std::vector<InstructionId> Document::usersOf(InstructionId id) const {
  if (!state_.users || state_.usersRevision != revision_) {
    state_.users = std::make_shared<const UserTable>(module());
    state_.usersRevision = revision_;
  }
  const auto users = state_.users->users(id);
  return {users.begin(), users.end()};
}

// --- what is arranged round it, and how it runs

const ProjectPage* Document::page() const {
  return isOpen() && !isPlainGraph() ? state_.project.find(module().at(view_.computation()).name) : nullptr;
}

void Document::arrange(const QString& title, PageChange change) {
  arrange(title, view_.computation(), std::move(change));
}

void Document::arrange(const QString& title, ComputationId computation, PageChange change) {
  if (isOpen() && !isPlainGraph()) edits_.arrange(title, module().at(computation).name, std::move(change));
}

void Document::setFlow(PageFlow flow) {
  if (!isOpen() || isPlainGraph()) return;
  edits_.setFlow(flow == PageFlow::Right  ? tr("Wires to the right")
                 : flow == PageFlow::Down ? tr("Wires downwards")
                                          : tr("Wires by the form of the graph"),
                 flow);
}

void Document::setRunSettings(RunSettings settings, const QString& title, StepKey key) {
  if (!isOpen() || isPlainGraph() || (settings == runSettings() && edits_.isEmpty())) return;
  state_.files.trustNew(runSettings(), settings);
  edits_.setRun(title, std::move(settings), std::move(key));
}

// What a file of the program's own gives goes home.
FileAccess Document::filesOfRun() const {
  FileAccess out = files();
  if (file_.isOfProgram()) out.setOutfeedFolder(QDir::homePath().toStdString());
  return out;
}

void Document::trustSaved(const std::filesystem::path& folder) { state_.files.save(folder, module(), runSettings()); }

void Document::allow(const FileAsk& ask) {
  const Status kept = state_.files.allow(ask);
  std::vector<FileAsk> left;
  for (const FileAsk& each : asks())
    if (each.hash != ask.hash) left.push_back(each);
  showAsks(std::move(left));
  evaluate();
  if (!kept) emit failed(QString::fromStdString(kept.error().toString()), kept.error().kind);
}

void Document::withdraw(const std::string& hash) {
  const Status done = state_.files.withdraw(hash);
  showAsks(filesOfRun().asks(runSettings()));
  if (!done) emit failed(QString::fromStdString(done.error().toString()), done.error().kind);
}

void Document::showAsks(std::vector<FileAsk> asks) {
  state_.asks = std::move(asks);
  emit asksChanged();
}

void Document::takeProject() {
  Project fresh = withOpenGroupsOf(state_.project, history().project());
  const bool runsOtherwise = fresh.run != runSettings();
  state_.project = std::move(fresh);
  watched_.take();
  if (!runsOtherwise) return;
  emit runSettingsChanged();
  evaluate();
}

void Document::rememberOpenGroups() {
  if (!isPlainGraph()) noteShown(state_.project, module().at(view_.computation()).name, view_.scene());
}

void Document::pageReplaced() {
  watched_.follow();
  view_.projectReplaced();
  emit pageChanged();
}

std::vector<InstructionId> Document::muted() const { return mutedIn(module(), state_.project); }

}  // namespace tessera
