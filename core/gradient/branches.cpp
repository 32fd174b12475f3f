// See branches.h.
#include "core/gradient/branches.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/gradient/rules.h"
#include "core/passes/rewriter.h"

namespace tessera::gradient {
namespace {

// How the result reads a value: not at all, only in branches, or as it is.
enum class Reading : uint8_t { None, InBranches, AsItIs };

class ReadingWalk {
 public:
  explicit ReadingWalk(const Module& module) : module_(module) {}

  std::unordered_map<uint32_t, Reading> run(const std::vector<InstructionId>& order, InstructionId result,
                                            Reading ofResult) {
    std::unordered_map<uint32_t, Reading> found;
    found[result.value] = ofResult;
    for (size_t i = order.size(); i-- > 0;) {
      const Instruction& in = module_.at(order[i]);
      const auto known = found.find(in.id.value);
      if (known == found.end() || known->second == Reading::None) continue;
      const Reading reading = known->second;
      for (size_t k = 0; k < in.operands.size(); ++k) {
        Reading& operand = found[in.operands[k].value];
        operand = std::max(operand, ofOperand(in, k, reading));
      }
    }
    return found;
  }

 private:
  Reading ofOperand(const Instruction& in, size_t operand, Reading reading) {
    const RuleEntry* entry = ruleOf(in.opcode);
    if (entry && entry->kind == Differentiable::Zero) return Reading::None;
    if (in.opcode == Opcode::Select) return operand == 0 ? Reading::None : Reading::InBranches;
    if (in.opcode == Opcode::Call || in.opcode == Opcode::Fusion)
      return ofParameter(module_.callees(in)[0], operand, reading);
    return entry && entry->isOfEachElement ? reading : Reading::AsItIs;
  }

  Reading ofParameter(ComputationId callee, size_t parameter, Reading reading) {
    const auto [at, isNew] = called_.try_emplace({callee.value, reading});
    if (isNew)
      if (const auto order = topologicalOrder(module_, callee)) {
        const auto inside = run(*order, module_.at(callee).root, reading);
        for (InstructionId id : module_.at(callee).parameters) {
          const auto found = inside.find(id.value);
          at->second.push_back(found == inside.end() ? Reading::None : found->second);
        }
      }
    return parameter < at->second.size() ? at->second[parameter] : Reading::AsItIs;
  }

  const Module& module_;
  std::map<std::pair<uint32_t, Reading>, std::vector<Reading>> called_;  // by parameter
};

}  // namespace

BranchValues branchValues(const Module& module, const std::vector<InstructionId>& order, InstructionId result,
                          bool resultIsOne) {
  BranchValues out;
  for (const auto& [id, reading] :
       ReadingWalk(module).run(order, result, resultIsOne ? Reading::InBranches : Reading::AsItIs))
    if (reading == Reading::InBranches) out.insert(id);
  return out;
}

}  // namespace tessera::gradient
