// Live values of a Document: the complete part is traced by a worker after every edit, in the call that is looked at.
#include <QTimer>
#include <algorithm>
#include <utility>

#include "backends/backend.h"
#include "core/edit/wiring/splicing.h"
#include "core/ops/inference/infer.h"
#include "core/tools/cut_out.h"
#include "editor/document/document.h"
#include "editor/document/priorities.h"

namespace tessera {
namespace {

// Leaves of a run in the order of the value's own.
Literal assembled(const Shape& shape, const std::vector<Literal>& leaves, size_t& next) {
  if (shape.isToken()) return Literal::token();
  if (!shape.isTuple()) return next < leaves.size() ? leaves[next++] : Literal();
  std::vector<Literal> elements;
  for (const Shape& element : shape.elements) elements.push_back(assembled(element, leaves, next));
  return Literal::tuple(std::move(elements));
}

// What a value needs becomes a module of its own; its arguments are those of the parameters that stayed.
Result<Literal> computeAlone(const Module& module, InstructionId id, const FileAccess& files,
                             const RunSettings& settings, const std::atomic<bool>& cancel) {
  if (module.at(id).computation != module.entry())
    return fail("values inside called computations are there while values are live");
  TESSERA_ASSIGN_OR_RETURN(const Module alone, extract(module, id));
  const Diagnostics found = verify(alone);  // what it needs may still be open
  for (const Diagnostic& d : found.items())
    if (d.severity == Severity::Error) return std::unexpected(d);
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> all, argumentsOf(module, files, settings));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> whole, wholeArguments(module, all));
  std::vector<Literal> arguments;
  for (InstructionId parameter : alone.entryComputation().parameters) {
    const auto same = module.findInstruction(alone.at(parameter).name);
    if (!same || module.at(*same).opcode != Opcode::Parameter)
      return fail("%" + std::string(alone.at(parameter).name) + " has no value");
    const Literal& value = whole[static_cast<size_t>(module.at(*same).parameterNumber)];
    if (!value.shape().isTuple()) arguments.push_back(value);
    for (const Literal& element : value.elements()) arguments.push_back(element);
  }
  TESSERA_ASSIGN_OR_RETURN(auto backend, makeBackend(settings.backend));
  CompileOptions options;
  options.cancel = &cancel;
  TESSERA_ASSIGN_OR_RETURN(auto executable, backend->compile(alone, options));
  RunOptions run;
  run.cancel = &cancel;
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> leaves, executable->run(arguments, run));
  size_t next = 0;
  return assembled(module.shapeOf(id), leaves, next);
}

// Nodes of a computation that nothing ran keep their strip and say so.
void sayNotRun(const Module& module, ComputationId computation, NodeValues& nodes) {
  NodeValue none;
  none.text = Document::tr("not run");
  for (InstructionId id : module.at(computation).instructions) nodes.emplace(id, none);
}

// The first call of a computation that is in sight beside the one that is looked at.
void addCall(const Module& module, std::span<const Literal> arguments, ComputationId computation,
             const std::atomic<bool>* cancel, NodeValues& nodes) {
  const CallPath path = pathTo(module, computation);
  if (path.empty()) return sayNotRun(module, computation, nodes);
  const auto trace = traceModule(module, arguments, path, cancel);
  if (!trace) return;
  if (trace->calls.size() < path.size() || trace->calls.back().applications == 0)
    return sayNotRun(module, computation, nodes);
  for (auto& [id, value] : nodeValues(module, *trace))
    if (module.at(id).computation == computation) nodes.emplace(id, value);
}

}  // namespace

void Document::setLive(bool live) {
  if (!isOpen() || isPlainGraph() || live == live_) return;
  live_ = live;
  dispose(std::exchange(scenes_, newScenes()));
  if (!live) {
    values_.clear();
    trace_.reset();
    emit valuesChanged();
  }
  arrangeAgain(true);
  evaluateInBackground();
}

