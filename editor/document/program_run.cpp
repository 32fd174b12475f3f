// Compile and run on a worker with progress and cancel; the profile becomes the overlay.
#include "editor/document/program_run.h"

#include <chrono>
#include <mutex>

#include "backends/run_request.h"
#include "core/edit/wiring/splicing.h"
#include "core/evaluate/complete.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "core/ops/inference/unfinished.h"
#include "core/profile/sources/profile_source.h"
#include "editor/document/document.h"
#include "editor/document/node_values.h"
#include "editor/document/priorities.h"
#include "editor/document/value_text.h"
#include "editor/preferences/preferences.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kProfiledRuns = 5;
constexpr double kLongRunMs = 2000;

using Report = std::function<void(QString, double)>;

// The studio's measure: a run to warm up, whose outputs are shown, and five with a profile, of which the median counts.
Result<RunRequest> measuredRequest(const FileAccess& files, const RunSettings& settings,
                                   const std::atomic<bool>& cancel, const Report& progress) {
  TESSERA_ASSIGN_OR_RETURN(RunRequest out, requestOf(settings, files));
  TESSERA_ASSIGN_OR_RETURN(out.arguments, argumentRulesOf(settings, files));
  out.arguments.decodeImage = decodePicture;
  out.arguments.watch = [&cancel, progress](size_t leaf, size_t leaves) -> Status {
    if (cancel) return failCancelled();
    progress(QObject::tr("Making arguments"), static_cast<double>(leaf) / static_cast<double>(leaves));
    return {};
  };
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
  out.counters = true;
  return out;
}

// Arguments that neither words nor the fill rule gave.
size_t argumentsGiven(const ArgumentRules& rules, size_t count) {
  size_t out = 0;
  for (size_t leaf = 0; leaf < count; ++leaf)
    out += rules.given.contains("arg" + std::to_string(leaf)) && !rules.sources.contains(static_cast<int64_t>(leaf));
  return out;
}

QString countersText(const RunReport& ran) {
  QStringList out;
  if (!ran.countersAbsent.empty())
    out << QObject::tr("no hardware counters: %1").arg(QString::fromStdString(ran.countersAbsent));
  for (const CounterValue& value : ran.counters)
    out << QStringLiteral("%1 %2").arg(QString::fromStdString(amountText(value.count)),
                                       QString::fromStdString(value.name));
  return out.join(QStringLiteral(", "));
}

Result<RunOutcome> compileAndRun(const Module& module, const FileAccess& files, const RunSettings& settings,
                                 const std::atomic<bool>& cancel, const Report& progress) {
  // A graph with an open input is a document, but no program.
  const Diagnostics found = verify(module);
  for (const Diagnostic& d : found.items())
    if (d.severity == Severity::Error) return std::unexpected(d);
  TESSERA_ASSIGN_OR_RETURN(const RunRequest request, measuredRequest(files, settings, cancel, progress));
  TESSERA_ASSIGN_OR_RETURN(RunReport ran, runModule(module, request));
  if (request.keepsOutfeed) TESSERA_TRY(files.writeArrays({FileUse::Outfeed, settings.outfeed}, ran.outfeed));
  RunOutcome out;
  out.compileMs = ran.compileMs;
  out.runMs = ran.medianMs();
  out.runs = static_cast<int>(ran.profiledMs.size());
  out.peakBytes = ran.peakBytes;
  out.counters = countersText(ran);
  out.allRuns = std::make_shared<const Profile>(std::move(ran.profile));
  out.profile = medianRun(*out.allRuns);
  out.arguments = ran.arguments;
  out.argumentsChosen = static_cast<size_t>(std::ranges::count_if(request.arguments.sources, [&](const auto& source) {
    return source.first < static_cast<int64_t>(ran.arguments);
  }));
  out.argumentsFromFile = argumentsGiven(request.arguments, ran.arguments);
  TESSERA_ASSIGN_OR_RETURN(DeviceArrays outputs, outputsAsGiven(module, ran));
  for (size_t device = 0; device < outputs.size(); ++device)
    for (Literal& output : outputs[device]) {
      const QString of = outputs.size() > 1 ? QObject::tr("device %1: ").arg(device) : QString();
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
                                     const std::atomic<bool>& cancel, const Report& progress) {
  if (!isUnfinished(module)) return compileAndRun(module, files, settings, cancel, progress);
  TESSERA_ASSIGN_OR_RETURN(CompletePart part, completeModule(module));
  TESSERA_ASSIGN_OR_RETURN(RunOutcome out, compileAndRun(part.module, files, settings, cancel, progress));
  out.names = leafNames(part.module, part.outputs);
  out.leftOut = std::move(part.leftOut);
  return out;
}

QString originOf(const RunOutcome& outcome) {
  return outcome.runs > 1 ? QObject::tr("median of %1 runs, after one to warm up").arg(outcome.runs)
                          : QObject::tr("one run, after one to warm up");
}

// Nothing is compiled for a run that may not use its files.
Result<RunOutcome> runAllowed(const Module& module, const FileAccess& files, const RunSettings& settings,
                              const std::atomic<bool>& cancel, const Report& progress) {
  TESSERA_TRY(files.check(settings));
  return runWhatIsComplete(module, files, settings, cancel, progress);
}

// Those of the document; threads that it leaves open as the user prefers.
RunSettings settingsOf(const Document& document) {
  RunSettings out = document.runSettings();
  if (out.threads == 0) out.threads = preferences().threads;
  return out;
}

// --- what a worker makes of a profile for a graph

auto workOf(std::shared_ptr<const Profile> profile) {
  return [profile = std::move(profile)](const std::shared_ptr<const Module>& module) {
    return std::pair(std::make_shared<const OpTimes>(opTimesOf(*profile, module)), timelineOf(*profile, module));
  };
}

struct OpenedTimes {
  OpProfile profile;
  std::once_flag linked;  // the profile's timeline to the graph
};

auto workOf(std::shared_ptr<OpenedTimes> opened) {
  return [opened = std::move(opened)](const std::shared_ptr<const Module>& module) {
    std::call_once(opened->linked, [&] { linkTimeline(opened->profile, module); });
    return std::pair(std::make_shared<const OpTimes>(opTimesOf(opened->profile, module)), opened->profile.timeline);
  };
}

}  // namespace

