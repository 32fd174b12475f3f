// Compile and run on a worker with progress and cancel; the profile becomes the overlay.
#include "editor/document/program_run.h"

#include <QDir>
#include <chrono>
#include <cmath>

#include "backends/backend.h"
#include "core/edit/wiring/splicing.h"
#include "core/evaluate/complete.h"
#include "core/evaluate/evaluate.h"
#include "core/ops/inference/infer.h"
#include "core/ops/inference/unfinished.h"
#include "editor/document/device_run.h"
#include "editor/document/document.h"
#include "editor/document/node_values.h"
#include "editor/document/priorities.h"
#include "editor/document/value_text.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kProfiledRuns = 5;

double millisecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

using Report = std::function<void(QString, double)>;

Result<RunOutcome> compileAndRun(const Module& module, const QString& path, const RunSettings& settings,
                                 const std::atomic<bool>& cancel, const Report& progress) {
  // A graph with an open input is a document, but no program.
  const Diagnostics found = verify(module);
  for (const Diagnostic& d : found.items())
    if (d.severity == Severity::Error) return std::unexpected(d);
  if (wantsDevices(module, settings)) return runOnGrid(module, path, settings, cancel, progress);
  RunOutcome out;
  TESSERA_ASSIGN_OR_RETURN(auto backend, makeBackend(settings.backend));
  TESSERA_ASSIGN_OR_RETURN(std::vector<Literal> arguments, argumentsOf(module, path, settings, &out.argumentsFromFile));
  out.arguments = arguments.size();
  CompileOptions compileOptions;
  compileOptions.cancel = &cancel;
  compileOptions.threads = settings.threads;
  compileOptions.kernelCache = defaultKernelCache();
  compileOptions.progress = [&](std::string_view stage, double fraction) {
    progress(QObject::tr("Compiling: %1").arg(QString::fromUtf8(stage.data(), static_cast<qsizetype>(stage.size()))),
             fraction);
  };
  Clock::time_point begin = Clock::now();
  TESSERA_ASSIGN_OR_RETURN(auto executable, backend->compile(module, compileOptions));
  out.compileMs = millisecondsSince(begin);
  RunOptions runOptions;
  runOptions.cancel = &cancel;
  progress(QObject::tr("Running"), -1);
  begin = Clock::now();
  TESSERA_ASSIGN_OR_RETURN(out.outputs, executable->run(arguments, runOptions));  // also warms up
  const double first = millisecondsSince(begin);
  constexpr double kLongRunMs = 2000;
  const int runs = first > kLongRunMs ? 1 : kProfiledRuns;
  out.runMs = INFINITY;
  for (int i = 0; i < runs; ++i) {
    progress(QObject::tr("Profiling run %1 of %2").arg(i + 1).arg(runs), static_cast<double>(i) / runs);
    Profile profile;
    begin = Clock::now();
    TESSERA_ASSIGN_OR_RETURN(out.outputs, executable->run(arguments, runOptions, &profile));
    const double took = millisecondsSince(begin);
    if (took >= out.runMs) continue;  // something else took the processor
    out.runMs = took;
    out.profile = std::move(profile);
  }
  out.runs = runs;
  for (const Literal& output : out.outputs) out.outputTexts.push_back(valueText(output));
  out.peakBytes = executable->peakBytes();
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
Result<RunOutcome> runWhatIsComplete(const Module& module, const QString& path, const RunSettings& settings,
                                     const std::atomic<bool>& cancel, const Report& progress) {
  if (!isUnfinished(module)) return compileAndRun(module, path, settings, cancel, progress);
  TESSERA_ASSIGN_OR_RETURN(CompletePart part, completeModule(module));
  TESSERA_ASSIGN_OR_RETURN(RunOutcome out, compileAndRun(part.module, path, settings, cancel, progress));
  out.names = leafNames(part.module, part.outputs);
  out.leftOut = std::move(part.leftOut);
  return out;
}

}  // namespace

struct ProgramRun::Answer {
  Result<RunOutcome> outcome;
  std::optional<Overlay> overlay;
  uint64_t revision;
};

void ProgramRun::begin() {
  cancel();
  background_.dispose(std::exchange(state_, State()));
}

void ProgramRun::forgetOutcome() {
  background_.dispose(std::exchange(state_.outcome, std::nullopt));
  state_.overlay.reset();
}

void ProgramRun::tell(const CancelToken& run, const Progress& progress) {
  QMetaObject::invokeMethod(
      this,
      [this, run, progress] {
        if (run != state_.running) return;
        state_.progress = progress;
        emit progressed();
      },
      Qt::QueuedConnection);
}

void ProgramRun::start() {
  if (document_.isPlainGraph())
    return emit failed(tr("A Graphviz file is a picture: it has no operations to run."), ErrorKind::Unsupported);
  if (!document_.isOpen() || isRunning()) return;
  state_.running = newCancelToken();
  emit runningChanged();
  // As often as an eye reads: a thousand devices compile in a moment. What lasts without a measure is always said.
  static constexpr auto kBetween = std::chrono::milliseconds(40);
  const Report progress = [this, run = state_.running, told = Clock::time_point()](const QString& stage,
                                                                                   double fraction) mutable {
    if (fraction >= 0 && Clock::now() - told < kBetween) return;
    told = Clock::now();
    tell(run, {stage, fraction});
  };
  RunSettings settings = document_.runSettings();
  if (document_.file().isOfProgram() && !settings.outfeed.empty())
    settings.outfeed = QDir::home().filePath(QString::fromStdString(settings.outfeed)).toStdString();
  background_.startForFile(
      kRunning,
      [this, module = withoutMuted(document_.module(), document_.muted()), path = document_.file().path(), settings,
       cancel = state_.running, progress, revision = document_.revision()]() -> Background::Answer {
        auto answer = std::make_shared<Answer>(
            Answer{runWhatIsComplete(module, path, settings, *cancel, progress), {}, revision});
        if (answer->outcome) answer->overlay = overlayOf(answer->outcome->profile);
        return [this, answer] { finish(*answer); };
      });
}

void ProgramRun::finish(Answer& answer) {
  state_.running.reset();
  state_.progress = {};
  emit progressed();
  emit runningChanged();
  if (!answer.outcome) {
    const Diagnostic& why = answer.outcome.error();
    return emit failed(QString::fromStdString(why.toString()), why.kind);
  }
  if (answer.revision != document_.revision()) return;  // the graph was edited meanwhile
  state_.outcome = std::move(*answer.outcome);
  state_.overlay = std::move(answer.overlay);
  emit outcomeChanged();
  document_.view().overlayChanged();
}

}  // namespace tessera
