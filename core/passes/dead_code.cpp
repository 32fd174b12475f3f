// Dead code, one reverse sweep per computation. A while or conditional with a side effect inside is kept.
#include "core/passes/dead_code.h"

#include <algorithm>

#include "core/passes/rewriter.h"

namespace tessera {
namespace {

class DeadCode {
 public:
  explicit DeadCode(Module& module) : module_(module), effectful_(module.computationSlots()) {}

  bool run() {
    for (ComputationId c : module_.order()) effectful_[c.value] = hasEffect(c);
    bool changed = false;
    for (ComputationId c : std::vector<ComputationId>(module_.order())) changed |= sweep(c);
    return changed;
  }

 private:
  bool instructionHasEffect(const Instruction& instruction) const {
    if (hasSideEffect(instruction)) return true;
    if (instruction.opcode != Opcode::While && instruction.opcode != Opcode::Conditional &&
        instruction.opcode != Opcode::Call)
      return false;
    return std::ranges::any_of(module_.callees(instruction), [&](ComputationId c) { return effectful_[c.value]; });
  }
  bool hasEffect(ComputationId c) const {
    return std::ranges::any_of(module_.at(c).instructions,
                               [&](InstructionId id) { return instructionHasEffect(module_.at(id)); });
  }
  bool sweep(ComputationId c) {
    const std::vector<InstructionId>& all = module_.at(c).instructions;
    std::vector<bool>& live = live_;
    live.resize(module_.instructionSlots());
    live[module_.at(c).root.value] = true;
    std::vector<InstructionId> dead;
    for (auto it = all.rbegin(); it != all.rend(); ++it) {
      const Instruction& instruction = module_.at(*it);
      bool keep = live[it->value] || instruction.opcode == Opcode::Parameter || instructionHasEffect(instruction);
      if (!keep) {
        dead.push_back(*it);
        continue;
      }
      for (InstructionId operand : instruction.operands) live[operand.value] = true;
      if (const auto* before = instruction.attributes->get<std::vector<InstructionId>>(Attr::control_predecessors))
        for (InstructionId predecessor : *before) live[predecessor.value] = true;
    }
    if (!dead.empty()) module_.removeAll(c, dead);
    return !dead.empty();
  }

  Module& module_;
  std::vector<bool> effectful_;
  std::vector<bool> live_;
};

}  // namespace

Result<bool> removeDeadCode(Module& module) {
  bool changed = DeadCode(module).run();
  TESSERA_ASSIGN_OR_RETURN(bool reordered, restoreComputationOrder(module));
  return changed || reordered;
}

}  // namespace tessera
