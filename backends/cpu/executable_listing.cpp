// CpuExecutable::list: the steps of an instruction for readers: where their arrays lie, what they cost, their code.
#include <algorithm>

#include <fmt/format.h>

#include "backends/cpu/cpu_executable.h"
#include "backends/cpu/kernels/kernel_compiler.h"
#include "backends/cpu/kernels/marked_assembly.h"
#include "backends/cpu/plan/step_program.h"
#include "core/cost/cost.h"

namespace tessera::cpu {

namespace {

BufferLocation locationOf(const Plan& plan, const StepName& step, int slot, std::string role) {
  BufferLocation out;
  out.role = std::move(role);
  if (slot < 0) {
    out.place = "none (a token)";
    return out;
  }
  const PlanSlot& at = plan.slots[static_cast<size_t>(slot)];
  out.bytes = at.bytes;
  if (std::ranges::find(step.registers, slot) != step.registers.end()) {
    out.place = "register";
    return out;
  }
  out.place = placeText(at);
  if (at.kind == SlotKind::Temp) out.offset = at.offset;
  return out;
}

// Its program described once more; what has none (a library's step) has no origins either.
ProgramOwner ownerOf(const Module& module, InstructionId instruction) {
  ProgramOwner out{instruction, {}};
  const NodeOrigins::Recording recording(out.origins);
  if (!elementsOf(module, instruction)) (void)storesOf(module, instruction);
  return out;
}

// A region's parts that are programs, in order.
std::vector<ProgramOwner> ownersOf(const Module& module, const StepName& name) {
  if (name.parts.empty()) return {ownerOf(module, name.instruction)};
  std::vector<ProgramOwner> out;
  for (const StepPart& part : name.parts) {
    const Instruction& instruction = module.at(part.instruction);
    const bool isControl = instruction.opcode == Opcode::While || instruction.opcode == Opcode::Conditional;
    if (!isControl && !isIdentity(module, instruction, nullptr)) out.push_back(ownerOf(module, part.instruction));
  }
  return out;
}

Status addCode(const KernelLibrary& kernels, const Module& module, const StepName& name, StepListing& out) {
  const std::vector<ProgramOwner> owners = ownersOf(module, name);
  for (size_t kernel : name.kernels) {
    TESSERA_ASSIGN_OR_RETURN(KernelListing listing,
                             kernels.list(kernel, marksOf(module, kernels.source(kernel), owners)));
    out.irBefore += listing.before;
    out.irAfter += listing.after;
    out.assembly += listing.assembly;
  }
  return {};
}

}  // namespace

Result<std::vector<StepListing>> CpuExecutable::list(InstructionId instruction, bool withCode) const {
  std::vector<StepListing> out;
  const Cost cost = costOf(optimized_, instruction);
  auto list = [&](const StepName& name, std::string what, const std::vector<int>& operands,
                  const std::vector<int>& results) -> Status {
    StepListing& step = out.emplace_back();
    step.name = name.name;
    step.what = std::move(what);
    for (size_t i = 0; i < operands.size(); ++i)
      step.buffers.push_back(locationOf(plan_, name, operands[i], fmt::format("operand {}", i)));
    for (size_t i = 0; i < results.size(); ++i)
      step.buffers.push_back(
          locationOf(plan_, name, results[i], results.size() == 1 ? "result" : fmt::format("result {}", i)));
    step.flops = cost.flops + cost.transcendentals;
    step.bytes = cost.bytesAccessed;
    return withCode ? addCode(*kernels_, optimized_, name, step) : Status{};
  };
  for (const StepName& name : plan_.names) {
    if (name.parts.empty() && name.instruction == instruction)
      TESSERA_TRY(list(name, name.what, name.operands, name.results));
    for (const StepPart& part : name.parts)
      if (part.instruction == instruction) TESSERA_TRY(list(name, name.what, part.operands, part.results));
  }
  return out;
}

}  // namespace tessera::cpu