struct ProgramRun::Answer {
  Result<RunOutcome> outcome;
  std::vector<FileAsk> asks;  // what kept it from running
  uint64_t revision;
};

void ProgramRun::begin() {
  tessera::cancel(state_.running);
  background_.dispose(std::exchange(state_, State()));
}

void ProgramRun::forgetOutcome() {
  state_.left.reset();
  if (std::exchange(state_.keepsTimes, false) && profile())
    state_.left = {.profile = *profile(), .origin = state_.origin, .own = isOwnRun(), .device = state_.device};
  background_.dispose(std::exchange(state_.outcome, std::nullopt));
  state_.opened.reset();
  state_.wasOwnRun = false;
  background_.dispose(std::exchange(state_.times, nullptr));
  background_.dispose(std::exchange(state_.timeline, nullptr));
  state_.origin = {};
  state_.device.reset();
}

// The panels' forms of the profile, for the graph as it is now.
void ProgramRun::analyse(AnalysisWork work) {
  state_.times.reset();
  state_.timeline.reset();
  emit analysed();
  auto module = std::make_shared<const Module>(document_.module());
  background_.startForFile(
      kReading, [this, module, work = std::move(work), revision = document_.revision()]() -> Background::Answer {
        return [this, revision, made = work(module)] {
          if (revision != document_.revision()) return;
          std::tie(state_.times, state_.timeline) = made;
          emit analysed();
        };
      });
}

const Profile* ProgramRun::profile() const {
  if (state_.opened) return &*state_.opened;
  return state_.outcome ? &state_.outcome->profile : nullptr;
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
  state_.progress = {tr("Starting the run"), -1};
  emit runningChanged();
  emit progressed();
  // As often as an eye reads: a thousand devices compile in a moment. What lasts without a measure is always said.
  static constexpr auto kBetween = std::chrono::milliseconds(40);
  const Report progress = [this, run = state_.running, told = Clock::time_point()](const QString& stage,
                                                                                   double fraction) mutable {
    if (fraction >= 0 && Clock::now() - told < kBetween) return;
    told = Clock::now();
    tell(run, {stage, fraction});
  };
  background_.startForFile(kRunning,
                           [this, module = withoutMuted(document_.module(), document_.muted()),
                            files = document_.filesOfRun(), settings = settingsOf(document_), cancel = state_.running,
                            progress, revision = document_.revision()]() -> Background::Answer {
                             auto answer = std::make_shared<Answer>(
                                 Answer{runAllowed(module, files, settings, *cancel, progress), {}, revision});
                             if (!answer->outcome) answer->asks = files.asks(settings);
                             return [this, answer, cancel] {
                               if (cancel == state_.running) finish(*answer);  // else it was cancelled
                             };
                           });
}

