// Shape inference over a module: each instruction by its op, callees before callers; and the incremental form, which
// follows only what changed.
#include "core/ops/inference/infer.h"

#include <algorithm>
#include <optional>

#include "core/ops/inference/callgraph.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/inference/instruction_checks.h"
#include "core/ops/inference/mixed_precision.h"

namespace tessera {
namespace {

ProgramShape programShapeOf(const Module& module, ComputationId id) {
  const Computation& computation = module.at(id);
  ProgramShape out;
  for (InstructionId parameter : computation.parameters)
    out.parameters.push_back(parameter.valid() ? module.shapeOf(parameter) : Shape());
  if (computation.root.valid()) out.result = module.shapeOf(computation.root);
  return out;
}

// A written layout of the same rank is a fact and stays.
void keepLayouts(const Shape& old, Shape& fresh) {
  if (fresh.isTuple() && old.isTuple() && fresh.elements.size() == old.elements.size()) {
    for (size_t i = 0; i < fresh.elements.size(); ++i) keepLayouts(old.elements[i], fresh.elements[i]);
    return;
  }
  if (fresh.isArray() && old.isArray() && old.layout && old.layout->minorToMajor.size() == fresh.dimensions.size())
    fresh.layout = old.layout;
}

bool everyLeafHasLayout(const Shape& shape) {
  if (shape.isTuple()) return std::ranges::all_of(shape.elements, everyLeafHasLayout);
  return !shape.isArray() || shape.layout.has_value();
}

// The op's own layout where nothing is written, else the default one.
Shape completeLayouts(const Module& module, const Instruction& instruction, Shape shape) {
  keepLayouts(*instruction.shape, shape);
  if (everyLeafHasLayout(shape)) return shape;
  const OpDef* op = findOp(instruction.opcode);
  if (op && op->inferLayout) {
    Shape proposed = withoutLayout(shape);
    op->inferLayout(inferContextOf(module, instruction), proposed);
    if (sameIgnoringLayout(proposed, shape)) {
      keepLayouts(shape, proposed);
      shape = std::move(proposed);
    }
  }
  fillDefaultLayouts(shape);
  return shape;
}

Diagnostic mismatch(const Instruction& instruction, const Shape& inferred) {
  return diagnosticAt(
      instruction,
      instruction.reference() + " has another shape than " + std::string(instruction.opcodeName()) + " gives", "shape",
      toString(inferred, false), toString(*instruction.shape, false));
}

// XLA checks results the same way: layouts, dynamic flags and, where the op defines its result, the width of floats
// aside. An unbounded dimension agrees with any size.
bool agrees(const Shape& written, const Shape& inferred, bool anyPrecision) {
  const bool sameType = anyPrecision ? sameButPrecision(written.type, inferred.type) : written.type == inferred.type;
  if (!sameType || written.elements.size() != inferred.elements.size()) return false;
  for (size_t i = 0; i < written.elements.size(); ++i)
    if (!agrees(written.elements[i], inferred.elements[i], anyPrecision)) return false;
  if (written.dimensions.size() != inferred.dimensions.size()) return false;
  for (size_t d = 0; d < written.dimensions.size(); ++d)
    if (written.dimensions[d] != inferred.dimensions[d] && written.dimensions[d] != Shape::kUnbounded &&
        inferred.dimensions[d] != Shape::kUnbounded)
      return false;
  return true;
}

bool agrees(const Instruction& instruction, const Shape& inferred) {
  return agrees(*instruction.shape, inferred, mayRoundItsResult(instruction.opcode));
}

bool isWritten(const Instruction& instruction) {
  return instruction.shapeWritten && instruction.shape->type != ElementType::Invalid;
}

// One instruction of the whole-module walk.
void inferOne(Module& module, InstructionId id, Diagnostics& diagnostics) {
  auto inferred = inferInstruction(module, id);
  const Instruction& instruction = module.at(id);
  if (!inferred) {
    diagnostics.add(std::move(inferred).error());
    return;
  }
  if (isWritten(instruction)) {
    if (!agrees(instruction, *inferred)) diagnostics.add(mismatch(instruction, *inferred));
    if (everyLeafHasLayout(*instruction.shape)) return;
    module.setShape(id, completeLayouts(module, instruction, *instruction.shape));
    return;
  }
  Shape shape = completeLayouts(module, instruction, std::move(*inferred));
  if (shape != *instruction.shape) module.setShape(id, shape);
}

// The incremental walk: what changed in a computation, then into callees, then out to callers. One computation is
// walked in its own order, which has operands first; who calls whom is only asked when a change leaves it.
class Reinference {
 public:
  Reinference(Module& module, std::span<const InstructionId> changed)
      : module_(module),
        dirty_(module.instructionSlots(), false),
        touched_(module.instructionSlots(), false),
        waiting_(module.computationSlots(), false) {
    for (InstructionId id : changed)
      if (module.contains(id)) seed(id);
  }

