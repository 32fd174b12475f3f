// Applying an edit: each action done on a copy (performer.cpp, build.cpp), then inference of what depends on it, then
// verification. An action that makes no sense fails as a whole; a graph that is wrong afterwards is a legal document.
#include <algorithm>

#include "core/edit/performer.h"
#include "core/ops/inference/callgraph.h"
#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

// entry_computation_layout is derived from the entry here: the user said the parameter's shape, not this.
void followEntryLayout(Module& module) {
  if (!module.config().entryResultLayout || !module.contains(module.entry())) return;
  ModuleConfig config = module.config();
  const Computation& entry = module.entryComputation();
  bool changed = config.entryParameterLayouts.size() != entry.parameters.size();
  config.entryParameterLayouts.resize(entry.parameters.size());
  auto follow = [&](Shape& written, const Shape& actual) {
    if (sameIgnoringLayout(written, actual)) return;
    written = actual;
    changed = true;
  };
  for (size_t i = 0; i < entry.parameters.size(); ++i)
    if (entry.parameters[i].valid()) follow(config.entryParameterLayouts[i], module.shapeOf(entry.parameters[i]));
  if (entry.root.valid()) follow(*config.entryResultLayout, module.shapeOf(entry.root));
  if (changed) module.setConfig(std::move(config));
}

bool calleesStandFirst(const Module& module) {
  std::vector<bool> seen(module.computationSlots(), false);
  for (ComputationId id : module.order()) {
    for (InstructionId instruction : module.at(id).instructions)
      for (ComputationId callee : module.callees(module.at(instruction)))
        if (module.contains(callee) && !seen[callee.value]) return false;
    seen[id.value] = true;
  }
  return true;
}

}  // namespace

Result<EditResult> apply(const Module& module, const Edit& edit) {
  EditResult out{module, {}, {}, {}};
  Performer performer(out.module);
  for (const EditAction& action : edit.actions)
    TESSERA_TRY(std::visit([&](const auto& each) { return performer(each); }, action));
  // HLO's text has what is called before what calls it.
  if (!calleesStandFirst(out.module)) out.module.setOrder(CallGraph(out.module).calleesFirst());
  out.added = performer.added();
  out.changed = performer.changed();
  std::vector<InstructionId> seeds = performer.seeds();
  std::erase_if(seeds, [&](InstructionId id) { return !out.module.contains(id); });
  if (!performer.changed().empty()) {
    Reinferred again = reinfer(out.module, seeds);
    out.changed.insert(out.changed.end(), again.changed.begin(), again.changed.end());
    followEntryLayout(out.module);
  }
  std::ranges::sort(out.changed);
  out.changed.erase(std::unique(out.changed.begin(), out.changed.end()), out.changed.end());
  out.diagnostics = verify(out.module);
  return out;
}

}  // namespace tessera
