// The complete part is traced by a worker after every edit, in the call that is looked at.
#include "editor/document/live_values.h"

#include <QTimer>
#include <algorithm>
#include <utility>

#include "core/edit/wiring/splicing.h"
#include "core/ops/inference/infer.h"
#include "editor/document/document.h"
#include "editor/document/priorities.h"

namespace tessera {
namespace {

constexpr int kLongestMs = 3000;  // an evaluation that takes longer than anybody waits is stopped
constexpr size_t kMostFaults = 20;

using Lacking = std::unordered_map<InstructionId, InstructionId>;

QString nameOf(const Module& module, InstructionId id) {
  const std::string_view name = module.at(id).name;
  return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

// The parameters of the entry whose arguments cannot be made.
Faults faultsOf(const Module& module, const PossibleArguments& arguments) {
  Faults out;
  for (InstructionId parameter : module.entryComputation().parameters)
    if (const Diagnostic* wrong = parameter.valid() ? arguments.wrongOf(module, parameter) : nullptr)
      out.emplace(parameter, reasonOf(*wrong));
  return out;
}

std::vector<InstructionId> keysOf(const Faults& faults) {
  std::vector<InstructionId> out;
  for (const auto& [id, reason] : faults) out.push_back(id);
  return out;
}

// What of the entry has no value because of a fault, each with the first that it depends on.
Lacking lackingFor(const Module& module, const Faults& faults) {
  Lacking out;
  const auto order = topologicalOrder(module, module.entry());
  if (faults.empty() || !order) return out;
  for (InstructionId id : *order) {
    if (faults.contains(id)) out.emplace(id, id);
    for (InstructionId operand : module.at(id).operands)
      if (const auto found = out.find(operand); found != out.end()) out.try_emplace(id, found->second);
  }
  return out;
}

// Nodes say what they lack.
void sayLacking(const Module& module, const Faults& faults, const Lacking& lacking, NodeValues& nodes) {
  for (const auto& [id, fault] : lacking) {
    NodeValue none;
    none.bad = id == fault;
    none.text = id == fault ? briefly(faults.at(id)) : LiveValues::tr("needs %1").arg(nameOf(module, fault));
    nodes.insert_or_assign(id, std::move(none));
  }
}

// Nodes of a computation that nothing ran keep their strip and say so.
void sayNotRun(const Module& module, ComputationId computation, NodeValues& nodes) {
  NodeValue none;
  none.text = LiveValues::tr("not run");
  for (InstructionId id : module.at(computation).instructions) nodes.emplace(id, none);
}

// What the graph takes from outside while it is evaluated.
struct Outside {
  std::optional<FeedArrays> feeds;
  std::shared_ptr<const CustomCallLibrary> targets;
  Result<Trace> trace(const Module& module, std::span<const Literal> arguments, const CallPath& path,
                      const std::atomic<bool>* cancel, std::span<const InstructionId> unknown) {
    return traceModule(module, arguments, path, cancel, unknown, feeds ? &*feeds : nullptr, targets.get());
  }
};

// The first call of a computation that is in sight beside the one that is looked at.
void addCall(const Module& module, std::span<const Literal> arguments, ComputationId computation,
             const std::atomic<bool>* cancel, std::span<const InstructionId> unknown, Outside& outside,
             NodeValues& nodes) {
  const CallPath path = pathTo(module, computation);
  if (path.empty()) return sayNotRun(module, computation, nodes);
  const auto trace = outside.trace(module, arguments, path, cancel, unknown);
  if (!trace) return;
  if (trace->calls.size() < path.size() || trace->calls.back().applications == 0)
    return sayNotRun(module, computation, nodes);
  for (auto& [id, value] : nodeValues(module, *trace))
    if (module.at(id).computation == computation) nodes.emplace(id, value);
}

// What a worker evaluates, of the graph as it was when it was asked.
struct Request {
  Module module;
  FileAccess files;
  RunSettings settings;
  std::map<int64_t, Literal> played;
  CallPath calls;
  std::vector<ComputationId> seen;
  CancelToken cancel;
};

// Up to what an edit or undo took away; the scene follows it later.
CallPath whatIsThere(const CallPath& path, const Module& module) {
  const auto gone = std::ranges::find_if(path, [&](const CallFrame& frame) {
    return !module.contains(frame.caller) || !module.contains(frame.computation);
  });
  return {path.begin(), gone};
}

Result<PossibleArguments> argumentsOf(const Request& request) {
  TESSERA_ASSIGN_OR_RETURN(PossibleArguments out,
                           possibleArgumentsOf(request.module, request.files, request.settings, *request.cancel));
  for (const auto& [leaf, value] : request.played)
    if (const auto at = static_cast<size_t>(leaf);
        at < out.values.size() && compatible(out.values[at].shape(), value.shape())) {
      out.values[at] = value;
      out.wrong.erase(leaf);
    }
  return out;
}

// An instruction that cannot be evaluated is one more fault: the rest is evaluated without it.
Result<Trace> traced(const Request& request, std::span<const Literal> arguments, Outside& outside, Faults& faults) {
  const Module& module = request.module;
  while (true) {
    auto trace = outside.trace(module, arguments, request.calls, request.cancel.get(), keysOf(faults));
    if (trace || *request.cancel || faults.size() >= kMostFaults) return trace;
    const Diagnostic& error = trace.error();
    const InstructionId at = error.instruction;
    if (!module.contains(at) || module.at(at).computation != module.entry() ||
        !faults.emplace(at, QString::fromStdString(error.message)).second)
      return trace;
  }
}

NodeValues nodeValues(const Request& request, std::span<const Literal> arguments, Outside& outside, const Trace& trace,
                      const Faults& faults) {
  NodeValues nodes = nodeValues(request.module, trace);
  for (size_t k = 0; k < request.calls.size(); ++k)
    if (k >= trace.calls.size() || trace.calls[k].applications == 0)
      sayNotRun(request.module, request.calls[k].computation, nodes);
  for (ComputationId each : request.seen)
    if (request.module.contains(each) &&
        std::ranges::find(request.calls, each, &CallFrame::computation) == request.calls.end())
      addCall(request.module, arguments, each, request.cancel.get(), keysOf(faults), outside, nodes);
  return nodes;
}

}  // namespace

struct LiveValues::Found {
  NodeValues nodes;
  std::shared_ptr<const Trace> trace;
  QString failure;
  Faults faults;
  Lacking lacking;
};

QString LiveValues::whyNone(InstructionId id) const {
  if (!state_.failure.isEmpty()) return state_.failure;
  const auto found = state_.lacking.find(id);
  if (found == state_.lacking.end()) return {};
  const QString& reason = state_.faults.at(found->second);
  if (found->second == id || !document_.module().contains(found->second)) return reason;
  return tr("It needs %1, which has no value: %2").arg(nameOf(document_.module(), found->second), reason);
}

void LiveValues::begin(bool on) {
  tessera::cancel(state_.evaluation);
  background_.dispose(std::exchange(state_, State{.on = on}));
}

void LiveValues::setOn(bool on) {
  if (!document_.isOpen() || document_.isPlainGraph() || on == state_.on) return;
  state_.on = on;
  document_.view().remakeMaker();
  if (!on) {
    Found none;
    take(none);
  }
  document_.view().arrangeAgain(true);
  evaluate();
}

void LiveValues::evaluate() {
  tessera::cancel(state_.evaluation);
  state_.evaluation = state_.on ? newCancelToken() : nullptr;  // an answer to an older token is dropped
  setEvaluating(state_.on);
  if (!state_.on) return;
  Request request{withoutMuted(document_.module(), document_.muted()),
                  document_.files(),
                  document_.runSettings(),
                  state_.played,
                  state_.callPath,
                  state_.inSight,
                  state_.evaluation};
  background_.startForFile(
      kRunning, [this, request = std::move(request), revision = document_.revision()]() -> Background::Answer {
        const auto find = [&]() -> Result<Found> {
          if (!isCheapToRun(request.module)) return Found{};
          TESSERA_ASSIGN_OR_RETURN(const PossibleArguments arguments, argumentsOf(request));
          Found out;
          out.faults = faultsOf(request.module, arguments);
          Outside outside{feedsOf(request.module, request.files, request.settings),
                          targetsOf(request.module, request.files, request.settings)};
          TESSERA_ASSIGN_OR_RETURN(Trace trace, traced(request, arguments.values, outside, out.faults));
          out.nodes = nodeValues(request, arguments.values, outside, trace, out.faults);
          out.lacking = lackingFor(request.module, out.faults);
          sayLacking(request.module, out.faults, out.lacking, out.nodes);
          out.trace = std::make_shared<const Trace>(std::move(trace));
          return out;
        };
        auto result = find();
        auto found = std::make_shared<Found>(result ? std::move(*result) : Found{.failure = reasonOf(result.error())});
        return [this, found, cancel = request.cancel, revision] {
          if (cancel != state_.evaluation) return;  // a newer one comes
          setEvaluating(false);
          if (revision == document_.revision()) take(*found);
        };
      });
  QTimer::singleShot(kLongestMs, this, [cancel = state_.evaluation] { tessera::cancel(cancel); });
}

void LiveValues::stop() {
  if (!state_.evaluates) return;
  tessera::cancel(std::exchange(state_.evaluation, nullptr));
  setEvaluating(false);
  Found none{.failure = QString::fromStdString(failCancelled().error().message)};
  take(none);
}

void LiveValues::setEvaluating(bool on) {
  since_.start();
  if (std::exchange(state_.evaluates, on) != on) emit evaluating();
}

void LiveValues::take(Found& found) {
  state_.values = std::move(found.nodes);
  background_.dispose(std::exchange(state_.trace, std::move(found.trace)));
  state_.failure = std::move(found.failure);
  state_.faults = std::move(found.faults);
  state_.lacking = std::move(found.lacking);
  emit changed();
}

void LiveValues::lookInto(CallPath path) {
  if (path == state_.callPath || !document_.isOpen()) return;
  state_.callPath = std::move(path);
  evaluate();
}

void LiveValues::leaveRemovedCalls() { state_.callPath = whatIsThere(state_.callPath, document_.module()); }

std::vector<ComputationId> LiveValues::calledInSight() const {
  constexpr size_t kMost = 12;
  std::vector<ComputationId> out;
  const auto& view = document_.view().scene().view;
  if (!state_.on || !view) return out;
  const Module& module = document_.module();
  for (const ViewNode& node : view->nodes) {
    using Kind = ViewNode::Kind;
    if (node.kind != Kind::Instruction && node.kind != Kind::CollapsedGroup) continue;
    if (!module.contains(node.shows())) continue;
    const ComputationId computation = module.at(node.shows()).computation;
    if (computation != module.entry() && out.size() < kMost && std::ranges::find(out, computation) == out.end())
      out.push_back(computation);
  }
  std::ranges::sort(out);
  return out;
}

void LiveValues::followScene() {
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  std::vector<ComputationId> seen = calledInSight();
  const bool others = seen != state_.inSight;
  state_.inSight = std::move(seen);
  const CallPath before = state_.callPath;
  followSelection();
  if (others && state_.on && state_.callPath == before) evaluate();
}

// To the computation that is shown or selected.
void LiveValues::followSelection() {
  if (!document_.isOpen() || document_.isPlainGraph() || !state_.on) return;
  const Module& module = document_.module();
  const InstructionId first = document_.selected();
  const ComputationId wanted =
      document_.view().isDrawn(first) ? module.at(first).computation : document_.view().computation();
  for (const CallFrame& frame : state_.callPath)
    if (frame.computation == wanted) return;
  if (wanted == module.entry()) return state_.callPath.empty() ? void() : lookInto({});
  lookInto(pathTo(module, wanted));
}

void LiveValues::playWith(std::map<int64_t, Literal> arguments) {
  state_.played = std::move(arguments);
  evaluate();
}

}  // namespace tessera
