// See region_planner.h. RegionBuilder numbers buffers and writes blocks; what is in a register follows from all
// accesses.
#include "backends/cpu/plan/region_planner.h"

#include <algorithm>
#include <set>

#include "backends/cpu/plan/step_program.h"
#include "core/ops/inference/callee_index.h"
#include "core/ops/op.h"
#include "core/passes/patterns.h"
#include "core/passes/rewriter.h"

namespace tessera::cpu {

namespace {

int64_t countOf(const Shape& shape) { return shape.isArray() ? shape.elementCount().value_or(INT64_MAX) : 0; }

std::vector<ComputationId> blocksOf(const Instruction& instruction) {
  if (instruction.opcode == Opcode::Conditional) return branchesOf(*instruction.attributes);
  const auto* condition = instruction.attributes->get<ComputationId>(Attr::condition);
  const auto* body = instruction.attributes->get<ComputationId>(Attr::body);
  if (!condition || !body) return {};
  return {*condition, *body};
}

bool isControl(Opcode opcode) { return opcode == Opcode::While || opcode == Opcode::Conditional; }

}  // namespace

void RegionPlanner::Size::add(const Size& other) {
  steps += other.steps;
  programs += other.programs;
  products += other.products;
  loops += other.loops;
  nodes += other.nodes;
  ns += other.ns;
}

// Not worth a look where it runs once.
bool RegionPlanner::isLarge(const Instruction& instruction) const {
  if (isControl(instruction.opcode) || needsNoStep(instruction.opcode) || instruction.opcode == Opcode::Constant ||
      instruction.opcode == Opcode::Copy)
    return false;
  return std::ranges::any_of(leavesOf(*instruction.shape),
                             [&](const ShapeLeaf& leaf) { return countOf(*leaf.shape) > limits().maxLoneElements; });
}

// An array that is updated in place may be of any size: of a scan's results, a round writes one.
bool RegionPlanner::isSmall(const LoopProgram& program, std::span<const int> operands,
                            std::span<const int> results) const {
  int64_t elements = 1;
  for (int64_t size : program.body.outputDims)
    if (__builtin_mul_overflow(elements, size, &elements) || elements > limits().maxElements) return false;
  for (size_t k = 0; k < results.size(); ++k) {
    const int64_t initial = program.initialOperand[k];
    const bool inPlace = initial >= 0 && operands[static_cast<size_t>(initial)] == results[k];
    if (!inPlace && countOf(program.outputs[k]) > limits().maxElements) return false;
  }
  return true;
}

RegionPlanner::Sized RegionPlanner::measureProgram(const Instruction& instruction) {
  if (instruction.opcode == Opcode::Fusion && instruction.attributes->textOr(Attr::kind, "") == "kOutput")
    return {};  // a library's step
  const Instruction* described = fusionRootOf(module_, instruction);
  const OpDef* op = described ? findOp(described->opcode) : nullptr;
  if (!op || hasSideEffect(instruction) || (!op->element && !op->loops) || described->opcode == Opcode::CustomCall)
    return {};
  const bool isProduct = instruction.opcode == Opcode::Dot;
  if ((op->kind == ExecutionKind::Library && !isProduct) || op->kind == ExecutionKind::Effect ||
      runningTotal(module_, instruction) || members_.isStep(instruction))
    return {};
  for (const ShapeLeaf& leaf : leavesOf(*instruction.shape))
    if (const int64_t count = countOf(*leaf.shape); count < 1 || (count > limits().maxElements && !op->loops))
      return {};
  Result<LoopProgram> made = members_.programOf(instruction, *op);
  if (!made) return {};
  LoopProgram program = *std::move(made);
  const std::vector<int> operands = operandSlots(module_, buffers_, instruction),
                         results = resultSlots(buffers_, instruction);
  if (program.body.operands.size() != operands.size() || program.outputs.size() != results.size() ||
      !isSmall(program, operands, results))
    return {};
  if (std::ranges::any_of(program.body.outputDims, [](int64_t d) { return d == 0; })) return {};
  auto member = members_.member(std::move(program));
  if (!member || member->ns > (isProduct ? limits().maxProductNs : limits().maxProgramNs)) return {};
  const Size size{1, 1, isProduct, 0, member->program.body.nodes.size(), member->ns};
  return {size, *std::move(member)};
}

// One round: what its computations do, added up.
std::optional<RegionPlanner::Size> RegionPlanner::measureBlocks(const std::vector<ComputationId>& computations) {
  Size total;
  for (ComputationId computation : computations)
    for (InstructionId id : module_.at(computation).instructions) {
      const Sized& one = sizedOf(id);
      if (!one.size) return std::nullopt;
      total.add(*one.size);
      if (total.steps > limits().maxSteps || total.nodes > limits().maxNodes) return std::nullopt;
    }
  return total;
}

RegionPlanner::Sized RegionPlanner::measure(const Instruction& instruction) {
  if (needsNoStep(instruction.opcode) || instruction.opcode == Opcode::Constant) return {Size{}, {}};
  const std::vector<int> operands = operandSlots(module_, buffers_, instruction),
                         results = resultSlots(buffers_, instruction);
  auto hasNoSlot = [](int slot) { return slot < 0; };
  if (std::ranges::any_of(operands, hasNoSlot) || std::ranges::any_of(results, hasNoSlot)) return {};
  if (isIdentity(module_, instruction, customCalls_)) {
    Size size;
    for (const ShapeLeaf& leaf : leavesOf(*instruction.shape)) {
      const int64_t bytes = leaf.shape->denseBytes().value_or(INT64_MAX);
      if (bytes > limits().maxCopyBytes) return {};
      ++size.steps;
      size.ns += static_cast<double>(bytes) / 16;
    }
    return {size, {}};
  }
  if (!isControl(instruction.opcode)) return measureProgram(instruction);
  const std::vector<ComputationId> blocks = blocksOf(instruction);
  if (blocks.empty() || (instruction.opcode == Opcode::Conditional && blocks.size() + 1 != instruction.operands.size()))
    return {};
  std::optional<Size> size = measureBlocks(blocks);
  if (!size || !pays(*size, true)) return {};
  ++size->steps;
  size->loops += instruction.opcode == Opcode::While;
  return {size, {}};
}

const RegionPlanner::Sized& RegionPlanner::sizedOf(InstructionId id) {
  auto found = sized_.find(id.value);
  if (found == sized_.end()) {
    Sized sized = measure(module_.at(id));
    found = sized_.emplace(id.value, std::move(sized)).first;
  }
  return found->second;
}

bool RegionPlanner::pays(const Size& size, bool inLoop) const {
  return size.ns <= size.steps * (inLoop ? limits().stepNs : limits().loneStepNs);
}

// --- one region

class RegionBuilder {
 public:
  explicit RegionBuilder(RegionPlanner& planner)
      : planner_(planner), module_(planner.module_), buffers_(planner.buffers_) {}

