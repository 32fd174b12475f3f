// See plan_builder.h. One Frame per planned computation; a computation called from two places is planned twice, its
// kernels are shared. A value's slot counts its values; `baseline` is the count at which nobody else sees the slot.
#include "backends/cpu/plan_builder.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "backends/codegen/program_analysis.h"
#include "backends/cpu/library_steps.h"
#include "backends/cpu/slot_allocator.h"
#include "core/element/compose.h"
#include "core/ops/op.h"

namespace tessera::cpu {

namespace {

constexpr int kForever = std::numeric_limits<int>::max();

struct Value {
  int slot = -1;           // -1: a token, or not made yet
  int lastUse = -1;        // position in the frame's order
  int baseline = 1;        // references when this value alone may overwrite the slot; 0: never
  int64_t bytes = 0;
};

// A root leaf that should end in a given slot.
struct Target {
  int slot = -1;
  int references = 0;       // of the slot when only the caller holds it
  int parameterValue = -1;  // the value that holds the slot first and must be dead; -1: free from the start
};

struct Frame {
  const Computation* computation = nullptr;
  std::vector<InstructionId> order;
  std::unordered_map<uint32_t, std::vector<int>> valuesOf;  // by instruction: one value per leaf
  std::vector<Value> values;
  std::unordered_map<int, std::vector<int>> dying;          // position -> values
  std::unordered_map<int, Target> targetOf;                 // by value
  Sequence* out = nullptr;
};

class PlanBuilder {
 public:
  PlanBuilder(const Module& module, KernelLibrary& kernels) : module_(module), kernels_(kernels), allocator_(plan_.slots) {}
  Result<Plan> build();

 private:
  struct Parameters {
    std::vector<int> slots;
    std::vector<int> baseline;  // as Value::baseline of the parameter's leaf
  };
  // Plans a computation; its root's leaves end in `targets` (targetsAreParameters: target k is parameter leaf k's slot).
  Status planComputation(ComputationId id, const Parameters& parameters, const std::vector<int>& targets,
                         bool targetsAreParameters, Sequence& out);
  Status openFrame(Frame& frame, ComputationId id, const Parameters& parameters);
  Status nameValues(Frame& frame, const Instruction& instruction) const;
  void noteUses(Frame& frame);
  void noteTargets(Frame& frame, const std::vector<int>& targets, bool targetsAreParameters);
  Status planInstruction(Frame& frame, int position);
  Status finishRoot(Frame& frame, const std::vector<int>& targets);

  Status planConstant(Frame& frame, const Instruction& instruction);
  Status planKernel(Frame& frame, int position, const Instruction& instruction, LoopProgram program);
  Status planLibraryOp(Frame& frame, int position, const Instruction& instruction);
  Status planWhile(Frame& frame, int position, const Instruction& instruction);
  Status planBranches(Frame& frame, int position, const Instruction& instruction);
  Status planCall(Frame& frame, int position, const Instruction& instruction);
  Result<LoopProgram> programOf(const Instruction& instruction, bool loops) const;

  Result<int> slotForResult(Frame& frame, int value, int position);
  Status makeResults(Frame& frame, const Instruction& instruction, int position);
  bool takeInPlace(Frame& frame, int from, int to, int position, const LoopProgram& program, size_t operand,
                   const std::vector<int>& operandValues);
  std::vector<int> operandValues(const Frame& frame, const Instruction& instruction) const;
  std::vector<int> slotsOf(const Frame& frame, const std::vector<int>& values) const;
  void emit(Frame& frame, StepPtr step, const Instruction& instruction, std::string what);
  void emitCopy(Sequence& out, int from, int to, int64_t bytes);
  Result<int64_t> bytesOf(const Shape& shape, const Instruction& instruction) const;
  std::unexpected<Diagnostic> unsupported(const Instruction& instruction, std::string why) const;
  bool isAlias(const Instruction& instruction) const;
  std::vector<bool> passedThrough(ComputationId body, size_t leaves) const;

