// One sweep over the call graph, callers first, which hands the number of runs down.
#include "core/overview/execution.h"

#include <ranges>

#include "core/ops/inference/callgraph.h"
#include "core/ops/inference/trip_count.h"
#include "core/ops/op.h"

namespace tessera {
Execution executionOf(const Module& module) {
  Execution out;
  out.runs.resize(module.computationSlots());
  if (!module.contains(module.entry())) return out;
  std::vector<bool> isExecuted(module.computationSlots());
  isExecuted[module.entry().value] = true;
  out.runs[module.entry().value].times = 1;
  const ComputationId starts[] = {module.entry()};
  const CallGraph calls(module, starts);
  for (ComputationId caller : calls.calleesFirst() | std::views::reverse) {
    if (!isExecuted[caller.value]) continue;
    out.computations.push_back(caller);
    for (InstructionId id : module.at(caller).instructions) {
      const Instruction& i = module.at(id);
      if (!executesCallees(i.opcode)) continue;
      const Execution::Runs own = out.of(caller);
      const bool loops = i.opcode == Opcode::While;
      const auto trips = loops ? tripCountOf(module, i) : std::optional<int64_t>(1);
      for (ComputationId callee : module.callees(i)) {
        if (!module.contains(callee)) continue;
        isExecuted[callee.value] = true;
        Execution::Runs& inner = out.runs[callee.value];
        inner.times += own.times * static_cast<double>(trips.value_or(1));
        inner.timesKnown &= own.timesKnown && trips;
        inner.loop = loops ? id : own.loop;
      }
    }
  }
  return out;
}

}  // namespace tessera
