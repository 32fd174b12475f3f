// The passes run on a copy; provenance tells where each fused instruction comes from.
#include "core/tools/kernels.h"

#include <algorithm>

#include "core/arrange/arrangement.h"
#include "core/ops/inference/infer.h"
#include "core/passes/pipeline.h"

namespace tessera {
namespace {

bool hasFusions(const Module& module) {
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      if (module.at(id).opcode == Opcode::Fusion) return true;
  return false;
}

// The passes take complete modules: an open input or a shape that an operation refuses is none.
bool isComplete(const Module& module) {
  const Diagnostics faults = verify(module);
  return std::ranges::none_of(faults.items(), [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

// The first kernel that an instruction is found in has it: what several repeat is in one place only.
void take(const Module& optimized, const Instruction& i, const std::string& kernel, std::vector<std::string>& names) {
  if (i.provenance)
    for (InstructionId source : i.provenance->sources)
      if (source.value < names.size() && names[source.value].empty()) names[source.value] = kernel;
  for (ComputationId callee : optimized.callees(i)) {
    if (i.opcode != Opcode::Fusion) continue;
    for (InstructionId inner : optimized.at(callee).instructions) take(optimized, optimized.at(inner), kernel, names);
  }
}

}  // namespace

std::vector<std::string> kernelsOf(const Module& module, const std::atomic<bool>* cancel) {
  std::vector<std::string> out(module.instructionSlots());
  if (hasFusions(module) || !isComplete(module)) return out;
  const auto optimized = optimize(module, {}, cancel);
  if (!optimized) return out;
  for (ComputationId computation : optimized->order())
    for (InstructionId id : optimized->at(computation).instructions) {
      const Instruction& i = optimized->at(id);
      if (i.opcode == Opcode::Fusion) take(*optimized, i, std::string(i.name) + " · " + titleOf(*optimized, id), out);
    }
  return out;
}

}  // namespace tessera
