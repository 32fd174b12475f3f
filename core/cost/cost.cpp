// Cost counting: each op's own rule (OpDef::cost) over instructions and computations. Costs of computations are
// remembered, so a reducer that a thousand instructions call is counted once.
#include "core/cost/cost.h"

#include <unordered_map>

#include "core/ops/shared/op_cost.h"

namespace tessera {
namespace {

class CostCounter {
 public:
  explicit CostCounter(const Module& module) : module_(module) {}

  Cost of(ComputationId id) {
    if (!module_.contains(id)) return {};
    if (const auto found = known_.find(id); found != known_.end()) return found->second;
    known_[id] = {};  // a cycle of calls counts nothing more
    Cost sum;
    for (InstructionId instruction : module_.at(id).instructions) {
      const Cost more = of(module_.at(instruction));
      addWork(sum, more, 1);
      sum.bytesAccessed += more.bytesAccessed;
    }
    return known_[id] = sum;
  }

  Cost of(const Instruction& instruction) {
    const CostContext context{module_, instruction, [this](ComputationId id) { return of(id); }};
    const OpDef* op = findOp(instruction.opcode);
    return op && op->cost ? op->cost(context) : usualCost(context);
  }

 private:
  const Module& module_;
  std::unordered_map<ComputationId, Cost> known_;
};

}  // namespace

Cost costOf(const Module& module, InstructionId id) { return CostCounter(module).of(module.at(id)); }

Cost costOf(const Module& module) {
  return module.contains(module.entry()) ? CostCounter(module).of(module.entry()) : Cost{};
}

}  // namespace tessera
