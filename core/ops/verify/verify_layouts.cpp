// Layouts of a scheduled module. A schedule comes after layout assignment, so layouts are final there: what passes a
// value on (tuples, calls, loops, fusions, started operations) keeps its layout, a bitcast keeps the buffer,
// and the entry has the layouts that the module says. Before a schedule layouts may still be chosen, and nothing is
// checked here.
#include <algorithm>
#include <unordered_set>

#include "core/hlo/memory_map.h"
#include "core/ops/inference/instruction_checks.h"
#include "core/ops/verify/verify_groups.h"

namespace tessera {
namespace {

constexpr int64_t kHostMemory = 5;

// What of a layout may differ.
enum Freedom : unsigned { kNone = 0, kTiles = 1, kMemorySpace = 2, kTailPadding = 4, kSplits = 8, kAllButOrder = 16 };

Layout reduced(Layout layout, unsigned freedom) {
  if (freedom & kAllButOrder) {
    Layout order;
    order.minorToMajor = std::move(layout.minorToMajor);
    return order;
  }
  if (freedom & kTiles) layout.tiles.clear();
  if (freedom & kMemorySpace) layout.memorySpace = 0;
  if (freedom & kTailPadding) layout.tailPaddingAlignment = 1;
  if (freedom & kSplits) layout.splitConfigs.clear();
  return layout;
}

// True for shapes that differ otherwise: inference says so.
bool sameLayouts(const Shape& a, const Shape& b, unsigned freedom) {
  if (a.elements.size() != b.elements.size() || a.dimensions.size() != b.dimensions.size()) return true;
  for (size_t i = 0; i < a.elements.size(); ++i)
    if (!sameLayouts(a.elements[i], b.elements[i], freedom)) return false;
  if (!a.layout || !b.layout) return true;
  return *a.layout == *b.layout || reduced(*a.layout, freedom) == reduced(*b.layout, freedom);
}

bool takesWholeOperands(Opcode opcode) {
  return opcode == Opcode::Call || opcode == Opcode::Fusion || opcode == Opcode::AsyncStart || opcode == Opcode::While;
}

class LayoutChecks {
 public:
  LayoutChecks(const Module& module, Diagnostics& out) : module_(module), out_(out) {}

  void check(const Computation& computation) {
    fused_ = fusedBodies_.contains(computation.id.value);
    for (InstructionId id : computation.instructions) {
      const Instruction& instruction = module_.at(id);
      if (std::ranges::all_of(instruction.operands,
                              [&](InstructionId operand) { return operand.valid() && module_.contains(operand); }))
        check(instruction);
    }
  }

  void findFusedBodies() {
    for (ComputationId computation : module_.order())
      for (InstructionId id : module_.at(computation).instructions)
        if (module_.at(id).opcode == Opcode::Fusion)
          for (ComputationId callee : module_.callees(module_.at(id))) fusedBodies_.insert(callee.value);
  }

  void checkEntry() {
    const ModuleConfig& config = module_.config();
    const Computation& entry = module_.entryComputation();
    constexpr unsigned kFree = kTiles | kTailPadding | kMemorySpace;
    for (size_t i = 0; i < std::min(entry.parameters.size(), config.entryParameterLayouts.size()); ++i)
      if (entry.parameters[i].valid())
        same(module_.at(entry.parameters[i]), module_.shapeOf(entry.parameters[i]), config.entryParameterLayouts[i],
             "entry_computation_layout", kFree);
    if (config.entryResultLayout && entry.root.valid() && module_.contains(entry.root))
      same(module_.at(entry.root), module_.shapeOf(entry.root), *config.entryResultLayout, "entry_computation_layout",
           kFree);
  }

 private:
  void same(const Instruction& instruction, const Shape& found, const Shape& expected, const std::string& of,
            unsigned freedom = kNone) {
    if (sameLayouts(found, expected, freedom)) return;
    out_.add(diagnosticAt(instruction, instruction.reference() + " has another layout than " + of, "layout",
                          toString(expected), toString(found)));
  }
  const Shape& operandShape(const Instruction& instruction, size_t i) const {
    return module_.shapeOf(instruction.operands[i]);
  }
  std::string operandName(const Instruction& instruction, size_t i) const {
    return module_.at(instruction.operands[i]).reference();
  }