void ProgramRun::cancel() {
  if (!state_.running) return;
  tessera::cancel(state_.running);
  endRunning();
  emit cancelled();
}

void ProgramRun::endRunning() {
  state_.running.reset();
  state_.progress = {};
  emit progressed();
  emit runningChanged();
}

void ProgramRun::finish(Answer& answer) {
  endRunning();
  document_.showAsks(std::move(answer.asks));
  if (!answer.outcome) {
    const Diagnostic& why = answer.outcome.error();
    return emit failed(QString::fromStdString(why.toString()), why.kind);
  }
  if (answer.revision != document_.revision()) return;  // the graph was edited meanwhile
  state_.opened.reset();
  state_.wasOwnRun = false;
  state_.device.reset();
  state_.outcome = std::move(*answer.outcome);
  state_.origin = {.words = originOf(*state_.outcome)};
  keepOnly({.profile = state_.outcome->profile,
            .origin = state_.origin,
            .own = true,
            .work = workOf(state_.outcome->allRuns)});
  emit outcomeChanged();
  analyse(workOf(state_.outcome->allRuns));
}

// --- a profile of another program

struct ProgramRun::OpenedProfile {
  QString path;
  Result<OpProfile> profile;
  std::optional<Profile> laid;  // over the graph that is open
  std::string module, hlo;      // name and text of the one to show, where no graph is open
  QStringList modules;
  bool isOther = false;  // most does not land on the graph that is open, but on a module that the profile holds
  uint64_t revision;
};

namespace {

// What was just made has none yet.
bool hasGraph(const Document& document) {
  return document.isOpen() && !document.isPlainGraph() && document.module().instructionCount() > 0;
}

// Those with a graph and times; of them the wanted one first, or the one that took longest.
std::vector<const ProfiledModule*> modulesOf(const OpProfile& profile, const QString& wanted) {
  std::vector<const ProfiledModule*> out;
  for (const ProfiledModule& module : profile.modules)
    if (module.module) out.push_back(&module);
  const ProfiledModule* longest = longestModule(profile);
  std::ranges::stable_partition(out, [&](const ProfiledModule* module) {
    return wanted.isEmpty() ? module == longest : QString::fromStdString(labelOf(*module)) == wanted;
  });
  return out;
}

QString warningsOf(const OpProfile& profile) {
  QStringList out;
  for (const std::string& warning : profile.warnings) out << QString::fromStdString(warning);
  return out.join(QStringLiteral("; "));
}

QString nothingLands(const QString& path, const OpProfile& profile) {
  const QString why =
      profile.warnings.empty() ? QObject::tr("it names no instruction that is known") : warningsOf(profile);
  return QObject::tr("%1: nothing of it lands on a graph: %2").arg(path, why);
}

QString originOf(const QString& path, const OpProfile& profile) {
  const QString name = path.section(QLatin1Char('/'), -1);
  if (profile.steps == 1) return QObject::tr("%1: its one step").arg(name);
  return profile.steps > 1 ? QObject::tr("%1: one of %L2 steps").arg(name).arg(profile.steps)
                           : QObject::tr("%1: all that was recorded").arg(name);
}

// The graph is none of the modules that the profile holds, and most of its time is not placed on it.
bool isOfAnother(const QString& path, const OpProfile& placed, const Module& graph) {
  if (placed.placedNs >= placed.unmatchedNs && !placed.instructions.empty()) return false;
  const auto byItself = readProfileSource(path.toStdString());
  if (!byItself || !longestModule(*byItself)) return false;
  return std::ranges::none_of(byItself->modules, [&](const ProfiledModule& each) {
    return each.module && haveSameInstructions(*each.module, graph);
  });
}

QString summaryOfProfile(const QString& path, const OpProfile& profile) {
  const auto time = [](int64_t ns) { return QString::fromStdString(durationText(static_cast<double>(ns))); };
  const QString name = path.section(QLatin1Char('/'), -1);
  if (profile.totalNs == 0) return QObject::tr("%1: it names no instruction; the timeline shows what it has").arg(name);
  if (profile.unmatchedNs == 0) return QObject::tr("%1: all of its %2 are placed").arg(name, time(profile.totalNs));
  return QObject::tr("%1: %2 of %3 are placed, %4 are unmatched: the Profile panel lists them with the reasons")
      .arg(name, time(profile.placedNs), time(profile.totalNs), time(profile.unmatchedNs));
}

}  // namespace