  Reinferred run() {
    while (waitingCount_ == 1) {
      const auto only = std::ranges::find(waiting_, true) - waiting_.begin();
      settle(ComputationId(static_cast<uint32_t>(only)));
      if (++settled_ > 2 * module_.computationSlots()) break;
    }
    if (waitingCount_ > 0) sweep();
    collect();
    return std::move(out_);
  }

 private:
  // Callers first carries new parameter shapes into callees; callees first carries new results out. Both until calm;
  // each sweep settles one level of nesting one way, which bounds their number.
  void sweep() {
    for (size_t round = 0; round <= 2 * calls().calleesFirst().size() && waitingCount_ > 0; ++round)
      for (ComputationId id : calls().calleesFirst())
        if (waiting_[id.value]) settle(id);
  }

  const CallGraph& calls() {
    if (!calls_) calls_.emplace(module_);
    return *calls_;
  }

  void seed(InstructionId id) {
    touch(id);
    mark(id);
  }
  void touch(InstructionId id) {
    if (!touched_[id.value]) out_.changed.push_back(id);
    touched_[id.value] = true;
  }
  void mark(InstructionId id) {
    dirty_[id.value] = true;
    const size_t home = module_.at(id).computation.value;
    if (!waiting_[home]) ++waitingCount_;
    waiting_[home] = true;
  }

  void settle(ComputationId id) {
    waiting_[id.value] = false;
    --waitingCount_;
    const Shape* rootBefore = rootShape(id);
    visitFromFirstDirty(id);
    if (id == module_.entry() || (rootShape(id) == rootBefore && !rootTouched(id))) return;
    for (InstructionId caller : calls().callersOf(id)) mark(caller);
  }

  void visitFromFirstDirty(ComputationId id) {
    constexpr size_t kAhead = 16;  // the records are read faster than memory gives them
    const std::vector<InstructionId>& order = module_.at(id).instructions;
    size_t at = 0;
    while (at < order.size() && !dirty_[order[at].value]) ++at;
    for (; at < order.size(); ++at) {
      if (at + kAhead < order.size()) __builtin_prefetch(&module_.at(order[at + kAhead]).operands);
      visit(order[at]);
    }
  }

  const Shape* rootShape(ComputationId id) const {
    InstructionId root = module_.at(id).root;
    return root.valid() ? module_.at(root).shape : nullptr;
  }
  bool rootTouched(ComputationId id) {
    InstructionId root = module_.at(id).root;
    return root.valid() && touched_[root.value];
  }

  void visit(InstructionId id) {
    const Instruction& instruction = module_.at(id);
    bool operandChanged = false;
    for (InstructionId operand : instruction.operands) operandChanged |= operand.valid() && changedShape(operand);
    if (!dirty_[id.value] && !operandChanged) return;
    dirty_[id.value] = false;
    looked_.push_back(id);
    if (operandChanged) intoCallees(instruction);
    auto inferred = inferInstruction(module_, id);
    if (!inferred) return;
    Shape shape = completeLayouts(module_, instruction, std::move(*inferred));
    if (sameIgnoringLayout(shape, *instruction.shape)) return;
    module_.setShape(id, shape);
    module_.edit(id).shapeWritten = false;
    touch(id);
  }
  bool changedShape(InstructionId id) const { return touched_[id.value]; }

