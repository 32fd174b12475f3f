// See plan_builder.h. Where values lie is decided by core/passes/buffers/buffer_assignment; here instructions become
// steps over its slots. When all are known, it places scratch memory of steps too, and gives none to what regions keep
// in registers.
#include "backends/cpu/plan_builder.h"

#include <algorithm>

#include <fmt/format.h>

#include "backends/codegen/nest/program_analysis.h"
#include "backends/codegen/nest/split_reduction.h"
#include "backends/codegen/nest/split_scatter.h"
#include "backends/codegen/nest/unroll_tiny.h"
#include "backends/cpu/library/concatenate.h"
#include "backends/cpu/library/convolution_epilogue.h"
#include "backends/cpu/library/evaluate_step.h"
#include "backends/cpu/library/evaluated_step.h"
#include "backends/cpu/library/gemm_chain.h"
#include "backends/cpu/library/library_steps.h"
#include "backends/cpu/library/permute.h"
#include "backends/cpu/plan/operand_starts.h"
#include "backends/cpu/plan/plan_checks.h"
#include "backends/cpu/plan/region_planner.h"
#include "backends/cpu/plan/step_program.h"
#include "core/custom_calls/custom_call_library.h"
#include "core/custom_calls/custom_calls.h"
#include "core/ops/inference/callee_index.h"
#include "core/ops/op.h"
#include "core/passes/patterns.h"
#include "core/passes/rewriter.h"

namespace tessera::cpu {

namespace {

constexpr int64_t kMaxScratchBytes = int64_t{1} << 62;

class PlanBuilder {
 public:
  PlanBuilder(const Module& module, const BufferAssignment& buffers, KernelLibrary& kernels, const PlanOptions& options)
      : module_(module),
        buffers_(buffers),
        kernels_(kernels),
        customCalls_(options.customCalls),
        threads_(options.threads),
        members_(module, kernels.target()),
        regions_(module, buffers, members_, options.customCalls) {}
  Result<Plan> build();

 private:
  Status planComputation(ComputationId id, Sequence& out, bool inLoop);
  void emitRegion(PlannedRegion region, Sequence& out);
  Status planInstruction(const Instruction& instruction, Sequence& out, bool inLoop);
  Status planConstant(const Instruction& instruction);
  Status planCopies(const Instruction& instruction, Sequence& out);
  Status planWhile(const Instruction& instruction, Sequence& out);
  Status planBranches(const Instruction& instruction, Sequence& out, bool inLoop);
  Status planElements(const Instruction& instruction, Sequence& out);
  Status planEvaluation(const Instruction& instruction, Sequence& out);
  Status planLibraryOp(const Instruction& instruction, Sequence& out);
  Status planChain(const Instruction& instruction, Sequence& out);
  Status planKernel(const Instruction& instruction, LoopProgram program, Sequence& out);
  Status planSplit(const Instruction& instruction, codegen::SplitReduction split, Sequence& out);
  Status planSplit(const Instruction& instruction, codegen::SplitScatter split, Sequence& out);
  Status planPart(const Instruction& instruction, LoopProgram program, std::vector<int> from,
                  const std::vector<int>& to, Sequence& out);

  Result<int> scratch(const Instruction& during, int64_t bytes);
  void use(std::span<const int> slots);
  Status placeScratch();
  std::vector<int> resultSlots(const Instruction& instruction) const { return cpu::resultSlots(buffers_, instruction); }
  std::vector<int> operandSlots(const Instruction& instruction) const {
    return cpu::operandSlots(module_, buffers_, instruction);
  }
  void emit(Sequence& out, StepPtr step, const Instruction& instruction, std::string what);
  void emitOver(Sequence& out, StepPtr step, std::span<const int> used, const Instruction& instruction,
                std::string what);

