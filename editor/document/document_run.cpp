// Running a Document: compile and run on a worker with progress and cancel; the profile becomes the overlay.
#include <QDir>
#include <chrono>

#include "backends/run_request.h"
#include "core/edit/wiring/splicing.h"
#include "core/evaluate/complete.h"
#include "core/evaluate/evaluate.h"
#include "core/ops/inference/infer.h"
#include "core/ops/inference/unfinished.h"
#include "editor/document/document.h"
#include "editor/document/node_values.h"
#include "editor/document/priorities.h"
#include "editor/document/value_text.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kProfiledRuns = 5;
constexpr double kLongRunMs = 2000;

using Progress = std::function<void(QString, double)>;

// The studio's measure: a run to warm up, whose outputs are shown, and the quickest of five with a profile.
Result<RunRequest> measuredRequest(const FileAccess& files, const RunSettings& settings,
                                   const std::atomic<bool>& cancel, const Progress& progress) {
  TESSERA_ASSIGN_OR_RETURN(RunRequest out, requestOf(settings, files));
  TESSERA_ASSIGN_OR_RETURN(out.arguments, argumentRulesOf(settings, files));
  out.arguments.decodeImage = decodePicture;
  out.compile.cancel = &cancel;
  out.compile.progress = [progress](std::string_view stage, double fraction) {
    const QString words = QString::fromUtf8(stage.data(), static_cast<qsizetype>(stage.size()));
    const bool runs = stage == kRunStage || stage.starts_with(kProfileStage);
    progress(stage == kRunStage ? QObject::tr("Running")
             : runs             ? words
                                : QObject::tr("Compiling: %1").arg(words),
             fraction);
  };
  out.warmUps = 1;
  out.runs = 0;
  out.profiledRuns = kProfiledRuns;
  out.longRunMs = kLongRunMs;
  out.quickestProfile = true;
  return out;
}

// Arguments that neither words nor the fill rule gave.
size_t argumentsGiven(const ArgumentRules& rules, size_t count) {
  size_t out = 0;
  for (size_t leaf = 0; leaf < count; ++leaf)
    out += rules.given.contains("arg" + std::to_string(leaf)) && !rules.sources.contains(static_cast<int64_t>(leaf));
  return out;
}

Result<RunOutcome> compileAndRun(const Module& module, const FileAccess& files, const RunSettings& settings,
                                 const std::atomic<bool>& cancel, const Progress& progress) {
  // A graph with an open input is a document, but no program.
  const Diagnostics found = verify(module);
  for (const Diagnostic& d : found.items())
    if (d.severity == Severity::Error) return std::unexpected(d);
  TESSERA_ASSIGN_OR_RETURN(const RunRequest request, measuredRequest(files, settings, cancel, progress));
  TESSERA_ASSIGN_OR_RETURN(RunReport ran, runModule(module, request));
  if (request.keepsOutfeed) TESSERA_TRY(files.writeArrays({FileUse::Outfeed, settings.outfeed}, ran.outfeed));
  RunOutcome out;
  out.compileMs = ran.compileMs;
  out.runMs = ran.quickestMs();
  out.runs = static_cast<int>(ran.profiledMs.size());
  out.peakBytes = ran.peakBytes;
  out.profile = std::move(ran.profile);
  out.arguments = ran.arguments;
  out.argumentsFromFile = argumentsGiven(request.arguments, ran.arguments);
  for (size_t device = 0; device < ran.outputs.size(); ++device)
    for (Literal& output : ran.outputs[device]) {
      const QString of = ran.outputs.size() > 1 ? QObject::tr("device %1: ").arg(device) : QString();
      out.outputTexts.push_back(of + valueText(output));
      out.outputs.push_back(std::move(output));
    }
  return out;
}

// A leaf of the result has the name of the value that it belongs to.
std::vector<std::string> leafNames(const Module& module, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  const Shape& result = module.shapeOf(module.entryComputation().root);
  for (size_t k = 0; k < names.size() && k < result.elements.size(); ++k)
    for (const ShapeLeaf& leaf : leavesOf(result.elements[k]))
      if (!leaf.shape->isToken()) out.push_back(names[k]);
  return out;
}

