// Cost counting: each op's own rule (OpDef::cost) over instructions and computations.
#include "core/cost/cost.h"

#include "core/ops/shared/op_cost.h"

namespace tessera {

Cost CostCounter::of(ComputationId id) {
  countFirst({id});
  return known(id);
}

Cost CostCounter::of(InstructionId id) {
  const Instruction& instruction = module_.at(id);
  countFirst(module_.callees(instruction));
  return own(instruction);
}

// Counts the computations and what they call, callees first: a chain of calls may be longer than the stack.
void CostCounter::countFirst(std::vector<ComputationId> open) {
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

Cost CostCounter::sumOf(ComputationId id) const {
  Cost sum;
  for (InstructionId instruction : module_.at(id).instructions) {
    const Cost more = own(module_.at(instruction));
    addWork(sum, more, 1);
    sum.bytesAccessed += more.bytesAccessed;
  }
  return sum;
}

// Nothing for what is not there, and for a call that leads back to its caller.
Cost CostCounter::known(ComputationId id) const {
  const auto found = known_.find(id);
  return found == known_.end() ? Cost{} : found->second;
}

// Of an instruction whose callees are counted.
Cost CostCounter::own(const Instruction& instruction) const {
  const CostContext context{module_, instruction, [this](ComputationId id) { return known(id); }};
  const OpDef* op = findOp(instruction.opcode);
  return op && op->cost ? op->cost(context) : usualCost(context);
}

Cost costOf(const Module& module, InstructionId id) { return CostCounter(module).of(id); }

Cost costOf(const Module& module) {
  return module.contains(module.entry()) ? CostCounter(module).of(module.entry()) : Cost{};
}

}  // namespace tessera
