// What the value needs becomes a module of its own, which a worker compiles and runs.
#include "editor/document/value_fetch.h"

#include <utility>

#include "backends/backend.h"
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
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> all, argumentsOf(module, files, settings, cancel));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> whole, wholeArguments(module, all));
  std::vector<Literal> arguments;
  for (InstructionId parameter : alone.entryComputation().parameters) {
    const auto same = module.findInstruction(alone.at(parameter).name);
    if (!same || module.at(*same).opcode != Opcode::Parameter)
      return fail(alone.at(parameter).reference() + " has no value");
    const Literal& value = whole[static_cast<size_t>(module.at(*same).parameterNumber)];
    if (!value.shape().isTuple()) arguments.push_back(value);
    for (const Literal& element : value.elements()) arguments.push_back(element);
  }
  TESSERA_ASSIGN_OR_RETURN(auto backend, makeBackend(settings.backend));
  CompileOptions options;
  options.cancel = &cancel;
  options.device = settings.device;
  TESSERA_ASSIGN_OR_RETURN(auto executable, backend->compile(alone, options));
  RunOptions run;
  run.cancel = &cancel;
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> leaves, executable->run(arguments, run));
  size_t next = 0;
  return assembled(module.shapeOf(id), leaves, next);
}

}  // namespace

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
  background_.startForFile(
      kRunning,
      [this, module = document_.module(), files = document_.files(), settings = document_.runSettings(), id,
       cancel = running_, revision = document_.revision()]() -> Background::Answer {
        auto value = computeAlone(module, id, files, settings, *cancel);
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