void ProgramRun::openProfile(const QString& path, const QString& module) {
  auto given = hasGraph(document_) ? std::make_shared<const Module>(document_.module()) : nullptr;
  const auto read = [path, module, given, revision = document_.revision()] {
    auto opened = std::make_shared<OpenedProfile>(
        OpenedProfile{.path = path,
                      .profile = readProfileSource(path.toStdString(), given, {.timeline = true}),
                      .revision = revision});
    if (!opened->profile) return opened;
    if (given) opened->laid = toProfile(*opened->profile, *given);
    opened->isOther = given && isOfAnother(path, *opened->profile, *given);
    const auto modules = given ? std::vector<const ProfiledModule*>() : modulesOf(*opened->profile, module);
    for (const ProfiledModule* each : modules) opened->modules << QString::fromStdString(labelOf(*each));
    if (modules.empty()) return opened;
    opened->module = modules[0]->name;
    opened->hlo = printHloText(*modules[0]->module);
    return opened;
  };
  state_.reading = newCancelToken();
  state_.readFile = path.section(QLatin1Char('/'), -1);
  emit progressed();
  background_.startForFile(kReading, [this, read, token = state_.reading]() -> Background::Answer {
    return [this, token, opened = read()] {
      if (token != state_.reading) return;  // cancelled
      state_.reading.reset();
      emit progressed();
      install(*opened);
    };
  });
}

void ProgramRun::cancelReading() {
  if (!std::exchange(state_.reading, nullptr)) return;
  emit progressed();
  emit cancelled();
}

void ProgramRun::install(OpenedProfile& opened) {
  if (opened.revision != document_.revision()) return;  // the graph was edited meanwhile
  if (!opened.profile) {
    const Diagnostic& why = opened.profile.error();
    return emit failed(QString::fromStdString(why.toString()), why.kind);
  }
  if (opened.isOther) return emit ofAnotherModule(opened.path);
  const bool lands = !opened.profile->instructions.empty() && (hasGraph(document_) || !opened.hlo.empty());
  const bool hasSpans = opened.profile->timeline && opened.profile->timeline->spanCount() > 0;
  if (!lands && !hasSpans) return emit failed(nothingLands(opened.path, *opened.profile), ErrorKind::Input);
  if (!opened.hlo.empty()) {
    if (const Status made = document_.file().createFromHlo(opened.hlo, opened.module); !made)
      return emit failed(QString::fromStdString(made.error().toString()), made.error().kind);
  } else if (!document_.isOpen()) {
    document_.file().create();
  }
  forgetOutcome();
  const QString summary = summaryOfProfile(opened.path, *opened.profile);
  Laid laid{.origin = {.words = originOf(opened.path, *opened.profile),
                       .path = opened.path,
                       .warnings = warningsOf(*opened.profile),
                       .modules = opened.modules}};
  if (lands) laid.profile = opened.laid ? *std::move(opened.laid) : toProfile(*opened.profile, document_.module());
  laid.device = opened.profile->device;
  laid.work = workOf(std::make_shared<OpenedTimes>(*std::move(opened.profile)));
  keepOnly(std::move(laid));
  lay(*state_.kept.begin()->second);
  emit profileOpened(summary, lands);
}

void ProgramRun::keepOnly(Laid laid) {
  const auto graph = document_.history().graph();
  background_.dispose(std::exchange(state_.kept, {{graph, std::make_shared<const Laid>(std::move(laid))}}));
}

bool ProgramRun::bringBack() {
  const uint64_t graph = document_.history().graph();
  if (auto left = std::exchange(state_.left, std::nullopt))
    state_.kept.insert_or_assign(graph, std::make_shared<const Laid>(leftOf(*std::move(left))));
  const auto kept = state_.kept.find(graph);
  if (kept == state_.kept.end()) return false;
  lay(*kept->second);
  return true;
}

ProgramRun::Laid ProgramRun::leftOf(Laid laid) const {
  const auto isGone = [&](const auto& each) { return !document_.module().contains(each.instruction); };
  std::erase_if(laid.profile->sources, isGone);
  std::erase_if(laid.profile->shares, isGone);
  laid.origin.words = tr("%1, before a part was replaced").arg(laid.origin.words);
  laid.work = workOf(std::make_shared<const Profile>(*laid.profile));
  return laid;
}

void ProgramRun::lay(const Laid& laid) {
  state_.opened = laid.profile;
  state_.wasOwnRun = laid.own;
  state_.origin = laid.origin;
  state_.device = laid.device;
  emit outcomeChanged();
  analyse(laid.work);
}

}  // namespace tessera
