// See value_alone.h. Arguments are those of the parameters that stayed.
#include "editor/document/value_alone.h"

#include <utility>
#include <vector>

#include "backends/backend.h"
#include "core/ops/inference/infer.h"
#include "core/tools/cut_out.h"
#include "editor/document/node_values.h"

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

void takeLeaves(const Literal& value, std::vector<Literal>& out) {
  for (const Literal& element : value.elements()) takeLeaves(element, out);
  if (value.shape().isArray()) out.push_back(value);
}

}  // namespace

Result<Literal> valueAlone(const Module& module, InstructionId id, const FileAccess& files, const RunSettings& settings,
                           const std::atomic<bool>& cancel) {
  if (module.at(id).computation != module.entry())
    return fail("values inside called computations are there while values are live");
  TESSERA_ASSIGN_OR_RETURN(const Module alone, extract(module, id));
  const Diagnostics found = verify(alone);  // what it needs may still be open
  for (const Diagnostic& d : found.items())
    if (d.severity == Severity::Error) return std::unexpected(d);
  TESSERA_ASSIGN_OR_RETURN(const PossibleArguments all, possibleArgumentsOf(module, files, settings, cancel));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Literal> whole, wholeArguments(module, all.values));
  std::vector<Literal> arguments;
  for (InstructionId parameter : alone.entryComputation().parameters) {
    const auto same = module.findInstruction(alone.at(parameter).name);
    if (!same || module.at(*same).opcode != Opcode::Parameter)
      return fail(alone.at(parameter).reference() + " has no value");
    if (const Diagnostic* wrong = all.wrongOf(module, *same)) return fail(*wrong);
    takeLeaves(whole[static_cast<size_t>(module.at(*same).parameterNumber)], arguments);
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

}  // namespace tessera