  const Module& module_;
  const BufferAssignment& buffers_;
  KernelLibrary& kernels_;
  const CustomCallLibrary* customCalls_;
  int threads_;
  ProcessorMembers members_;
  RegionPlanner regions_;
  Plan plan_;
  std::vector<ScratchNeed> scratch_;  // their slots follow the assignment's, in order
  std::vector<bool> hasMemory_;       // by slot of the assignment: some step uses its memory
};

Result<int> PlanBuilder::scratch(const Instruction& during, int64_t bytes) {
  if (bytes > kMaxScratchBytes)
    return fail(ErrorKind::Runtime, fmt::format("not enough memory: a step needs {} bytes of scratch", bytes));
  scratch_.push_back({during.id, bytes});
  Slot slot;
  slot.bytes = bytes;
  plan_.slots.push_back({{slot}, nullptr});
  return static_cast<int>(plan_.slots.size()) - 1;
}

// A step reads or writes their memory.
void PlanBuilder::use(std::span<const int> slots) {
  for (int slot : slots)
    if (slot >= 0 && static_cast<size_t>(slot) < hasMemory_.size()) hasMemory_[static_cast<size_t>(slot)] = true;
}

Status PlanBuilder::placeScratch() {
  BufferAssignment placed = buffers_;
  const bool isDone = scratch_.empty() && std::ranges::all_of(hasMemory_, std::identity());
  if (!isDone) TESSERA_TRY(placed.addScratch(scratch_, hasMemory_));
  plan_.arenaBytes = placed.arenaBytes;
  for (size_t s = 0; s < placed.slots.size(); ++s) static_cast<Slot&>(plan_.slots[s]) = placed.slots[s];
  return {};
}

// A step of which the slots are the instruction's.
void PlanBuilder::emit(Sequence& out, StepPtr step, const Instruction& instruction, std::string what) {
  use(operandSlots(instruction));
  emitOver(out, std::move(step), resultSlots(instruction), instruction, std::move(what));
}

void PlanBuilder::emitOver(Sequence& out, StepPtr step, std::span<const int> used, const Instruction& instruction,
                           std::string what) {
  use(used);
  step->profileIndex = static_cast<int32_t>(plan_.names.size());
  plan_.names.push_back({instruction.id,
                         std::string(instruction.name),
                         std::move(what),
                         operandSlots(instruction),
                         resultSlots(instruction),
                         kernels_.takeMentioned(),
                         {},
                         {},
                         0});
  out.steps.push_back(std::move(step));
}

// --- instructions

Status PlanBuilder::planConstant(const Instruction& instruction) {
  if (!instruction.literal) return unsupported(instruction, "its value is missing");
  std::vector<int> slots = resultSlots(instruction);
  size_t leaf = 0;
  auto bind = [&](auto&& self, const Literal& literal) -> void {
    if (literal.shape().isTuple()) {
      for (const Literal& element : literal.elements()) self(self, element);
      return;
    }
    int slot = leaf < slots.size() ? slots[leaf] : -1;
    if (slot >= 0) plan_.slots[static_cast<size_t>(slot)].literal = std::make_shared<const Literal>(literal);
    ++leaf;
  };
  bind(bind, *instruction.literal);
  return {};
}

Status PlanBuilder::planCopies(const Instruction& instruction, Sequence& out) {
  std::vector<int> from = resultSlots(module_.at(instruction.operands[0])), to = resultSlots(instruction);
  std::vector<ShapeLeaf> leaves = leavesOf(*instruction.shape);
  for (size_t k = 0; k < to.size() && k < from.size(); ++k) {
    int64_t bytes = to[k] < 0 ? 0 : leaves[k].shape->denseBytes().value_or(0);
    if (from[k] != to[k] && bytes > 0)
      emit(out, std::make_unique<CopyStep>(from[k], to[k], bytes), instruction, "copy");
  }
  return {};
}

Status PlanBuilder::planWhile(const Instruction& instruction, Sequence& out) {
  const auto* condition = instruction.attributes->get<ComputationId>(Attr::condition);
  const auto* body = instruction.attributes->get<ComputationId>(Attr::body);
  if (!condition || !body) return unsupported(instruction, "a computation is missing");
  auto step = std::make_unique<WhileStep>();
  TESSERA_TRY(planComputation(*condition, step->condition, true));
  TESSERA_TRY(planComputation(*body, step->body, true));
  step->predicate = buffers_.slotOf(module_.at(*condition).root);
  const int predicate = step->predicate;
  emitOver(out, std::move(step), {&predicate, 1}, instruction, "while");
  return {};
}

Status PlanBuilder::planBranches(const Instruction& instruction, Sequence& out, bool inLoop) {
  auto step = std::make_unique<ConditionalStep>();
  step->byPredicate = module_.shapeOf(instruction.operands[0]).type == ElementType::Pred;
  step->selector = buffers_.slotOf(instruction.operands[0]);
  const std::vector<ComputationId> branches = branchesOf(*instruction.attributes);
  if (branches.size() + 1 != instruction.operands.size())
    return unsupported(instruction, "it has not one operand a branch");
  step->branches.resize(branches.size());
  for (size_t i = 0; i < branches.size(); ++i) TESSERA_TRY(planComputation(branches[i], step->branches[i], inLoop));
  const int selector = step->selector;
  emitOver(out, std::move(step), {&selector, 1}, instruction, "conditional");
  return {};
}

// Two kernels, the partial results between them in scratch.
Status PlanBuilder::planSplit(const Instruction& instruction, codegen::SplitReduction split, Sequence& out) {
  std::vector<int> slots = operandSlots(instruction), partials, results = resultSlots(instruction);
  LoopProgram blocks = codegen::asLoopProgram(split.blocks), join = codegen::asLoopProgram(split.join);
  for (const Shape& shape : blocks.outputs) {
    TESSERA_ASSIGN_OR_RETURN(int slot, scratch(instruction, shape.denseBytes().value_or(INT64_MAX)));
    partials.push_back(slot);
  }
  TESSERA_TRY(planPart(instruction, std::move(blocks), slots, partials, out));
  slots.insert(slots.end(), partials.begin(), partials.end());
  return planPart(instruction, std::move(join), std::move(slots), results, out);
}

// Three kernels around arrays in scratch, one a piece of the updates.
Status PlanBuilder::planSplit(const Instruction& instruction, codegen::SplitScatter split, Sequence& out) {
  std::vector<int> slots = operandSlots(instruction);
  TESSERA_ASSIGN_OR_RETURN(const int partial,
                           scratch(instruction, split.pieces.outputs[0].denseBytes().value_or(INT64_MAX)));
  TESSERA_TRY(planPart(instruction, codegen::asLoopProgram(split.fill), {}, {partial}, out));
  TESSERA_TRY(planPart(instruction, std::move(split.pieces), slots, {partial}, out));
  slots.push_back(partial);
  return planPart(instruction, codegen::asLoopProgram(split.join), std::move(slots), resultSlots(instruction), out);
}

// One kernel of an instruction that runs as several.
Status PlanBuilder::planPart(const Instruction& instruction, LoopProgram program, std::vector<int> from,
                             const std::vector<int>& to, Sequence& out) {
  from.insert(from.end(), to.begin(), to.end());
  if (std::ranges::any_of(from, [](int slot) { return slot < 0; }))
    return unsupported(instruction, "an operand is not an array");
  TESSERA_TRY(checkAliasing(instruction, program, from));
  auto kernel = kernels_.add(std::move(program), std::string(instruction.name));
  if (!kernel) return unsupported(instruction, kernel.error().message);
  emit(out, std::make_unique<KernelStep>(*kernel, std::move(from)), instruction, "kernel");
  return {};
}

Status PlanBuilder::planKernel(const Instruction& instruction, LoopProgram program, Sequence& out) {
  std::vector<int> slots = operandSlots(instruction), results = resultSlots(instruction);
  if (program.outputs.size() != results.size() || program.body.operands.size() != slots.size())
    return unsupported(instruction, "its description does not match its operands");
  for (size_t k = 0; k < results.size(); ++k) {
    int64_t initial = program.initialOperand[k];
    int from = initial < 0 ? results[k] : slots[static_cast<size_t>(initial)];
    int64_t bytes = program.outputs[k].denseBytes().value_or(0);
    if (from != results[k] && bytes > 0)
      emit(out, std::make_unique<CopyStep>(from, results[k], bytes), instruction, "copy");
  }
  if (std::ranges::any_of(program.body.outputDims, [](int64_t d) { return d == 0; })) return {};
  slots.insert(slots.end(), results.begin(), results.end());
  if (std::ranges::any_of(slots, [](int slot) { return slot < 0; }))
    return unsupported(instruction, "an operand is not an array");
  program = codegen::unrollSmallProducts(std::move(program), kernels_.target());
  TESSERA_TRY(checkAliasing(instruction, program, slots));
  bool loops = program.initialOperand[0] >= 0;
  const bool streams = !loops && usesNonTemporalStores(program, slots, kernels_.target().cacheBytes);
  std::vector<int64_t> starts = takeOperandStarts(program);
  auto kernel = kernels_.add(std::move(program), std::string(instruction.name), streams);
  if (!kernel) return unsupported(instruction, kernel.error().message);
  emit(out, std::make_unique<KernelStep>(*kernel, std::move(slots), std::move(starts)), instruction,
       loops ? "kernel (stores)" : "kernel");
  return {};
}

Status PlanBuilder::planLibraryOp(const Instruction& instruction, Sequence& out) {
  LibraryContext context{module_, instruction, kernels_, operandSlots(instruction), resultSlots(instruction),
                         {},      {},          threads_};
  context.scratch = [&](int64_t bytes) { return scratch(instruction, bytes); };
  auto step = planLibrary(context);
  if (!step) return fail(std::move(step).error());
  if (!*step) return planElements(instruction, out);
  emit(out, std::move(*step), instruction, context.what);
  return {};
}

// A fusion of dots and what is between them, or of a convolution and its end; any other form by its element
// program.
Status PlanBuilder::planChain(const Instruction& instruction, Sequence& out) {
  LibraryContext context{module_, instruction, kernels_, operandSlots(instruction), resultSlots(instruction),
                         {},      {},          threads_};
  context.scratch = [&](int64_t bytes) { return scratch(instruction, bytes); };
  auto step = planGemmChain(context);
  if (step && !*step) step = planConvolutionEpilogue(context);
  if (!step) return fail(std::move(step).error());
  if (!*step) return planElements(instruction, out);
  emit(out, std::move(*step), instruction, context.what);
  return {};
}

// By the op's own `evaluate`, for what has no description by elements.
Status PlanBuilder::planEvaluation(const Instruction& instruction, Sequence& out) {
  auto step = std::make_unique<EvaluateStep>(instruction.id, operandSlots(instruction), resultSlots(instruction));
  step->isSerializable = cpu::isSerializable(instruction) && !isUsersCall(instruction, customCalls_);
  emit(out, std::move(step), instruction, "evaluated");
  return {};
}

// By its element program; a fusion runs as its root does.
Status PlanBuilder::planElements(const Instruction& instruction, Sequence& out) {
  const Instruction* described = fusionRootOf(module_, instruction);
  if (!described) return unsupported(instruction, "it calls nothing");
  const OpDef* op = findOp(described->opcode);
  if (!op) return unsupported(instruction, "the operation is not described");
  if (described->opcode == Opcode::CustomCall)
    if (auto known = checkTarget(*described, customCalls_); !known)
      return unsupported(instruction, known.error().message);
  bool fused = described != &instruction;
  const bool byElements = op->element || op->loops;
  if (!fused && !byElements && runsByEvaluate(*op)) return planEvaluation(instruction, out);
  if (!fused && !byElements) return unsupported(instruction, "it has no description by elements");
  if (op->loops != nullptr) {
    auto stores = storesOf(module_, instruction.id);
    if (!stores) return unsupported(instruction, stores.error().message);
    if (auto split = codegen::splitScatter(*stores, kernels_.target()))
      return planSplit(instruction, std::move(*split), out);
    return planKernel(instruction, std::move(*stores), out);
  }
  if (const std::vector<int> results = resultSlots(instruction); results.size() == 1)
    if (StepPtr step = planConcatenate(module_, instruction, operandSlots(instruction), results[0])) {
      emit(out, std::move(step), instruction, "concatenate");
      return {};
    }
  auto elements = elementsOf(module_, instruction.id);
  if (!elements) return unsupported(instruction, elements.error().message);
  const ElementProgram& program = *elements;
  if (const std::vector<int> slots = operandSlots(instruction), results = resultSlots(instruction);
      results.size() == 1 && !program.results.empty()) {
    const Node& read = program.at(program.results[0]);
    const int from = read.op == NodeOp::Read && read.bits0 < slots.size() ? slots[read.bits0] : -1;
    if (from >= 0 && from != results[0]) {
      TESSERA_ASSIGN_OR_RETURN(StepPtr step, planPermute(program, from, results[0], threads_,
                                                         [&](int64_t bytes) { return scratch(instruction, bytes); }));
      if (step) return emit(out, std::move(step), instruction, "transpose"), Status{};
    }
  }
  if (auto split = codegen::splitReduction(program, kernels_.target()))
    return planSplit(instruction, std::move(*split), out);
  return planKernel(instruction, codegen::asLoopProgram(program), out);
}

Status PlanBuilder::planInstruction(const Instruction& instruction, Sequence& out, bool inLoop) {
  if (isIdentity(module_, instruction, customCalls_)) return planCopies(instruction, out);
  if (needsNoStep(instruction.opcode)) return {};
  switch (instruction.opcode) {
    case Opcode::Constant: return {};  // bound before
    case Opcode::While: return planWhile(instruction, out);
    case Opcode::Conditional: return planBranches(instruction, out, inLoop);
    case Opcode::Fusion:
      if (instruction.attributes->textOr(Attr::kind, "") == "kOutput") return planChain(instruction, out);
      break;
    default: break;
  }
  const OpDef* op = findOp(instruction.opcode);
  const bool isBuiltInCall = instruction.opcode == Opcode::CustomCall && !isUsersCall(instruction, customCalls_);
  if ((op && op->kind == ExecutionKind::Library) || isBuiltInCall || runningTotal(module_, instruction))
    return planLibraryOp(instruction, out);
  return planElements(instruction, out);
}

void PlanBuilder::emitRegion(PlannedRegion region, Sequence& out) {
  const Instruction& nameSource = module_.at(region.nameSource);
  const size_t blocks = region.program.blocks.size();
  const size_t kernel = kernels_.addRegion(std::move(region.program), std::string(nameSource.name));
  const std::vector<int> used = region.slots;
  emitOver(out, std::make_unique<RegionCallStep>(kernel, std::move(region.slots), plan_.blocks), used, nameSource,
           fmt::format("region of {} instructions", region.parts.size()));
  StepName& name = plan_.names.back();
  name.parts = std::move(region.parts);
  name.registers = std::move(region.registers);
  name.firstBlock = plan_.blocks;
  plan_.blocks += blocks;
}

Status PlanBuilder::planComputation(ComputationId id, Sequence& out, bool inLoop) {
  const std::vector<InstructionId>& instructions = module_.at(id).instructions;
  for (size_t i = 0; i < instructions.size();) {
    if (auto region = regions_.plan(id, i, inLoop)) {
      i = region->end;
      emitRegion(std::move(*region), out);
      continue;
    }
    TESSERA_TRY(planInstruction(module_.at(instructions[i++]), out, inLoop));
  }
  return {};
}

Result<Plan> PlanBuilder::build() {
  for (const Slot& slot : buffers_.slots) plan_.slots.push_back({{slot}, nullptr});
  for (const Slot& slot : buffers_.slots) hasMemory_.push_back(slot.kind != SlotKind::Temp);
  for (ComputationId computation : controlComputations(module_))
    for (InstructionId id : module_.at(computation).instructions)
      if (module_.at(id).opcode == Opcode::Constant) TESSERA_TRY(planConstant(module_.at(id)));
  TESSERA_TRY(planComputation(module_.entry(), plan_.sequence, false));
  TESSERA_TRY(placeScratch());
  return std::move(plan_);
}

}  // namespace

Result<Plan> buildPlan(const Module& module, const BufferAssignment& buffers, KernelLibrary& kernels,
                       const PlanOptions& options) {
  return PlanBuilder(module, buffers, kernels, options).build();
}

}  // namespace tessera::cpu