  // Bodies that take the operands themselves: call, fusion, while, conditional. Reducers take scalars and stay.
  void intoCallees(const Instruction& instruction) {
    std::vector<ComputationId> callees = module_.callees(instruction);
    switch (instruction.opcode) {
      case Opcode::Call:
      case Opcode::Fusion:
        for (ComputationId callee : callees) bind(callee, instruction.operands);
        break;
      case Opcode::While:
        for (ComputationId callee : callees)
          bind(callee, instruction.operands.first(std::min<size_t>(1, instruction.operands.size())));
        break;
      case Opcode::Conditional:
        for (size_t i = 0; i < callees.size() && i + 1 < instruction.operands.size(); ++i)
          bind(callees[i], instruction.operands.subspan(i + 1, 1));
        break;
      default: break;
    }
  }
  void bind(ComputationId callee, std::span<const InstructionId> operands) {
    const std::vector<InstructionId> parameters = module_.at(callee).parameters;
    for (size_t i = 0; i < parameters.size() && i < operands.size(); ++i) {
      if (!parameters[i].valid() || !operands[i].valid() ||
          sameIgnoringLayout(module_.shapeOf(parameters[i]), module_.shapeOf(operands[i])))
        continue;
      module_.setShape(parameters[i], module_.shapeOf(operands[i]));
      seed(parameters[i]);
    }
  }

  // Diagnostics of what was looked at, as things are at the end.
  void collect() {
    std::ranges::sort(looked_);
    looked_.erase(std::unique(looked_.begin(), looked_.end()), looked_.end());
    for (InstructionId id : looked_) {
      auto inferred = inferInstruction(module_, id);
      if (!inferred)
        out_.diagnostics.add(std::move(inferred).error());
      else if (!agrees(module_.at(id), *inferred))
        out_.diagnostics.add(mismatch(module_.at(id), *inferred));
    }
    std::ranges::sort(out_.changed);
  }

  Module& module_;
  std::vector<bool> dirty_, touched_, waiting_;
  size_t waitingCount_ = 0, settled_ = 0;
  std::optional<CallGraph> calls_;
  std::vector<InstructionId> looked_;
  Reinferred out_;
};

}  // namespace

InferContext inferContextOf(const Module& module, const Instruction& instruction) {
  InferContext context{};
  context.opcode = instruction.opcode;
  context.operands.reserve(instruction.operands.size());
  for (InstructionId operand : instruction.operands)
    context.operands.push_back(operand.valid() && module.contains(operand) ? module.at(operand).shape : nullptr);
  context.attributes = instruction.attributes.get();
  for (ComputationId callee : module.callees(instruction))
    context.computations.push_back(module.contains(callee) ? programShapeOf(module, callee) : ProgramShape());
  context.written = instruction.shape->type == ElementType::Invalid ? nullptr : instruction.shape;
  context.parameterNumber = instruction.parameterNumber;
  context.literal = instruction.literal.get();
  context.op = findOp(instruction.opcode);
  return context;
}

Result<Shape> inferInstruction(const Module& module, InstructionId id) {
  const Instruction& instruction = module.at(id);
  TESSERA_TRY(checkOperands(module, instruction));
  TESSERA_TRY(checkAttributes(module, instruction));
  const OpDef* op = findOp(instruction.opcode);
  if (!op || !op->inferShape) return *instruction.shape;
  auto inferred = op->inferShape(inferContextOf(module, instruction));
  if (!inferred) return std::unexpected(placedAt(instruction, std::move(inferred).error()));
  return inferred;
}

bool agreesWithInference(const Module& module, InstructionId id) {
  const auto inferred = inferInstruction(module, id);
  return inferred && compatible(*inferred, module.shapeOf(id));
}

Diagnostics inferModule(Module& module) {
  Diagnostics diagnostics;
  const CallGraph graph(module);
  for (ComputationId computation : graph.calleesFirst()) {
    auto order = topologicalOrder(module, computation);
    if (!order) {
      diagnostics.add(cycleDiagnostic(module, computation, std::move(order).error()));
      continue;
    }
    for (InstructionId id : *order) inferOne(module, id, diagnostics);
  }
  return diagnostics;
}

Reinferred reinfer(Module& module, std::span<const InstructionId> changed) {
  return Reinference(module, changed).run();
}

}  // namespace tessera
