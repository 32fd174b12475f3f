// Which computations are executed instruction by instruction, how often, and in which loop: the entry once, a loop's
// body as often as the loop runs, where that is known. What fusions and reducers hold is not executed by itself.
#pragma once

#include <optional>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

struct Execution {
  struct Runs {
    double times = 0;         // 0: not executed by itself
    bool timesKnown = true;   // false: a loop around it whose trips are unknown counts once
    InstructionId loop = {};  // the innermost while around it; invalid: none
  };
  std::vector<ComputationId> computations;  // callers before callees
  std::vector<Runs> runs;                   // by ComputationId value
  const Runs& of(ComputationId id) const { return runs[id.value]; }
};
Execution executionOf(const Module& module);

}  // namespace tessera
