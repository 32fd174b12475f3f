// What each instruction costs, most expensive first. Used by `tessera cost`.
#pragma once

#include <vector>

#include "core/cost/cost.h"

namespace tessera {

enum class CostOrder : uint8_t { Flops, Transcendentals, Bytes };

struct CostRow {
  InstructionId instruction;
  Cost cost;  // of one execution, with what it calls
};
struct CostTable {
  std::vector<CostRow> rows;  // only instructions that cost anything
  Cost total;                 // one execution of the entry: loops once
};

// The instructions that are executed one by one: those of the entry, of loops and branches and of called computations;
// not those inside fusions and reducers. A while's row includes its body, whose rows are listed, too.
CostTable costTable(const Module& module, CostOrder by);

}  // namespace tessera
