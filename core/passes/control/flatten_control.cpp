// Flatten control, callers before callees: a copied body's own loops are then seen as second users and copied too.
#include "core/passes/control/flatten_control.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/passes/rewriter.h"

namespace tessera {
namespace {

constexpr size_t kMaxFlattenedInstructions = 4'000'000;

bool isControl(Opcode opcode) { return opcode == Opcode::While || opcode == Opcode::Conditional; }

}  // namespace

Result<bool> flattenControl(Module& module) {
  Rewriter rewriter(module, "flatten-control");
  std::vector<bool> taken(module.computationSlots());
  std::vector<ComputationId> work{module.entry()};
  bool changed = false;
  auto own = [&](ComputationId& callee) {
    if (taken.size() <= callee.value) taken.resize(callee.value + 1);
    if (taken[callee.value]) {
      callee = rewriter.cloneComputation(callee);
      taken.resize(std::max<size_t>(taken.size(), callee.value + 1));
      changed = true;
    }
    taken[callee.value] = true;
    work.push_back(callee);
  };
  for (size_t at = 0; at < work.size(); ++at) {
    if (module.instructionCount() > kMaxFlattenedInstructions)
      return fail(
          fmt::format("giving each loop its own body makes more than {} instructions", kMaxFlattenedInstructions));
    for (InstructionId id : std::vector<InstructionId>(module.at(work[at]).instructions)) {
      if (!isControl(module.at(id).opcode)) continue;
      AttributeSet attributes = *module.at(id).attributes;
      for (const Attribute& item : module.at(id).attributes->items()) {
        AttributeValue value = item.value;
        if (auto* one = std::get_if<ComputationId>(&value))
          own(*one);
        else if (auto* many = std::get_if<std::vector<ComputationId>>(&value))
          std::ranges::for_each(*many, own);
        else
          continue;
        attributes.set(item.name, std::move(value));
      }
      if (changed) module.setAttributes(id, std::move(attributes));
    }
  }
  TESSERA_TRY(rewriter.finish());
  TESSERA_TRY(restoreComputationOrder(module));
  return changed;
}

}  // namespace tessera
