// See watched_values.h. A change stops what is being computed and begins anew.
#include "editor/document/watched_values.h"

#include <utility>

#include "core/edit/wiring/splicing.h"
#include "editor/document/document.h"
#include "editor/document/priorities.h"
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
  bool any = false;
  for (InstructionId id : ids) {
    if (!document_.module().contains(id) || !state_.watched.insert(id).second) continue;
    state_.waiting.insert(state_.waiting.begin(), id);
    state_.nodes[id] = said(tr("waits"));
    any = true;
  }
  if (!any) return;
  emit roomWanted();
  emit changed();
  if (!isComputing()) next();
}

void WatchedValues::forget(const std::vector<InstructionId>& ids) {
  bool any = false;
  for (InstructionId id : ids) {
    any = state_.watched.erase(id) > 0 || any;
    state_.nodes.erase(id);
    state_.values.erase(id);
    std::erase(state_.waiting, id);
  }
  if (!any) return;
  emit roomWanted();
  emit changed();
}

std::shared_ptr<const Literal> WatchedValues::valueOf(InstructionId id) const {
  const auto found = state_.values.find(id);
  return found == state_.values.end() ? nullptr : found->second;
}

QString WatchedValues::whyNone(InstructionId id) const {
  const auto found = state_.nodes.find(id);
  return found == state_.nodes.end() || state_.values.contains(id) ? QString() : found->second.text;
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
  if (state_.watched.empty()) return;
  tessera::cancel(state_.running);
  const Module& module = document_.module();
  std::erase_if(state_.watched, [&](InstructionId id) { return !module.contains(id); });
  state_.nodes.clear();
  background_.dispose(std::exchange(state_.values, {}));
  state_.waiting.assign(state_.watched.rbegin(), state_.watched.rend());
  for (InstructionId id : state_.watched) state_.nodes[id] = said(tr("waits"));
  emit changed();
  next();
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
