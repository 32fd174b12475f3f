// See watched_values.h. A change stops what is being computed and begins anew.
#include "editor/document/watched_values.h"

#include <utility>

#include "core/edit/wiring/splicing.h"
#include "editor/document/document.h"
#include "editor/document/priorities.h"
#include "editor/document/shown_project.h"
#include "editor/document/value_alone.h"

namespace tessera {
namespace {

NodeValue said(const QString& text, bool bad = false) {
  NodeValue out;
  out.text = text;
  out.bad = bad;
  return out;
}

}  // namespace

void WatchedValues::watch(const std::vector<InstructionId>& ids) {
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  wake();
  mark(ids, true);
}

void WatchedValues::forget(const std::vector<InstructionId>& ids) { mark(ids, false); }

// A step of the history for each computation that they are of.
void WatchedValues::mark(const std::vector<InstructionId>& ids, bool on) {
  const Module& module = document_.module();
  std::map<ComputationId, std::vector<std::string>> names;
  for (InstructionId id : ids)
    if (module.contains(id) && contains(id) != on)
      names[module.at(id).computation].emplace_back(std::string(module.at(id).name));
  for (const auto& [computation, those] : names)
    document_.arrange(on ? tr("Watch values") : tr("Watch no more"), computation, [those, on](ProjectPage& page) {
      for (const std::string& name : those)
        if (on)
          page.watched.insert(name);
        else
          page.watched.erase(name);
    });
}

void WatchedValues::wake() {
  if (!std::exchange(state_.awake, true)) compute();
}

void WatchedValues::take() { state_.watched = watchedIn(document_.module(), document_.project()); }

void WatchedValues::follow() {
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  take();
  const size_t gone = std::erase_if(state_.nodes, [this](const auto& node) { return !contains(node.first); });
  std::erase_if(state_.values, [this](const auto& value) { return !contains(value.first); });
  std::erase_if(state_.waiting, [this](InstructionId id) { return !contains(id); });
  bool any = gone > 0;
  for (InstructionId id : state_.watched) {
    if (!state_.nodes.emplace(id, waiting()).second) continue;
    state_.waiting.insert(state_.waiting.begin(), id);
    any = true;
  }
  if (!any) return;
  emit roomWanted();
  emit changed();
  if (state_.awake && !isComputing()) next();
}

NodeValue WatchedValues::waiting() const { return said(state_.awake ? tr("waits") : tr("W computes it")); }

std::shared_ptr<const Literal> WatchedValues::valueOf(InstructionId id) const {
  const auto found = state_.values.find(id);
  return found == state_.values.end() ? nullptr : found->second;
}

QString WatchedValues::whyNone(InstructionId id) const {
  const auto found = state_.nodes.find(id);
  return found == state_.nodes.end() || state_.values.contains(id) ? QString() : found->second.text;
}

QString WatchedValues::callOf(InstructionId id) const {
  const Module& module = document_.module();
  if (!contains(id) || !module.contains(id) || module.at(id).computation == module.entry()) return {};
  const CallPath path = pathTo(module, module.at(id).computation);
  if (path.empty()) return {};
  const std::string_view caller = module.at(path.back().caller).name;
  return tr("of the first call, by %1").arg(QString::fromUtf8(caller.data(), static_cast<qsizetype>(caller.size())));
}

void WatchedValues::begin() {
  tessera::cancel(state_.running);
  background_.dispose(std::exchange(state_, State()));
}

void WatchedValues::cancel() {
  if (!isComputing()) return;
  tessera::cancel(state_.running);
  for (const auto& [id, value] : state_.nodes)
    if (!state_.values.contains(id)) state_.waiting.push_back(id);
  for (InstructionId id : std::exchange(state_.waiting, {}))
    if (!state_.values.contains(id)) state_.nodes[id] = said(tr("cancelled"));
  setRunning(nullptr);
  emit changed();
}

void WatchedValues::compute() {
  if (state_.watched.empty() && state_.nodes.empty()) return;
  tessera::cancel(state_.running);
  take();
  state_.nodes.clear();
  background_.dispose(std::exchange(state_.values, {}));
  state_.waiting.assign(state_.watched.rbegin(), state_.watched.rend());
  for (InstructionId id : state_.watched) state_.nodes[id] = waiting();
  emit changed();
  if (state_.awake) next();
}

void WatchedValues::next() {
  if (state_.waiting.empty()) return setRunning(nullptr);
  const InstructionId id = state_.waiting.back();
  state_.waiting.pop_back();
  const std::string_view name = document_.module().at(id).name;
  state_.progress.stage = tr("Computing %1").arg(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
  setRunning(newCancelToken());
  show(id, said(tr("computing …")));
  background_.startForFile(
      kRunning,
      [this, module = withoutMuted(document_.module(), document_.muted()), files = document_.files(),
       settings = document_.runSettings(), id, cancel = state_.running]() -> Background::Answer {
        auto value = valueAlone(module, id, files, settings, *cancel);
        NodeValue node = value ? nodeValue(*value) : said(briefly(reasonOf(value.error())), true);
        auto kept = value ? std::make_shared<const Literal>(*std::move(value)) : nullptr;
        return [this, id, node = std::move(node), kept = std::move(kept), cancel] {
          if (cancel != state_.running) return;  // of an older graph, or cancelled
          if (kept && contains(id)) state_.values[id] = kept;
          show(id, node);
          next();
        };
      });
}

void WatchedValues::show(InstructionId id, NodeValue value) {
  if (!contains(id)) return;  // forgotten meanwhile
  state_.nodes[id] = std::move(value);
  emit changed();
}

void WatchedValues::setRunning(CancelToken token) {
  state_.running = std::move(token);
  if (!state_.running) state_.progress = {};
  emit computing();
}

}  // namespace tessera