  void check(const Instruction& instruction) {
    if (takesWholeOperands(instruction.opcode) || instruction.opcode == Opcode::Conditional) checkCallees(instruction);
    if (instruction.operands.empty()) return;
    const Shape &shape = *instruction.shape, &operand = operandShape(instruction, 0);
    const std::string name = operandName(instruction, 0);
    switch (instruction.opcode) {
      case Opcode::Bitcast: return checkBitcast(instruction, operand);
      case Opcode::Copy: return checkCopy(instruction, operand);
      case Opcode::OptBarrier: return same(instruction, shape, operand, name);
      case Opcode::DynamicUpdateSlice:
        return same(instruction, shape, operand, name, fused_ ? kTiles | kMemorySpace : kNone);
      case Opcode::GetTupleElement: return checkElement(instruction, operand);
      case Opcode::Tuple: return checkTuple(instruction);
      case Opcode::AsyncDone: return checkPart(instruction, operand, 1);
      case Opcode::CopyDone: return checkCopyDone(instruction, operand);
      default: return;
    }
  }

  void checkTuple(const Instruction& instruction) {
    for (size_t i = 0; i < std::min(instruction.operands.size(), instruction.shape->elements.size()); ++i)
      same(instruction, instruction.shape->elements[i], operandShape(instruction, i), operandName(instruction, i));
  }
  void checkPart(const Instruction& instruction, const Shape& operand, size_t index) {
    if (index < operand.elements.size())
      same(instruction, *instruction.shape, operand.elements[index], operandName(instruction, 0));
  }
  void checkElement(const Instruction& instruction, const Shape& operand) {
    const int64_t index = instruction.attributes->intOr(Attr::index, -1);
    if (index >= 0) checkPart(instruction, operand, static_cast<size_t>(index));
  }
  void checkCopyDone(const Instruction& instruction, const Shape& operand) {
    if (operand.elements.size() < 2) return;
    checkPart(instruction, operand, 0);
    same(instruction, operand.elements[0], operand.elements[1], "the source of the copy", kMemorySpace | kSplits);
  }

  // A copy from the host to the device or back moves bytes as they are.
  void checkCopy(const Instruction& instruction, const Shape& operand) {
    if (!instruction.shape->layout || !operand.layout) return;
    const int64_t to = instruction.shape->layout->memorySpace, from = operand.layout->memorySpace;
    if (from == kHostMemory && to != kHostMemory)
      same(instruction, *instruction.shape, operand, operandName(instruction, 0), kMemorySpace);
  }

  // Sizes agree with or without padding.
  void checkBitcast(const Instruction& instruction, const Shape& operand) {
    const Shape& shape = *instruction.shape;
    if (!shape.isArray() || !operand.isArray() || shape.hasDynamicDimensions() || operand.hasDynamicDimensions())
      return;
    const auto source = MemoryMap::of(operand), target = MemoryMap::of(shape);
    if (!source || !target || operand.denseBytes() == shape.denseBytes() || source->bytes() == target->bytes()) return;
    out_.add(diagnosticAt(instruction, instruction.reference() + " sees a buffer of another size", "layout",
                          std::to_string(source->bytes()) + " bytes of " + toString(operand),
                          std::to_string(target->bytes()) + " bytes of " + toString(shape)));
  }

  void checkCallees(const Instruction& instruction) {
    const std::vector<ComputationId> callees = module_.callees(instruction);
    for (size_t i = 0; i < callees.size(); ++i) {
      if (!module_.contains(callees[i])) continue;
      const Computation& callee = module_.at(callees[i]);
      if (instruction.opcode == Opcode::Conditional)
        checkArguments(instruction, callee, i + 1, 1);
      else
        checkArguments(instruction, callee, 0, callee.parameters.size());
      if (callee.root.valid() && module_.contains(callee.root)) checkResult(instruction, callee);
    }
  }

  void checkArguments(const Instruction& instruction, const Computation& callee, size_t first, size_t count) {
    for (size_t i = 0; i < std::min(count, callee.parameters.size()) && first + i < instruction.operands.size(); ++i)
      if (callee.parameters[i].valid())
        same(module_.at(callee.parameters[i]), module_.shapeOf(callee.parameters[i]),
             operandShape(instruction, first + i), "the operand of %" + std::string(instruction.name));
  }
  // A loop's condition gives a flag; a started call has its result in a tuple.
  void checkResult(const Instruction& instruction, const Computation& callee) {
    const Shape *shape = instruction.shape, &root = module_.shapeOf(callee.root);
    if (instruction.opcode == Opcode::AsyncStart) shape = shape->elements.size() > 1 ? &shape->elements[1] : nullptr;
    if (shape && compatible(*shape, root)) same(instruction, *shape, root, "the root of %" + callee.name);
  }

  const Module& module_;
  Diagnostics& out_;
  std::unordered_set<uint32_t> fusedBodies_;
  bool fused_ = false;
};

}  // namespace

void verifyLayouts(const Module& module, Diagnostics& out) {
  if (!module.config().isScheduled.value_or(false) || !module.contains(module.entry())) return;
  LayoutChecks checks(module, out);
  checks.findFusedBodies();
  checks.checkEntry();
  for (ComputationId computation : module.order()) checks.check(module.at(computation));
}

}  // namespace tessera