// Of a graph that somebody is still building, what is complete runs.
Result<RunOutcome> runWhatIsComplete(const Module& module, const FileAccess& files, const RunSettings& settings,
                                     const std::atomic<bool>& cancel, const Progress& progress) {
  if (!isUnfinished(module)) return compileAndRun(module, files, settings, cancel, progress);
  TESSERA_ASSIGN_OR_RETURN(CompletePart part, completeModule(module));
  TESSERA_ASSIGN_OR_RETURN(RunOutcome out, compileAndRun(part.module, files, settings, cancel, progress));
  out.names = leafNames(part.module, part.outputs);
  out.leftOut = std::move(part.leftOut);
  return out;
}

// Nothing is compiled for a run that may not use its files.
Result<RunOutcome> runAllowed(const Module& module, const FileAccess& files, const RunSettings& settings,
                              const std::atomic<bool>& cancel, const Progress& progress) {
  TESSERA_TRY(files.check(settings));
  return runWhatIsComplete(module, files, settings, cancel, progress);
}

}  // namespace

struct Document::RunAnswer {
  Result<RunOutcome> outcome;
  std::vector<FileAsk> asks;  // what kept it from running
  std::optional<Overlay> overlay;
  uint64_t revision;
};

void Document::run() {
  if (isPlainGraph()) {
    emit failed(tr("A Graphviz file is a picture: it has no operations to run."), ErrorKind::Unsupported);
    return;
  }
  if (!isOpen() || running_) return;
  running_ = true;
  emit runningChanged();
  cancelRun_ = std::make_shared<std::atomic<bool>>(false);
  // As often as an eye reads: a thousand devices compile in a moment. What lasts without a measure is always said.
  static constexpr auto kBetween = std::chrono::milliseconds(40);
  const Progress progress = [this, told = Clock::time_point()](QString stage, double fraction) mutable {
    if (fraction >= 0 && Clock::now() - told < kBetween) return;
    told = Clock::now();
    QMetaObject::invokeMethod(
        this,
        [this, stage, fraction] {
          if (running_) emit progressed(stage, fraction);
        },
        Qt::QueuedConnection);
  };
  startForModule(kRunning,
                 [this, module = withoutMuted(module(), muted()), files = filesOfRun(), settings = project_.run,
                  cancel = cancelRun_, progress, revision = revision_]() -> Answer {
                   auto answer = std::make_shared<RunAnswer>(
                       RunAnswer{runAllowed(module, files, settings, *cancel, progress), {}, {}, revision});
                   if (!answer->outcome) answer->asks = files.asks(settings);
                   if (answer->outcome) answer->overlay = overlayOf(answer->outcome->profile);
                   return [this, answer] { finishRun(answer); };
                 });
}

void Document::finishRun(std::shared_ptr<RunAnswer> answer) {
  running_ = false;
  emit progressed({}, 0);
  emit runningChanged();
  showAsks(std::move(answer->asks));
  if (!answer->outcome) {
    const Diagnostic& why = answer->outcome.error();
    emit failed(QString::fromStdString(why.toString()), why.kind);
    return;
  }
  if (answer->revision != revision_) return;  // the graph was edited meanwhile
  outcome_ = std::move(*answer->outcome);
  overlay_ = std::move(answer->overlay);
  emit outcomeChanged();
  if (overlayShown_) redraw();
}

// A scene that is still of an older graph is made anew.
void Document::redraw() {
  if (sceneShown_ != sceneRequest_) return arrangeAgain(true);
  makeScene(true,
            [scene = scene_](SceneMaker& scenes, const Overlay* overlay) { return scenes.redraw(scene, overlay); });
}

// What a file of the program's own gives goes home.
FileAccess Document::filesOfRun() const {
  FileAccess out = files_;
  if (isOfProgram()) out.setOutfeedFolder(QDir::homePath().toStdString());
  return out;
}

void Document::allow(const FileAsk& ask) {
  const Status kept = files_.allow(ask);
  std::vector<FileAsk> left;
  for (const FileAsk& each : asks_)
    if (each.hash != ask.hash) left.push_back(each);
  showAsks(std::move(left));
  evaluateInBackground();
  if (!kept) emit failed(QString::fromStdString(kept.error().toString()), kept.error().kind);
}

void Document::showAsks(std::vector<FileAsk> asks) {
  asks_ = std::move(asks);
  emit asksChanged();
}

void Document::cancel() {
  for (const CancelToken& token : {cancelRun_, cancelFetch_})
    if (token) *token = true;
}

void Document::showOverlay(bool shown) {
  if (overlayShown_ == shown) return;
  overlayShown_ = shown;
  if (isOpen() && overlay_) redraw();
}

}  // namespace tessera
