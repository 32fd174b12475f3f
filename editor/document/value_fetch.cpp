// See value_fetch.h: a worker computes.
#include "editor/document/value_fetch.h"

#include <utility>

#include "core/edit/wiring/splicing.h"
#include "editor/document/document.h"
#include "editor/document/priorities.h"
#include "editor/document/value_alone.h"

namespace tessera {
void ValueFetch::cancel() {
  if (!running_) return;
  tessera::cancel(running_);
  end();
  emit cancelled();
}

void ValueFetch::end() {
  running_.reset();
  progress_ = {};
  emit progressed();
  emit runningChanged();
}

void ValueFetch::begin() {
  tessera::cancel(running_);
  running_.reset();
  progress_ = {};
}

void ValueFetch::start(InstructionId id) {
  if (!document_.isOpen() || document_.isPlainGraph() || !document_.module().contains(id)) return;
  if (const Literal* known = document_.live().valueOf(id))
    return emit fetched(id, std::make_shared<const Literal>(*known));
  tessera::cancel(running_);
  running_ = newCancelToken();
  emit runningChanged();
  const std::string_view name = document_.module().at(id).name;
  progress_.stage = tr("Computing %1").arg(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
  emit progressed();
  background_.startForFile(kRunning,
                           [this, module = withoutMuted(document_.module(), document_.muted()),
                            files = document_.files(), settings = document_.runSettings(), id, cancel = running_,
                            revision = document_.revision()]() -> Background::Answer {
                             auto value = valueAlone(module, id, files, settings, *cancel);
                             return [this, value = std::move(value), id, cancel, revision] {
                               if (cancel != running_) return;  // cancelled, or another value is being computed
                               end();
                               if (revision != document_.revision()) return;
                               if (value)
                                 emit fetched(id, std::make_shared<const Literal>(*value));
                               else
                                 emit failed(QString::fromStdString(value.error().toString()), value.error().kind);
                             };
                           });
}

}  // namespace tessera