  const Module& module_;
  KernelLibrary& kernels_;
  Plan plan_;
  SlotAllocator allocator_;
  std::unordered_map<const std::byte*, int> constants_;
};

size_t leafCount(const Shape& shape) {
  if (!shape.isTuple()) return 1;
  size_t count = 0;
  for (const Shape& element : shape.elements) count += leafCount(element);
  return count;
}

size_t leafOffset(const Shape& tuple, int64_t index) {
  size_t offset = 0;
  for (int64_t i = 0; i < index; ++i) offset += leafCount(tuple.elements[static_cast<size_t>(i)]);
  return offset;
}

bool isRowMajor(const Shape& shape) { return !shape.layout || shape.layout->isRowMajor(); }

std::unexpected<Diagnostic> PlanBuilder::unsupported(const Instruction& instruction, std::string why) const {
  Diagnostic d;
  d.fault = Fault::Unsupported;
  d.message = fmt::format("the cpu backend cannot run {} ({}): {}", instruction.name, instruction.opcodeName(), why);
  d.instruction = instruction.id;
  d.instructionName = std::string(instruction.name);
  d.position = instruction.position;
  return fail(std::move(d));
}

Result<int64_t> PlanBuilder::bytesOf(const Shape& shape, const Instruction& instruction) const {
  if (shape.hasDynamicDimensions()) return unsupported(instruction, "dynamic dimensions");
  auto bytes = shape.denseBytes();
  if (bytes && *bytes < (int64_t{1} << 62)) return *bytes;
  Diagnostic d;
  d.fault = Fault::Runtime;
  d.message = fmt::format("not enough memory: {} is {}, more than 2^62 bytes", instruction.name, toString(shape, false));
  d.instruction = instruction.id;
  d.instructionName = std::string(instruction.name);
  return fail(std::move(d));
}

// Ops that only rename operand 0's leaves: values are dense and row-major here.
bool PlanBuilder::isAlias(const Instruction& instruction) const {
  switch (instruction.opcode) {
    case Opcode::Copy: case Opcode::Reshape: case Opcode::OptBarrier: case Opcode::Domain: case Opcode::AddDependency:
      return true;
    case Opcode::Bitcast: {
      const Shape& from = module_.shapeOf(instruction.operands[0]);
      return isRowMajor(from) && isRowMajor(*instruction.shape) && from.denseBytes() == instruction.shape->denseBytes();
    }
    case Opcode::CustomCall: {  // annotations of a partitioner: the identity on one device
      std::string_view target = instruction.attributes->textOr(Attr::custom_call_target, "");
      bool annotation = target == "Sharding" || target == "SPMDFullToShardShape" || target == "SPMDShardToFullShape";
      return annotation && instruction.operands.size() == 1 &&
             compatible(module_.shapeOf(instruction.operands[0]), *instruction.shape);
    }
    default: return false;
  }
}

// --- values and their lives

Status PlanBuilder::nameValues(Frame& frame, const Instruction& instruction) const {
  std::vector<int>& mine = frame.valuesOf[instruction.id.value];
  auto of = [&](size_t operand) -> const std::vector<int>& { return frame.valuesOf[instruction.operands[operand].value]; };
  if (instruction.opcode == Opcode::Tuple) {
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      std::vector<int> part = of(i);
      mine.insert(mine.end(), part.begin(), part.end());
    }
    return {};
  }
  if (instruction.opcode == Opcode::GetTupleElement) {
    int64_t index = instruction.attributes->intOr(Attr::index, 0);
    size_t first = leafOffset(module_.shapeOf(instruction.operands[0]), index);
    std::vector<int> all = of(0);
    auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    mine.assign(begin, begin + static_cast<std::ptrdiff_t>(leafCount(*instruction.shape)));
    return {};
  }
  if (isAlias(instruction)) {
    std::vector<int> all = of(0);
    mine = all;
    return {};
  }
  for (const ShapeLeaf& leaf : leavesOf(*instruction.shape)) {
    Value value;
    if (leaf.shape->isArray()) {
      TESSERA_ASSIGN_OR_RETURN(value.bytes, bytesOf(*leaf.shape, instruction));
    }
    mine.push_back(static_cast<int>(frame.values.size()));
    frame.values.push_back(value);
  }
  return {};
}

void PlanBuilder::noteUses(Frame& frame) {
  for (size_t p = 0; p < frame.order.size(); ++p) {
    const Instruction& instruction = module_.at(frame.order[p]);
    bool renames = instruction.opcode == Opcode::Tuple || instruction.opcode == Opcode::GetTupleElement || isAlias(instruction);
    if (!renames)
      for (int v : frame.valuesOf[instruction.id.value]) frame.values[static_cast<size_t>(v)].lastUse = static_cast<int>(p);
    if (renames) continue;
    for (InstructionId operand : instruction.operands)
      for (int v : frame.valuesOf[operand.value])
        frame.values[static_cast<size_t>(v)].lastUse = std::max(frame.values[static_cast<size_t>(v)].lastUse, static_cast<int>(p));
  }
  for (int v : frame.valuesOf[frame.computation->root.value]) frame.values[static_cast<size_t>(v)].lastUse = kForever;
  for (size_t v = 0; v < frame.values.size(); ++v) frame.dying[frame.values[v].lastUse].push_back(static_cast<int>(v));
}

void PlanBuilder::noteTargets(Frame& frame, const std::vector<int>& targets, bool targetsAreParameters) {
  std::vector<int> parameterValues;
  for (InstructionId p : frame.computation->parameters)
    for (int v : frame.valuesOf[p.value]) parameterValues.push_back(v);
  const std::vector<int>& roots = frame.valuesOf[frame.computation->root.value];
  for (size_t k = 0; k < roots.size() && k < targets.size(); ++k)
    if (targets[k] >= 0)
      frame.targetOf.emplace(roots[k], Target{targets[k], allocator_.references(targets[k]) - (targetsAreParameters ? 1 : 0),
                                              targetsAreParameters ? parameterValues[k] : -1});
}

Status PlanBuilder::openFrame(Frame& frame, ComputationId id, const Parameters& parameters) {
  frame.computation = &module_.at(id);
  TESSERA_ASSIGN_OR_RETURN(frame.order, topologicalOrder(module_, id));
  if (std::is_permutation(frame.order.begin(), frame.order.end(), frame.computation->instructions.begin(),
                          frame.computation->instructions.end()))
    frame.order = frame.computation->instructions;  // the schedule
  for (InstructionId i : frame.order) TESSERA_TRY(nameValues(frame, module_.at(i)));
  noteUses(frame);
  size_t leaf = 0;
  for (InstructionId p : frame.computation->parameters)
    for (int v : frame.valuesOf[p.value]) {
      if (leaf >= parameters.slots.size()) return unsupported(module_.at(p), "it has more leaves than the caller gives");
      Value& value = frame.values[static_cast<size_t>(v)];
      value.slot = parameters.slots[leaf];
      value.baseline = parameters.baseline[leaf];
      if (value.slot >= 0) allocator_.retain(value.slot);
      ++leaf;
    }
  return {};
}

Result<int> PlanBuilder::slotForResult(Frame& frame, int v, int position) {
  Value& value = frame.values[static_cast<size_t>(v)];
  auto at = frame.targetOf.find(v);
  if (at != frame.targetOf.end()) {
    const Target& target = at->second;
    bool free = target.parameterValue < 0 ||
                (frame.values[static_cast<size_t>(target.parameterValue)].lastUse < position &&
                 allocator_.references(target.slot) == target.references);
    if (free) {
      allocator_.retain(target.slot);
      value.baseline = allocator_.references(target.slot);
      return target.slot;
    }
  }
  return allocator_.allocate(value.bytes);
}

Status PlanBuilder::makeResults(Frame& frame, const Instruction& instruction, int position) {
  size_t leaf = 0;
  std::vector<ShapeLeaf> leaves = leavesOf(*instruction.shape);
  for (int v : frame.valuesOf[instruction.id.value]) {
    bool isArray = leaves[leaf++].shape->isArray();
    if (!isArray || frame.values[static_cast<size_t>(v)].slot >= 0) continue;
    TESSERA_ASSIGN_OR_RETURN(frame.values[static_cast<size_t>(v)].slot, slotForResult(frame, v, position));
  }
  return {};
}

std::vector<int> PlanBuilder::operandValues(const Frame& frame, const Instruction& instruction) const {
  std::vector<int> out;
  for (InstructionId operand : instruction.operands) {
    const std::vector<int>& values = frame.valuesOf.at(operand.value);
    out.insert(out.end(), values.begin(), values.end());
  }
  return out;
}

std::vector<int> PlanBuilder::slotsOf(const Frame& frame, const std::vector<int>& values) const {
  std::vector<int> out;
  for (int v : values) out.push_back(frame.values[static_cast<size_t>(v)].slot);
  return out;
}

void PlanBuilder::emit(Frame& frame, StepPtr step, const Instruction& instruction, std::string what) {
  step->profileIndex = static_cast<int32_t>(plan_.names.size());
  plan_.names.push_back({instruction.id, std::string(instruction.name), std::move(what)});
  frame.out->steps.push_back(std::move(step));
}

void PlanBuilder::emitCopy(Sequence& out, int from, int to, int64_t bytes) {
  if (from != to && bytes > 0) out.steps.push_back(std::make_unique<CopyStep>(from, to, bytes));
}

// --- instructions

Status PlanBuilder::planConstant(Frame& frame, const Instruction& instruction) {
  std::vector<Literal> leaves;
  auto collect = [&](auto&& self, const Literal& literal) -> void {
    if (!literal.shape().isTuple()) return leaves.push_back(literal);
    for (const Literal& element : literal.elements()) self(self, element);
  };
  if (!instruction.literal) return unsupported(instruction, "its value is missing");
  collect(collect, *instruction.literal);
  const std::vector<int>& values = frame.valuesOf[instruction.id.value];
  for (size_t k = 0; k < values.size() && k < leaves.size(); ++k) {
    auto [at, isNew] = constants_.try_emplace(leaves[k].bytes().data(), -1);
    if (isNew || leaves[k].bytes().empty()) {
      auto literal = std::make_shared<const Literal>(leaves[k]);
      at->second = allocator_.fixed(Slot{SlotKind::Constant, 0, static_cast<int64_t>(literal->bytes().size()), literal});
    }
    Value& value = frame.values[static_cast<size_t>(values[k])];
    value.slot = at->second;
    value.baseline = 0;
    allocator_.retain(value.slot);
  }
  return {};
}

bool readsOperand(const LoopProgram& program, size_t operand) {
  return std::any_of(program.body.nodes.begin(), program.body.nodes.end(), [&](const Node& node) {
    return (node.op == NodeOp::Read || node.op == NodeOp::ReadIf) && node.bits0 == operand;
  });
}

// The output takes over the operand's slot: nobody else sees it, and the program reads the old value only as output.
bool PlanBuilder::takeInPlace(Frame& frame, int from, int to, int position, const LoopProgram& program, size_t operand,
                              const std::vector<int>& operands) {
  Value& old = frame.values[static_cast<size_t>(from)];
  bool dies = old.lastUse == position && old.baseline > 0 && allocator_.isWritable(old.slot) &&
              allocator_.references(old.slot) == old.baseline;
  if (!dies || readsOperand(program, operand)) return false;
  for (size_t i = 0; i < operands.size(); ++i)
    if (i != operand && frame.values[static_cast<size_t>(operands[i])].slot == old.slot) return false;
  Value& value = frame.values[static_cast<size_t>(to)];
  value.slot = old.slot;
  value.baseline = old.baseline;
  allocator_.retain(old.slot);
  return true;
}

Status PlanBuilder::planKernel(Frame& frame, int position, const Instruction& instruction, LoopProgram program) {
  std::vector<int> operands = operandValues(frame, instruction);
  const std::vector<int>& results = frame.valuesOf[instruction.id.value];
  if (program.outputs.size() != results.size() || program.body.operands.size() != operands.size())
    return unsupported(instruction, "its description does not match its operands");
  std::vector<std::pair<int, int>> copies;  // operand value -> output value
  for (size_t k = 0; k < results.size(); ++k) {
    int64_t initial = program.initialOperand[k];
    if (initial < 0) continue;
    size_t operand = static_cast<size_t>(initial);
    if (!takeInPlace(frame, operands[operand], results[k], position, program, operand, operands))
      copies.emplace_back(operands[operand], results[k]);
  }
  TESSERA_TRY(makeResults(frame, instruction, position));
  for (auto [from, to] : copies)
    emitCopy(*frame.out, frame.values[static_cast<size_t>(from)].slot, frame.values[static_cast<size_t>(to)].slot,
             frame.values[static_cast<size_t>(to)].bytes);
  bool empty = std::any_of(program.body.outputDims.begin(), program.body.outputDims.end(), [](int64_t d) { return d == 0; });
  if (empty) return {};
  std::vector<int> slots = slotsOf(frame, operands), outputs = slotsOf(frame, results);
  slots.insert(slots.end(), outputs.begin(), outputs.end());
  bool loops = program.initialOperand[0] >= 0;
  auto kernel = kernels_.add(std::move(program), std::string(instruction.name));
  if (!kernel) return unsupported(instruction, kernel.error().message);
  emit(frame, std::make_unique<KernelStep>(*kernel, std::move(slots)), instruction, loops ? "kernel (stores)" : "kernel");
  return {};
}

Result<LoopProgram> PlanBuilder::programOf(const Instruction& instruction, bool loops) const {
  if (loops) {
    auto program = composeLoops(module_, instruction.id);
    if (!program) return fail(std::move(program).error());
    for (Shape& operand : program->body.operands) operand = withoutLayout(operand);
    for (Shape& output : program->outputs) output = withoutLayout(output);
    return program;
  }
  auto program = composeElement(module_, instruction.id);
  if (!program) return fail(std::move(program).error());
  return codegen::asLoopProgram(expandApproximations(*program));
}

Status PlanBuilder::planLibraryOp(Frame& frame, int position, const Instruction& instruction) {
  TESSERA_TRY(makeResults(frame, instruction, position));
  std::vector<int> scratch;
  LibraryContext context{module_, instruction, kernels_, slotsOf(frame, operandValues(frame, instruction)),
                         slotsOf(frame, frame.valuesOf[instruction.id.value]), {}, {}};
  context.scratch = [&](int64_t bytes) -> Result<int> {
    TESSERA_ASSIGN_OR_RETURN(int slot, allocator_.allocate(bytes));
    scratch.push_back(slot);
    return slot;
  };
  auto step = planLibrary(context);
  for (int slot : scratch) allocator_.release(slot);
  if (!step) return fail(std::move(step).error());
  if (*step) {
    emit(frame, std::move(*step), instruction, context.what);
    return {};
  }
  auto program = programOf(instruction, false);
  if (!program) return unsupported(instruction, program.error().message);
  return planKernel(frame, position, instruction, std::move(*program));
}

// Which leaves of a while body come out as they went in.
std::vector<bool> PlanBuilder::passedThrough(ComputationId body, size_t leaves) const {
  std::vector<bool> out(leaves, false);
  const Computation& computation = module_.at(body);
  Frame names;
  names.computation = &computation;
  auto order = topologicalOrder(module_, body);
  if (!order) return out;
  for (InstructionId i : *order)
    if (!nameValues(names, module_.at(i))) return out;
  if (computation.parameters.empty()) return out;
  const std::vector<int>& in = names.valuesOf[computation.parameters[0].value];
  const std::vector<int>& root = names.valuesOf[computation.root.value];
  for (size_t k = 0; k < leaves && k < in.size() && k < root.size(); ++k) out[k] = in[k] == root[k];
  return out;
}

Status PlanBuilder::planWhile(Frame& frame, int position, const Instruction& instruction) {
  const auto* conditionId = instruction.attributes->get<ComputationId>(Attr::condition);
  const auto* bodyId = instruction.attributes->get<ComputationId>(Attr::body);
  if (!conditionId || !bodyId) return unsupported(instruction, "a computation is missing");
  std::vector<int> initial = operandValues(frame, instruction);
  const std::vector<int>& results = frame.valuesOf[instruction.id.value];
  std::vector<bool> invariant = passedThrough(*bodyId, initial.size());
  Parameters carry;
  for (size_t k = 0; k < initial.size(); ++k) {
    Value& from = frame.values[static_cast<size_t>(initial[k])];
    Value& to = frame.values[static_cast<size_t>(results[k])];
    bool alone = from.slot >= 0 && allocator_.isWritable(from.slot) && from.lastUse == position && from.baseline > 0 &&
                 allocator_.references(from.slot) == from.baseline;
    if (from.slot < 0 || invariant[k] || alone) {
      to.slot = from.slot;
      to.baseline = from.baseline;
      if (from.slot >= 0) allocator_.retain(from.slot);
    } else {
      TESSERA_ASSIGN_OR_RETURN(to.slot, slotForResult(frame, results[k], position));
      emitCopy(*frame.out, from.slot, to.slot, from.bytes);
    }
    carry.slots.push_back(to.slot);
    carry.baseline.push_back(0);
  }
  // The operand's own references to slots that moved over end here; the results hold them now.
  for (size_t k = 0; k < initial.size(); ++k) {
    Value& from = frame.values[static_cast<size_t>(initial[k])];
    if (!invariant[k] && from.slot >= 0 && from.slot == carry.slots[k]) {
      allocator_.release(from.slot);
      from.slot = -1;
    }
  }
  for (size_t k = 0; k < carry.slots.size(); ++k)
    if (carry.slots[k] >= 0 && !invariant[k]) carry.baseline[k] = allocator_.references(carry.slots[k]) + 1;
  auto step = std::make_unique<WhileStep>();
  TESSERA_ASSIGN_OR_RETURN(step->predicate, allocator_.allocate(1));
  Parameters readOnly{carry.slots, std::vector<int>(carry.slots.size(), 0)};
  TESSERA_TRY(planComputation(*conditionId, readOnly, {step->predicate}, false, step->condition));
  std::vector<int> targets;
  for (size_t k = 0; k < carry.slots.size(); ++k) targets.push_back(invariant[k] ? -1 : carry.slots[k]);
  TESSERA_TRY(planComputation(*bodyId, carry, targets, true, step->body));
  allocator_.release(step->predicate);
  emit(frame, std::move(step), instruction, "while");
  return {};
}

Status PlanBuilder::planBranches(Frame& frame, int position, const Instruction& instruction) {
  TESSERA_TRY(makeResults(frame, instruction, position));
  auto step = std::make_unique<ConditionalStep>();
  step->byPredicate = module_.shapeOf(instruction.operands[0]).type == ElementType::Pred;
  step->selector = frame.values[static_cast<size_t>(frame.valuesOf[instruction.operands[0].value][0])].slot;
  std::vector<int> targets = slotsOf(frame, frame.valuesOf[instruction.id.value]);
  std::vector<ComputationId> branches = module_.callees(instruction);
  if (branches.size() + 1 != instruction.operands.size()) return unsupported(instruction, "it has not one operand a branch");
  step->branches.resize(branches.size());
  for (size_t i = 0; i < branches.size(); ++i) {
    Parameters parameters;
    parameters.slots = slotsOf(frame, frame.valuesOf[instruction.operands[i + 1].value]);
    parameters.baseline.assign(parameters.slots.size(), 0);
    TESSERA_TRY(planComputation(branches[i], parameters, targets, false, step->branches[i]));
  }
  emit(frame, std::move(step), instruction, "conditional");
  return {};
}

Status PlanBuilder::planCall(Frame& frame, int position, const Instruction& instruction) {
  TESSERA_TRY(makeResults(frame, instruction, position));
  Parameters parameters;
  parameters.slots = slotsOf(frame, operandValues(frame, instruction));
  parameters.baseline.assign(parameters.slots.size(), 0);
  std::vector<ComputationId> callees = module_.callees(instruction);
  if (callees.empty()) return unsupported(instruction, "it calls nothing");
  return planComputation(callees[0], parameters, slotsOf(frame, frame.valuesOf[instruction.id.value]), false, *frame.out);
}

Status PlanBuilder::planInstruction(Frame& frame, int position) {
  const Instruction& instruction = module_.at(frame.order[static_cast<size_t>(position)]);
  if (isAlias(instruction)) return {};
  switch (instruction.opcode) {
    case Opcode::Parameter: case Opcode::Tuple: case Opcode::GetTupleElement: case Opcode::AfterAll: return {};
    case Opcode::Constant: return planConstant(frame, instruction);
    case Opcode::While: return planWhile(frame, position, instruction);
    case Opcode::Conditional: return planBranches(frame, position, instruction);
    case Opcode::Call: return planCall(frame, position, instruction);
    default: break;
  }
  const Instruction* described = &instruction;  // a fusion runs as its root does
  if (instruction.opcode == Opcode::Fusion) {
    std::vector<ComputationId> callees = module_.callees(instruction);
    if (callees.empty()) return unsupported(instruction, "it calls nothing");
    described = &module_.at(module_.at(callees[0]).root);
  }
  const OpDef* op = findOp(described->opcode);
  if (!op) return unsupported(instruction, "the operation is not described");
  if (op->kind == ExecutionKind::Library && described == &instruction) return planLibraryOp(frame, position, instruction);
  if (!op->element && !op->loops && described->opcode != Opcode::Tuple && !isAlias(*described) &&
      described->opcode != Opcode::Constant && described->opcode != Opcode::Parameter)
    return unsupported(instruction, "it has no description by elements");
  auto program = programOf(instruction, op->loops != nullptr);
  if (!program) return unsupported(instruction, program.error().message);
  return planKernel(frame, position, instruction, std::move(*program));
}

// Root leaves that did not land in their target are copied; those that other copies would overwrite go by way of scratch.
Status PlanBuilder::finishRoot(Frame& frame, const std::vector<int>& targets) {
  const std::vector<int>& roots = frame.valuesOf[frame.computation->root.value];
  struct Move { int from, to; int64_t bytes; };
  std::vector<Move> moves, second;
  for (size_t k = 0; k < roots.size() && k < targets.size(); ++k) {
    const Value& value = frame.values[static_cast<size_t>(roots[k])];
    if (targets[k] >= 0 && value.slot != targets[k]) moves.push_back({value.slot, targets[k], value.bytes});
  }
  std::vector<int> scratch;
  for (Move& move : moves) {
    bool overwritten = std::any_of(moves.begin(), moves.end(), [&](const Move& other) { return other.to == move.from; });
    if (!overwritten) continue;
    TESSERA_ASSIGN_OR_RETURN(int slot, allocator_.allocate(move.bytes));
    scratch.push_back(slot);
    emitCopy(*frame.out, move.from, slot, move.bytes);
    move.from = slot;
  }
  for (const Move& move : moves) emitCopy(*frame.out, move.from, move.to, move.bytes);
  for (int slot : scratch) allocator_.release(slot);
  return {};
}

Status PlanBuilder::planComputation(ComputationId id, const Parameters& parameters, const std::vector<int>& targets,
                                    bool targetsAreParameters, Sequence& out) {
  Frame frame;
  frame.out = &out;
  TESSERA_TRY(openFrame(frame, id, parameters));
  noteTargets(frame, targets, targetsAreParameters);
  auto releaseDying = [&](int position) {
    for (int v : frame.dying[position]) {
      int& slot = frame.values[static_cast<size_t>(v)].slot;
      if (slot >= 0) allocator_.release(slot);
      if (position != kForever) continue;
      slot = -1;
    }
  };
  for (int p = 0; p < static_cast<int>(frame.order.size()); ++p) {
    TESSERA_TRY(planInstruction(frame, p));
    releaseDying(p);
  }
  TESSERA_TRY(finishRoot(frame, targets));
  releaseDying(kForever);
  return {};
}

Result<Plan> PlanBuilder::build() {
  const Computation& entry = module_.entryComputation();
  Parameters parameters;
  int64_t leaf = 0;
  for (InstructionId p : entry.parameters)
    for (const ShapeLeaf& part : leavesOf(module_.shapeOf(p))) {
      if (!part.shape->isArray()) {
        parameters.slots.push_back(-1);
      } else {
        TESSERA_ASSIGN_OR_RETURN(int64_t bytes, bytesOf(*part.shape, module_.at(p)));
        parameters.slots.push_back(allocator_.fixed(Slot{SlotKind::Argument, leaf++, bytes, nullptr}));
      }
      parameters.baseline.push_back(0);
    }
  std::vector<int> outputs;
  leaf = 0;
  for (const ShapeLeaf& part : leavesOf(module_.shapeOf(entry.root))) {
    if (!part.shape->isArray()) {
      outputs.push_back(-1);
      continue;
    }
    TESSERA_ASSIGN_OR_RETURN(int64_t bytes, bytesOf(*part.shape, module_.at(entry.root)));
    outputs.push_back(allocator_.fixed(Slot{SlotKind::Output, leaf++, bytes, nullptr}));
  }
  TESSERA_TRY(planComputation(entry.id, parameters, outputs, false, plan_.sequence));
  plan_.arenaBytes = allocator_.arenaBytes();
  return std::move(plan_);
}

}  // namespace

Result<Plan> buildPlan(const Module& module, KernelLibrary& kernels) { return PlanBuilder(module, kernels).build(); }

}  // namespace tessera::cpu
