// Cost counting: each op's own rule (OpDef::cost) over instructions and computations. Costs of computations are
// remembered, so a reducer that a thousand instructions call is counted once.
#include "core/cost/cost.h"

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ops/shared/op_cost.h"

namespace tessera {
namespace {

class CostCounter {
 public:
  explicit CostCounter(const Module& module) : module_(module) {}

  Cost of(ComputationId id) {
    countFirst({id});
    return known(id);
  }

  Cost of(const Instruction& instruction) {
    countFirst(module_.callees(instruction));
    return own(instruction);
  }

 private:
  // Counts the computations and what they call, callees first: a chain of calls may be longer than the stack.
  void countFirst(std::vector<ComputationId> open) {
    while (!open.empty()) {
      const ComputationId next = open.back();
      if (!module_.contains(next) || known_.contains(next)) {
        open.pop_back();
      } else if (entered_.insert(next).second) {
        for (InstructionId id : module_.at(next).instructions)
          for (ComputationId callee : module_.callees(module_.at(id)))
            if (!entered_.contains(callee)) open.push_back(callee);
      } else {
        open.pop_back();
        known_[next] = sumOf(next);
      }
    }
  }

  Cost sumOf(ComputationId id) const {
    Cost sum;
    for (InstructionId instruction : module_.at(id).instructions) {
      const Cost more = own(module_.at(instruction));
      addWork(sum, more, 1);
      sum.bytesAccessed += more.bytesAccessed;
    }
    return sum;
  }

  // Nothing for what is not there, and for a call that leads back to its caller.
  Cost known(ComputationId id) const {
    const auto found = known_.find(id);
    return found == known_.end() ? Cost{} : found->second;
  }

  // Of an instruction whose callees are counted.
  Cost own(const Instruction& instruction) const {
    const CostContext context{module_, instruction, [this](ComputationId id) { return known(id); }};
    const OpDef* op = findOp(instruction.opcode);
    return op && op->cost ? op->cost(context) : usualCost(context);
  }

  const Module& module_;
  std::unordered_map<ComputationId, Cost> known_;
  std::unordered_set<ComputationId> entered_;
};

}  // namespace

Cost costOf(const Module& module, InstructionId id) { return CostCounter(module).of(module.at(id)); }

Cost costOf(const Module& module) {
  return module.contains(module.entry()) ? CostCounter(module).of(module.entry()) : Cost{};
}

}  // namespace tessera