  PlannedRegion build(ComputationId computation, size_t begin, size_t end);

 private:
  uint32_t bufferOf(int slot, bool atConstants);
  void addBlock(std::span<const InstructionId> instructions, uint32_t block);
  void add(const Instruction& instruction, uint32_t block);
  void addCopy(int from, int to, const Shape& shape, uint32_t block);
  void addProgram(const Instruction& instruction, uint32_t block);
  void addControl(const Instruction& instruction, uint32_t block);
  using Written = std::set<uint32_t>;
  void findReads(uint32_t block, Written& written);
  void findVisible(ComputationId computation, size_t end);
  void findMeetings();

  RegionPlanner& planner_;
  const Module& module_;
  const BufferAssignment& buffers_;
  PlannedRegion out_;
  std::vector<int> slotOf_;  // by buffer
  std::unordered_map<int, uint32_t> bufferOfSlot_;
};

// atConstants: this access is to places that constants tell, or to the whole.
uint32_t RegionBuilder::bufferOf(int slot, bool atConstants) {
  auto [found, isNew] = bufferOfSlot_.try_emplace(slot, static_cast<uint32_t>(slotOf_.size()));
  const int64_t bytes = buffers_.slots[static_cast<size_t>(slot)].bytes;
  if (isNew) {
    slotOf_.push_back(slot);
    out_.program.buffers.push_back({bytes, bytes <= planner_.limits().registerBytes, false, false});
  }
  if (!atConstants) out_.program.buffers[found->second].inRegister = false;
  return found->second;
}

void RegionBuilder::addCopy(int from, int to, const Shape& shape, uint32_t block) {
  const int64_t bytes = shape.denseBytes().value_or(0);
  if (from == to || bytes == 0) return;
  RegionStep step;
  step.kind = RegionStep::Kind::Copy;
  step.bytes = bytes;
  step.buffers = {bufferOf(from, true), bufferOf(to, true)};
  out_.program.blocks[block].push_back(std::move(step));
}

void RegionBuilder::addProgram(const Instruction& instruction, uint32_t block) {
  const auto& [program, ns, atConstants] = planner_.sizedOf(instruction.id).member;
  const std::vector<int> operands = operandSlots(module_, buffers_, instruction),
                         results = resultSlots(buffers_, instruction);
  for (size_t k = 0; k < results.size(); ++k)
    if (program.initialOperand[k] >= 0)
      addCopy(operands[static_cast<size_t>(program.initialOperand[k])], results[k], program.outputs[k], block);
  RegionStep step;
  step.program = static_cast<uint32_t>(out_.program.programs.size());
  for (size_t i = 0; i < operands.size(); ++i) step.buffers.push_back(bufferOf(operands[i], atConstants[i]));
  for (size_t i = 0; i < results.size(); ++i)
    step.buffers.push_back(bufferOf(results[i], atConstants[operands.size() + i]));
  out_.program.programs.push_back(program);
  out_.program.blocks[block].push_back(std::move(step));
}

void RegionBuilder::addControl(const Instruction& instruction, uint32_t block) {
  RegionStep step;
  const std::vector<ComputationId> computations = blocksOf(instruction);
  const bool isWhile = instruction.opcode == Opcode::While;
  step.kind = isWhile ? RegionStep::Kind::While : RegionStep::Kind::Choice;
  const InstructionId chooser = isWhile ? module_.at(computations[0]).root : instruction.operands[0];
  step.byPredicate = module_.shapeOf(chooser).type == ElementType::Pred;
  step.buffers = {bufferOf(buffers_.slotOf(chooser), true)};
  for (ComputationId computation : computations) {
    step.blocks.push_back(static_cast<uint32_t>(out_.program.blocks.size()));
    out_.program.blocks.emplace_back();
    addBlock(module_.at(computation).instructions, step.blocks.back());
  }
  out_.program.blocks[block].push_back(std::move(step));
}

void RegionBuilder::add(const Instruction& instruction, uint32_t block) {
  if (needsNoStep(instruction.opcode) || instruction.opcode == Opcode::Constant) return;
  out_.parts.push_back({instruction.id, static_cast<int32_t>(block), operandSlots(module_, buffers_, instruction),
                        resultSlots(buffers_, instruction)});
  if (isControl(instruction.opcode)) return addControl(instruction, block);
  if (!isIdentity(module_, instruction, planner_.customCalls_)) return addProgram(instruction, block);
  const std::vector<ShapeLeaf> leaves = leavesOf(*instruction.shape);
  const std::vector<int> from = operandSlots(module_, buffers_, instruction), to = resultSlots(buffers_, instruction);
  for (size_t k = 0; k < to.size() && k < from.size(); ++k) addCopy(from[k], to[k], *leaves[k].shape, block);
}

void RegionBuilder::addBlock(std::span<const InstructionId> instructions, uint32_t block) {
  for (InstructionId id : instructions) add(module_.at(id), block);
}

// Buffers that are read before the region has written them for certain begin as memory has them.
void RegionBuilder::findReads(uint32_t block, Written& written) {
  std::vector<RegionBuffer>& buffers = out_.program.buffers;
  auto read = [&](uint32_t buffer) { buffers[buffer].in = buffers[buffer].in || !written.contains(buffer); };
  for (const RegionStep& step : out_.program.blocks[block]) {
    if (step.kind == RegionStep::Kind::While) {
      findReads(step.blocks[0], written);  // runs at least once
      Written inBody = written;
      findReads(step.blocks[1], inBody);
      read(step.buffers[0]);
      continue;
    }
    read(step.buffers[0]);
    for (uint32_t branch : step.blocks) {
      Written inBranch = written;
      findReads(branch, inBranch);
    }
    if (step.kind == RegionStep::Kind::Copy) written.insert(step.buffers[1]);
    if (step.kind != RegionStep::Kind::Program) continue;
    const LoopProgram& program = out_.program.programs[step.program];
    const size_t operands = program.body.operands.size();
    for (size_t i = 0; i < step.buffers.size(); ++i)
      if (i < operands || program.initialOperand[i - operands] >= 0) read(step.buffers[i]);
    written.insert(step.buffers.begin() + static_cast<ptrdiff_t>(operands), step.buffers.end());
  }
}

// What the rest of the computation, or who runs it, reads of a register must be in memory at the end. What only names a
// value reads nothing: of a loop's result, elements may be dead, and their memory another value's.
void RegionBuilder::findVisible(ComputationId computation, size_t end) {
  std::set<int> seen;
  const Computation& in = module_.at(computation);
  for (size_t i = end; i < in.instructions.size(); ++i) {
    const Instruction& later = module_.at(in.instructions[i]);
    if (needsNoStep(later.opcode)) continue;
    for (int slot : operandSlots(module_, buffers_, later)) seen.insert(slot);
  }
  for (int slot : resultSlots(buffers_, module_.at(in.root))) seen.insert(slot);
  std::set<uint32_t> written;
  for (const auto& block : out_.program.blocks)
    for (const RegionStep& step : block) {
      if (step.kind == RegionStep::Kind::Copy) written.insert(step.buffers[1]);
      if (step.kind == RegionStep::Kind::Program)
        written.insert(
            step.buffers.begin() + static_cast<ptrdiff_t>(out_.program.programs[step.program].body.operands.size()),
            step.buffers.end());
    }
  for (uint32_t buffer : written)
    out_.program.buffers[buffer].out =
        seen.contains(slotOf_[buffer]) || buffers_.slots[static_cast<size_t>(slotOf_[buffer])].kind == SlotKind::Output;
}

// Arrays that do not live at the same time may be given the same memory.
void RegionBuilder::findMeetings() {
  std::vector<RegionBuffer>& buffers = out_.program.buffers;
  for (uint32_t higher = 0; higher < buffers.size(); ++higher)
    for (uint32_t lower = 0; lower < higher; ++lower)
      if (!buffers[lower].inRegister && !buffers[higher].inRegister &&
          !buffers_.areDisjoint(slotOf_[lower], slotOf_[higher]))
        out_.program.mayAlias.emplace_back(lower, higher);
  std::ranges::sort(out_.program.mayAlias);
}

PlannedRegion RegionBuilder::build(ComputationId computation, size_t begin, size_t end) {
  out_.program.blocks.emplace_back();
  addBlock(std::span(module_.at(computation).instructions).subspan(begin, end - begin), 0);
  Written written;
  findReads(0, written);
  findVisible(computation, end);
  findMeetings();
  for (size_t i = 0; i < slotOf_.size(); ++i) {
    RegionBuffer& buffer = out_.program.buffers[i];
    buffer.in = buffer.in || (buffer.out && !written.contains(static_cast<uint32_t>(i)));  // may end as it began
    if (buffer.inRegister) out_.registers.push_back(slotOf_[i]);
    if (buffer.hasMemory()) out_.slots.push_back(slotOf_[i]);
  }
  for (const StepPart& part : out_.parts)
    if (part.block == 0 && (!out_.nameSource.valid() || module_.at(out_.nameSource).opcode != Opcode::While))
      out_.nameSource = part.instruction;
  out_.end = end;
  out_.slotOf = std::move(slotOf_);
  return std::move(out_);
}

std::optional<PlannedRegion> RegionPlanner::plan(ComputationId computation, size_t begin, bool inLoop) {
  const std::vector<InstructionId>& instructions = module_.at(computation).instructions;
  Size total;
  size_t end = begin;
  if (needsNoStep(module_.at(instructions[begin]).opcode)) return std::nullopt;
  for (; end < instructions.size(); ++end) {
    if (!inLoop && isLarge(module_.at(instructions[end]))) break;
    const Sized& one = sizedOf(instructions[end]);
    if (!one.size) break;
    Size with = total;
    with.add(*one.size);
    if (with.steps > limits().maxSteps || with.nodes > limits().maxNodes) break;
    if (one.size->loops == 0 && (one.size->ns > limits().maxMemberNs || (!inLoop && one.size->products > 0))) break;
    total = with;
  }
  if (total.loops == 0 && (total.programs < 2 || !pays(total, inLoop))) return std::nullopt;
  PlannedRegion out = RegionBuilder(*this).build(computation, begin, end);
  out.loops = total.loops;
  return out;
}

}  // namespace tessera::cpu
