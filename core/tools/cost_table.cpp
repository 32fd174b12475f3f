// One sweep over the computations that are executed, and a sort.
#include "core/tools/cost_table.h"

#include <tuple>

#include "core/base/sorting.h"
#include "core/passes/rewriter.h"

namespace tessera {

CostTable costTable(const Module& module, CostOrder by) {
  CostTable out;
  CostCounter counter(module);
  for (ComputationId computation : controlComputations(module))
    for (InstructionId id : module.at(computation).instructions) {
      const Cost cost = counter.of(id);
      if (cost.flops != 0 || cost.transcendentals != 0 || cost.bytesAccessed != 0) out.rows.push_back({id, cost});
    }
  const auto key = [by](const CostRow& row) {
    const Cost& c = row.cost;
    switch (by) {
      case CostOrder::Flops: return std::tuple(c.flops, c.transcendentals, c.bytesAccessed);
      case CostOrder::Transcendentals: return std::tuple(c.transcendentals, c.flops, c.bytesAccessed);
      case CostOrder::Bytes: return std::tuple(c.bytesAccessed, c.flops, c.transcendentals);
    }
    return std::tuple(0.0, 0.0, 0.0);
  };
  sortDescending(out.rows, key);
  if (module.contains(module.entry())) out.total = counter.of(module.entry());
  return out;
}

}  // namespace tessera
