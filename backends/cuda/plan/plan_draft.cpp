// See plan_draft.h.
#include "backends/cuda/plan/plan_draft.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "backends/codegen/alias_scopes.h"
#include "backends/codegen/grid/grid_region.h"
#include "core/passes/rewriter.h"

namespace tessera::cuda {

namespace {

constexpr int kFirstTable = -2;

Status checkArrays(std::span<const int> slots) {
  if (std::ranges::find(slots, -1) != slots.end()) return failUnsupported("an operand is not an array");
  return {};
}

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
  plan.slots.resize(buffers.slots.size());
  nameSlots();
}

// By the first instruction whose value it is, in the order of execution.
void PlanDraft::nameSlots() {
  for (ComputationId computation : controlComputations(module_))
    for (InstructionId id : module_.at(computation).instructions)
      for (const int slot : resultsOf(module_.at(id)))
        if (slot >= 0 && plan.slots[static_cast<size_t>(slot)].owner.empty())
          plan.slots[static_cast<size_t>(slot)].owner = std::string(module_.at(id).name);
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
  plan.slots.emplace_back().bytes = *bytes;
  return static_cast<int>(plan.slots.size()) - 1;
}

int PlanDraft::table(std::string bytes) {
  const auto known = std::ranges::find(tables_, bytes);
  const auto number = static_cast<int>(known - tables_.begin());
  if (known == tables_.end()) tables_.push_back(std::move(bytes));
  return kFirstTable - number;
}

void PlanDraft::placeTables(Steps& steps, int first) {
  for (DeviceStep& step : steps) {
    for (int& slot : step.operands)
      if (slot <= kFirstTable) slot = first + (kFirstTable - slot);
    for (Steps& block : step.blocks) placeTables(block, first);
  }
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
  TESSERA_TRY(checkArrays(slots));
  TESSERA_TRY(checkApart(instruction, program, slots));
  TESSERA_ASSIGN_OR_RETURN(const size_t kernel, kernels_.add(std::move(program), std::string(instruction.name)));
  append(instruction, kernel, std::move(from), std::move(to), out);
  return {};
}

Status PlanDraft::kernel(const Instruction& instruction, const KernelTemplate& kernel, std::vector<int> from,
                         std::vector<int> to, Steps& out) {
  TESSERA_TRY(checkArrays(from));
  TESSERA_TRY(checkArrays(to));
  TESSERA_ASSIGN_OR_RETURN(const size_t index, kernels_.add(kernel, std::string(instruction.name)));
  append(instruction, index, std::move(from), std::move(to), out);
  return {};
}

Status PlanDraft::kernel(const Instruction& instruction, const cpu::PlannedRegion& region, Steps& out) {
  TESSERA_ASSIGN_OR_RETURN(const codegen::RegionMap map, codegen::RegionMap::of(region.program));
  const auto slotsOf = [&](std::span<const uint32_t> buffers) {
    std::vector<int> slots;
    for (const uint32_t buffer : buffers) slots.push_back(region.slotOf[buffer]);
    return slots;
  };
  TESSERA_ASSIGN_OR_RETURN(const size_t index, kernels_.add(region.program, map, std::string(instruction.name)));
  append(instruction, index, slotsOf(map.read), slotsOf(map.written), out);
  for (const cpu::StepPart& part : region.parts) out.back().parts.push_back(part.instruction);
  return {};
}

void PlanDraft::append(const Instruction& instruction, size_t kernel, std::vector<int> from, std::vector<int> to,
                       Steps& out) {
  DeviceStep step = stepOf(instruction, DeviceStep::Kind::Kernel, "kernel: " + kernels_.launches()[kernel].text);
  step.operands = std::move(from);
  step.results = std::move(to);
  step.kernel = kernel;
  out.push_back(std::move(step));
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
  for (size_t s = 0; s < placed.slots.size(); ++s) {
    const Slot& from = placed.slots[s];
    DeviceSlot& to = plan.slots[s];
    to.kind = from.kind, to.index = from.index, to.lender = from.lender, to.offset = from.offset, to.bytes = from.bytes;
  }
  placeTables(plan.steps, static_cast<int>(plan.slots.size()));
  for (size_t t = 0; t < tables_.size(); ++t) {
    DeviceSlot& slot = plan.slots.emplace_back();
    slot.kind = SlotKind::Constant;
    slot.bytes = static_cast<int64_t>(tables_[t].size());
    slot.table = static_cast<int64_t>(t);
  }
  plan.tables = std::move(tables_);
  number(plan.steps);
  return std::move(plan);
}

}  // namespace tessera::cuda
