// See device_plan_builder.h.
#include "backends/cuda/plan/device_plan_builder.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "backends/codegen/nest/program_analysis.h"
#include "backends/codegen/nest/split_reduction.h"
#include "backends/codegen/nest/split_scatter.h"
#include "backends/cpu/plan/step_program.h"
#include "backends/cuda/plan/library_plans.h"
#include "backends/cuda/plan/matrix_routines.h"
#include "backends/cuda/plan/plan_draft.h"
#include "backends/cuda/plan/program_plans.h"
#include "backends/cuda/plan/region_plans.h"
#include "core/custom_calls/custom_calls.h"
#include "core/ops/inference/callee_index.h"
#include "core/ops/inference/trip_count.h"
#include "core/ops/op.h"
#include "core/passes/rewriter.h"

namespace tessera::cuda {

namespace {

std::unexpected<Diagnostic> cannotRun(const Instruction& instruction, std::string why) {
  return fail(placedAt(instruction, {.kind = ErrorKind::Unsupported,
                                     .message = fmt::format("the cuda backend cannot run {} ({}): {}", instruction.name,
                                                            instruction.opcodeName(), why)}));
}

class DevicePlanBuilder {
 public:
  DevicePlanBuilder(const Module& module, const BufferAssignment& buffers, KernelSet& kernels,
                    const PlanOptions& options)
      : draft_(module, buffers, kernels),
        module_(module),
        buffers_(buffers),
        options_(options),
        regions_(module, buffers, options.customCalls) {}
  Result<DevicePlan> build();

 private:
  Status nameConstants();
  Status planBlock(ComputationId id, bool inLoop, Steps& out);
  Status planInstruction(const Instruction& instruction, Steps& out);
  void planCopies(const Instruction& instruction, Steps& out);
  Status planWhile(const Instruction& instruction, Steps& out);
  Status planChoice(const Instruction& instruction, Steps& out);
  Status planComputed(const Instruction& instruction, Steps& out);
  Status planChosen(const Instruction& instruction, Steps& out);
  Status planKernels(const Instruction& instruction, Steps& out);
  Status planStores(const Instruction& instruction, Steps& out);
  Status planElements(const Instruction& instruction, Steps& out);
  bool isAttention(const Instruction& instruction) const;
  Status planSplit(const Instruction& instruction, codegen::SplitReduction split, Steps& out);
  Status planSplit(const Instruction& instruction, codegen::SplitScatter split, Steps& out);
  Status planWhole(const Instruction& instruction, LoopProgram program, Steps& out);
  Status planHost(const Instruction& instruction, const std::string& why, Steps& out);

  std::vector<int> resultsOf(const Instruction& instruction) const { return draft_.resultsOf(instruction); }
  std::vector<int> operandsOf(const Instruction& instruction) const { return draft_.operandsOf(instruction); }

