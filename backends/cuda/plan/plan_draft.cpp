// See plan_draft.h.
#include "backends/cuda/plan/plan_draft.h"

#include <algorithm>

#include <fmt/format.h>

#include "backends/codegen/alias_scopes.h"
#include "core/passes/rewriter.h"

namespace tessera::cuda {

namespace {

// What kernels assume of their arrays (codegen/alias_scopes.h). slots: of operands, then results.
Status checkApart(const Instruction& instruction, const LoopProgram& program, std::span<const int> slots) {
  const size_t operands = program.body.operands.size();
  for (size_t k = 0; k < program.outputs.size(); ++k)
    for (size_t i = 0; i < operands + k; ++i)
      if (slots[i] == slots[operands + k] && (i >= operands || !codegen::outputMayAliasOperand(program, k, i)))
        return fail(
            fmt::format("{}: result {} shares memory that its kernel assumes to be apart", instruction.name, k));
  return {};
}

}  // namespace

PlanDraft::PlanDraft(const Module& module, const BufferAssignment& buffers, KernelSet& kernels)
    : module_(module), buffers_(buffers), kernels_(kernels) {
  for (const Slot& slot : buffers.slots) plan.slots.push_back({{slot}, nullptr, {}});
  nameSlots();
}

// By the first instruction whose value it is, in the order of execution.
void PlanDraft::nameSlots() {
  for (ComputationId computation : controlComputations(module_))
    for (InstructionId id : module_.at(computation).instructions)
      for (const int slot : resultsOf(module_.at(id)))
        if (slot >= 0 && !plan.slots[static_cast<size_t>(slot)].owner.valid())
          plan.slots[static_cast<size_t>(slot)].owner = id;
}

DeviceStep PlanDraft::stepOf(const Instruction& instruction, DeviceStep::Kind kind, std::string what) const {
  DeviceStep step;
  step.kind = kind;
  step.instruction = instruction.id;
  step.what = std::move(what);
  return step;
}

Result<int> PlanDraft::scratchFor(const Instruction& during, const Shape& shape) {
  const auto bytes = shape.denseBytes();
  if (!bytes)
    return fail(ErrorKind::Runtime, std::string(during.name) + ": a step needs more memory than there can be");
  scratch_.push_back({during.id, *bytes});
  Slot slot;
  slot.bytes = *bytes;
  plan.slots.push_back({{slot}, nullptr, {}});
  return static_cast<int>(plan.slots.size()) - 1;
}

void PlanDraft::dropScratchFrom(size_t count) {
  plan.slots.resize(plan.slots.size() - (scratch_.size() - count));
  scratch_.resize(count);
}

void PlanDraft::copy(const Instruction& instruction, int from, int to, int64_t bytes, Steps& out) const {
  if (from == to || from < 0 || to < 0 || bytes == 0) return;
  DeviceStep step = stepOf(instruction, DeviceStep::Kind::Copy, "copy");
  step.operands = {from};
  step.results = {to};
  step.bytes = bytes;
  out.push_back(std::move(step));
}

Status PlanDraft::kernel(const Instruction& instruction, LoopProgram program, std::vector<int> from,
                         std::vector<int> to, Steps& out) {
  if (std::ranges::any_of(program.body.outputDims, [](int64_t d) { return d == 0; })) return {};
  std::vector<int> slots = from;
  slots.insert(slots.end(), to.begin(), to.end());
  if (std::ranges::any_of(slots, [](int slot) { return slot < 0; }))
    return failUnsupported("an operand is not an array");
  TESSERA_TRY(checkApart(instruction, program, slots));
  TESSERA_ASSIGN_OR_RETURN(const size_t kernel, kernels_.add(std::move(program), std::string(instruction.name)));
  DeviceStep step = stepOf(instruction, DeviceStep::Kind::Kernel, "kernel: " + kernels_.launches()[kernel].text);
  step.operands = std::move(from);
  step.results = std::move(to);
  step.kernel = kernel;
  out.push_back(std::move(step));
  return {};
}

void PlanDraft::number(Steps& steps) {
  for (DeviceStep& step : steps) {
    step.number = plan.count++;
    for (Steps& block : step.blocks) number(block);
  }
}

Result<DevicePlan> PlanDraft::finish() {
  BufferAssignment placed = buffers_;
  if (!scratch_.empty()) TESSERA_TRY(placed.addScratch(scratch_, std::vector<bool>(buffers_.slots.size(), true)));
  plan.arenaBytes = placed.arenaBytes;
  for (size_t s = 0; s < placed.slots.size(); ++s) static_cast<Slot&>(plan.slots[s]) = placed.slots[s];
  number(plan.steps);
  return std::move(plan);
}

}  // namespace tessera::cuda