// A newer edit makes the older evaluation stop; one that takes longer than anybody waits is stopped too.
void Document::evaluateInBackground() {
  if (cancelValues_) *cancelValues_ = true;
  if (!live_) return;
  constexpr int kLongestMs = 3000;
  cancelValues_ = std::make_shared<std::atomic<bool>>(false);
  struct Found {
    NodeValues nodes;
    std::shared_ptr<const Trace> trace;
    QString failure;
  };
  startForModule(
      kRunning,
      [this, module = withoutMuted(module(), muted()), files = files_, settings = project_.run, played = played_,
       calls = callPath_, seen = inSight_, cancel = cancelValues_, revision = revision_]() -> Answer {
        const auto find = [&]() -> Result<Found> {
          if (!isCheapToRun(module)) return Found{};
          TESSERA_ASSIGN_OR_RETURN(std::vector<Literal> arguments, argumentsOf(module, files, settings));
          for (const auto& [leaf, value] : played)
            if (const auto at = static_cast<size_t>(leaf);
                at < arguments.size() && compatible(arguments[at].shape(), value.shape()))
              arguments[at] = value;
          TESSERA_ASSIGN_OR_RETURN(Trace trace, traceModule(module, arguments, calls, cancel.get()));
          NodeValues nodes = nodeValues(module, trace);
          for (size_t k = 0; k < calls.size(); ++k)
            if (k >= trace.calls.size() || trace.calls[k].applications == 0)
              sayNotRun(module, calls[k].computation, nodes);
          for (ComputationId each : seen)
            if (module.contains(each) &&
                std::ranges::none_of(calls, [&](const CallFrame& frame) { return frame.computation == each; }))
              addCall(module, arguments, each, cancel.get(), nodes);
          return Found{std::move(nodes), std::make_shared<const Trace>(std::move(trace)), {}};
        };
        auto result = find();
        auto found = std::make_shared<Found>(
            result ? std::move(*result) : Found{{}, nullptr, QString::fromStdString(result.error().message)});
        return [this, found, cancel, revision] {
          if (revision != revision_ || cancel != cancelValues_) return;  // a newer one is on its way
          values_ = std::move(found->nodes);
          dispose(std::exchange(trace_, found->trace));
          valuesFailure_ = found->failure;
          emit valuesChanged();
        };
      });
  QTimer::singleShot(kLongestMs, this, [cancel = cancelValues_] { *cancel = true; });
}

void Document::lookInto(CallPath path) {
  if (path == callPath_ || !isOpen()) return;
  callPath_ = std::move(path);
  evaluateInBackground();
}

std::vector<ComputationId> Document::calledInSight() const {
  constexpr size_t kMost = 12;
  std::vector<ComputationId> out;
  if (!live_ || !scene_.view) return out;
  for (const ViewNode& node : scene_.view->nodes) {
    if (node.kind != ViewNode::Kind::Instruction || !module().contains(node.instruction)) continue;
    const ComputationId computation = module().at(node.instruction).computation;
    if (computation != module().entry() && out.size() < kMost && std::ranges::find(out, computation) == out.end())
      out.push_back(computation);
  }
  std::ranges::sort(out);
  return out;
}

void Document::followSight() {
  if (!isOpen() || isPlainGraph()) return;
  std::vector<ComputationId> seen = calledInSight();
  const bool others = seen != inSight_;
  inSight_ = std::move(seen);
  const CallPath before = callPath_;
  followCall();
  if (others && live_ && callPath_ == before) evaluateInBackground();
}

void Document::followCall() {
  if (!isOpen() || isPlainGraph() || !live_) return;
  const InstructionId first = selected();
  const bool inSight = first.valid() && module().contains(first) && scene_.view &&
                       first.value < scene_.view->boxes.size() && scene_.view->boxOf(first) >= 0;
  const ComputationId wanted = inSight ? module().at(first).computation : scene_.computation;
  for (const CallFrame& frame : callPath_)
    if (frame.computation == wanted) return;
  if (wanted == module().entry()) return callPath_.empty() ? void() : lookInto({});
  lookInto(pathTo(module(), wanted));
}

void Document::playWith(std::map<int64_t, Literal> arguments) {
  played_ = std::move(arguments);
  evaluateInBackground();
}

void Document::fetchValue(InstructionId id) {
  if (!isOpen() || isPlainGraph() || !module().contains(id)) return;
  if (const Literal* known = valueOf(id)) {
    emit fetched(id, std::make_shared<const Literal>(*known));
    return;
  }
  if (cancelFetch_) *cancelFetch_ = true;
  cancelFetch_ = std::make_shared<std::atomic<bool>>(false);
  emit runningChanged();
  const std::string_view name = module().at(id).name;
  emit progressed(tr("Computing %1").arg(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))), -1);
  startForModule(kRunning,
                 [this, module = module(), files = files_, settings = project_.run, id, cancel = cancelFetch_,
                  revision = revision_]() -> Answer {
                   auto value = computeAlone(module, id, files, settings, *cancel);
                   return [this, value = std::move(value), id, cancel, revision] {
                     if (cancel != cancelFetch_) return;  // another value is being fetched
                     cancelFetch_.reset();
                     if (!running_) emit progressed({}, 0);
                     emit runningChanged();
                     if (revision != revision_) return;
                     if (value)
                       emit fetched(id, std::make_shared<const Literal>(*value));
                     else
                       emit failed(QString::fromStdString(value.error().toString()), value.error().kind);
                   };
                 });
}

void Document::setRunSettings(RunSettings settings, const QString& title, StepKey key) {
  if (settings == project_.run && waiting_.empty()) return;
  files_.trustNew(project_.run, settings);
  enqueue({RunStep{title.toStdString(), std::move(settings)}, std::move(key)});
}

}  // namespace tessera