  PlanDraft draft_;
  const Module& module_;
  const BufferAssignment& buffers_;
  const PlanOptions& options_;
  RegionPlans regions_;
};

void DevicePlanBuilder::planCopies(const Instruction& instruction, Steps& out) {
  const std::vector<int> from = resultsOf(module_.at(instruction.operands[0])), to = resultsOf(instruction);
  const std::vector<ShapeLeaf> leaves = leavesOf(*instruction.shape);
  for (size_t k = 0; k < to.size() && k < from.size(); ++k)
    draft_.copy(instruction, from[k], to[k], leaves[k].shape->denseBytes().value_or(0), out);
}

Status DevicePlanBuilder::planWhile(const Instruction& instruction, Steps& out) {
  const auto* condition = instruction.attributes->get<ComputationId>(Attr::condition);
  const auto* body = instruction.attributes->get<ComputationId>(Attr::body);
  if (!condition || !body) return cannotRun(instruction, "a computation is missing");
  const auto trips = countedTrips(module_, instruction);
  DeviceStep step = draft_.stepOf(instruction, DeviceStep::Kind::While,
                                  trips ? fmt::format("while: {} rounds", *trips) : "while: by its predicate");
  step.trips = trips.value_or(-1);
  step.blocks.resize(2);
  TESSERA_TRY(planBlock(*condition, true, step.blocks[0]));
  TESSERA_TRY(planBlock(*body, true, step.blocks[1]));
  step.operands = {buffers_.slotOf(module_.at(*condition).root)};
  out.push_back(std::move(step));
  return {};
}

Status DevicePlanBuilder::planChoice(const Instruction& instruction, Steps& out) {
  DeviceStep step = draft_.stepOf(instruction, DeviceStep::Kind::Choice, "conditional: by its selector");
  step.byPredicate = module_.shapeOf(instruction.operands[0]).type == ElementType::Pred;
  step.operands = {buffers_.slotOf(instruction.operands[0])};
  const std::vector<ComputationId> branches = branchesOf(*instruction.attributes);
  if (branches.size() + 1 != instruction.operands.size())
    return cannotRun(instruction, "it has not one operand a branch");
  step.blocks.resize(branches.size());
  for (size_t i = 0; i < branches.size(); ++i) TESSERA_TRY(planBlock(branches[i], false, step.blocks[i]));
  out.push_back(std::move(step));
  return {};
}

// --- kernels

Status DevicePlanBuilder::planWhole(const Instruction& instruction, LoopProgram program, Steps& out) {
  const std::vector<int> from = operandsOf(instruction), to = resultsOf(instruction);
  if (program.outputs.size() != to.size() || program.body.operands.size() != from.size())
    return failUnsupported("its description does not match its operands");
  for (size_t k = 0; k < to.size(); ++k)
    if (const int64_t initial = program.initialOperand[k]; initial >= 0)
      draft_.copy(instruction, from[static_cast<size_t>(initial)], to[k], program.outputs[k].denseBytes().value_or(0),
                  out);
  if (std::ranges::any_of(program.body.outputDims, [](int64_t d) { return d == 0; })) return {};
  return draft_.kernel(instruction, std::move(program), from, to, out);
}

// Two kernels, the partial results between them in scratch.
Status DevicePlanBuilder::planSplit(const Instruction& instruction, codegen::SplitReduction split, Steps& out) {
  std::vector<int> slots = operandsOf(instruction), partials;
  LoopProgram blocks = codegen::asLoopProgram(split.blocks), join = codegen::asLoopProgram(split.join);
  for (const Shape& shape : blocks.outputs) {
    TESSERA_ASSIGN_OR_RETURN(const int slot, draft_.scratchFor(instruction, shape));
    partials.push_back(slot);
  }
  TESSERA_TRY(draft_.kernel(instruction, std::move(blocks), slots, partials, out));
  slots.insert(slots.end(), partials.begin(), partials.end());
  return draft_.kernel(instruction, std::move(join), std::move(slots), resultsOf(instruction), out);
}

// Three kernels around arrays in scratch, one a piece of the updates.
Status DevicePlanBuilder::planSplit(const Instruction& instruction, codegen::SplitScatter split, Steps& out) {
  std::vector<int> slots = operandsOf(instruction);
  TESSERA_ASSIGN_OR_RETURN(const int partial, draft_.scratchFor(instruction, split.pieces.outputs[0]));
  TESSERA_TRY(draft_.kernel(instruction, codegen::asLoopProgram(split.fill), {}, {partial}, out));
  TESSERA_TRY(draft_.kernel(instruction, std::move(split.pieces), slots, {partial}, out));
  slots.push_back(partial);
  return draft_.kernel(instruction, codegen::asLoopProgram(split.join), std::move(slots), resultsOf(instruction), out);
}

Status DevicePlanBuilder::planStores(const Instruction& instruction, Steps& out) {
  TESSERA_ASSIGN_OR_RETURN(LoopProgram stores, cpu::storesOf(module_, instruction.id, WideFunctions::Expanded));
  if (auto split = codegen::splitScatter(stores, {})) return planSplit(instruction, std::move(*split), out);
  return planWhole(instruction, std::move(stores), out);
}

// A dot with another one, or with a reduction, in one fusion; it has blocks of its own.
bool DevicePlanBuilder::isAttention(const Instruction& instruction) const {
  if (instruction.attributes->textOr(Attr::kind, "") != "kOutput") return false;
  int64_t sums = 0;
  for (ComputationId inside : module_.callees(instruction))
    sums += std::ranges::count_if(module_.at(inside).instructions, [&](InstructionId id) {
      return module_.at(id).opcode == Opcode::Dot || module_.at(id).opcode == Opcode::Reduce;
    });
  return sums > 1;
}

Status DevicePlanBuilder::planElements(const Instruction& instruction, Steps& out) {
  TESSERA_ASSIGN_OR_RETURN(const ElementProgram program,
                           cpu::elementsOf(module_, instruction.id, WideFunctions::Expanded));
  if (auto split = isAttention(instruction) ? std::nullopt : codegen::splitGridReduction(program))
    return planSplit(instruction, std::move(*split), out);
  return planWhole(instruction, codegen::asLoopProgram(program), out);
}

// ErrorKind::Unsupported: there is no kernel, and the text says why.
Status DevicePlanBuilder::planKernels(const Instruction& instruction, Steps& out) {
  const Instruction* described = cpu::fusionRootOf(module_, instruction);
  const OpDef* op = described ? findOp(described->opcode) : nullptr;
  if (isPlannedByProgram(module_, instruction)) return planByProgram(draft_, instruction, out);
  const bool isFusion = described != &instruction;  // perhaps of several results, whose root is a tuple
  if (!op || (!isFusion && !op->element && !op->loops)) return failUnsupported("no kernel computes it");
  return op->loops ? planStores(instruction, out) : planElements(instruction, out);
}

// A library's where one takes it, else kernels of our own, or the host: the step says why.
Status DevicePlanBuilder::planChosen(const Instruction& instruction, Steps& out) {
  if (!options_.libraries) return planKernels(instruction, out);
  const auto plan = libraryPlanOf(module_, instruction);
  const auto matrices = matrixPlanOf(module_, instruction, options_.customCalls);
  if (!plan && !matrices) return planKernels(instruction, out);
  const size_t scratches = draft_.scratchCount();
  const Status chosen = plan ? planLibrary(draft_, instruction, *plan, *options_.libraries, out)
                             : planMatrixRoutine(draft_, instruction, *matrices, *options_.libraries, out);
  if (chosen || chosen.error().kind != ErrorKind::Unsupported) return chosen;
  draft_.dropScratchFrom(scratches);
  out.clear();
  const std::string why = " (" + chosen.error().message + ")";
  Status own = planKernels(instruction, out);
  if (!own) own.error().message += why;
  for (DeviceStep& step : out) step.what += why;
  return own;
}

// --- the host

Status DevicePlanBuilder::planHost(const Instruction& instruction, const std::string& why, Steps& out) {
  const bool isFusion = instruction.opcode == Opcode::Fusion && !module_.callees(instruction).empty();
  const OpDef* op = findOp(instruction.opcode);
  if (!isFusion && (!op || !op->evaluate)) return cannotRun(instruction, why);
  DeviceStep step = draft_.stepOf(instruction, DeviceStep::Kind::Host, "on the host: " + why);
  step.operands = operandsOf(instruction);
  step.results = resultsOf(instruction);
  out.push_back(std::move(step));
  return {};
}

Status DevicePlanBuilder::planComputed(const Instruction& instruction, Steps& out) {
  if (instruction.opcode == Opcode::CustomCall)
    if (const Status known = checkTarget(instruction, options_.customCalls); !known)
      return cannotRun(instruction, known.error().message);
  Steps steps;
  const size_t scratches = draft_.scratchCount();
  const Status planned = planChosen(instruction, steps);
  if (!planned && planned.error().kind != ErrorKind::Unsupported) return planned;
  if (!planned) {
    draft_.dropScratchFrom(scratches);
    return planHost(instruction, planned.error().message, out);
  }
  if (const std::string* why = options_.fusions ? options_.fusions->refusalOf(instruction) : nullptr)
    for (DeviceStep& step : steps) step.what += " (" + *why + ")";
  std::ranges::move(steps, std::back_inserter(out));
  return {};
}

Status DevicePlanBuilder::planInstruction(const Instruction& instruction, Steps& out) {
  if (cpu::isIdentity(module_, instruction, options_.customCalls)) return planCopies(instruction, out), Status{};
  if (cpu::needsNoStep(instruction.opcode)) return {};
  switch (instruction.opcode) {
    case Opcode::Constant: return {};  // bound before
    case Opcode::While: return planWhile(instruction, out);
    case Opcode::Conditional: return planChoice(instruction, out);
    default: return planComputed(instruction, out);
  }
}

Status DevicePlanBuilder::planBlock(ComputationId id, bool inLoop, Steps& out) {
  const std::vector<InstructionId>& instructions = module_.at(id).instructions;
  for (size_t i = 0; i < instructions.size();) {
    if (const auto end = regions_.plan(draft_, id, i, inLoop, out)) {
      i = *end;
      continue;
    }
    TESSERA_TRY(planInstruction(module_.at(instructions[i++]), out));
  }
  return {};
}

// --- the whole

Result<DevicePlan> DevicePlanBuilder::build() {
  TESSERA_TRY(nameConstants());
  TESSERA_TRY(planBlock(module_.entry(), false, draft_.plan.steps));
  return draft_.finish();
}

// Slots of constants hold a number among constantsOf.
Status DevicePlanBuilder::nameConstants() {
  int64_t number = 0;
  for (ComputationId computation : controlComputations(module_))
    for (InstructionId id : module_.at(computation).instructions) {
      const Instruction& instruction = module_.at(id);
      if (instruction.opcode != Opcode::Constant) continue;
      if (!instruction.literal) return cannotRun(instruction, "its value is missing");
      for (const int slot : resultsOf(instruction)) {
        if (slot >= 0) draft_.plan.slots[static_cast<size_t>(slot)].valueAt = number;
        ++number;
      }
    }
  return {};
}

void addLeaves(const Literal& literal, std::vector<LiteralPtr>& out) {
  if (!literal.shape().isTuple()) return out.push_back(std::make_shared<const Literal>(literal));
  for (const Literal& element : literal.elements()) addLeaves(element, out);
}

}  // namespace

std::vector<LiteralPtr> constantsOf(const Module& module) {
  std::vector<LiteralPtr> out;
  for (ComputationId computation : controlComputations(module))
    for (InstructionId id : module.at(computation).instructions)
      if (module.at(id).opcode == Opcode::Constant && module.at(id).literal) addLeaves(*module.at(id).literal, out);
  return out;
}

void bindConstants(DevicePlan& plan, const std::vector<LiteralPtr>& constants) {
  bindTables(plan);
  for (DeviceSlot& slot : plan.slots)
    if (slot.valueAt >= 0 && slot.valueAt < static_cast<int64_t>(constants.size()))
      slot.value = constants[static_cast<size_t>(slot.valueAt)]->bytes();
}

Status checkFusion(const Module& module, InstructionId fusion, const Architecture& architecture) {
  TESSERA_ASSIGN_OR_RETURN(const ElementProgram program, cpu::elementsOf(module, fusion, WideFunctions::Expanded));
  return KernelSet::checkAttention(codegen::asLoopProgram(program), architecture);
}

Result<DevicePlan> buildDevicePlan(const Module& module, const BufferAssignment& buffers, KernelSet& kernels,
                                   const PlanOptions& options) {
  return DevicePlanBuilder(module, buffers, kernels, options).build();
}

}  // namespace tessera::cuda
