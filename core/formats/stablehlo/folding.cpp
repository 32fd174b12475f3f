// Folding on demand, backwards from the value that is asked for. Operations are evaluated by their OpDefs; what has no
// effect and small arrays only. Depth and steps have limits, past which a value counts as unknown.
#include "core/formats/stablehlo/folding.h"

#include <algorithm>

#include "core/hlo/numbers.h"
#include "core/ops/op.h"

namespace tessera::mlir {
namespace {

constexpr int kDeepest = 400;
constexpr size_t kMaxSteps =
    1 << 18;  // for a whole file: what is known at its top is computed once, calls again and again
constexpr int64_t kMaxElements = 1024;

bool isSmall(const Shape& shape) {
  return shape.isArray() && !shape.hasDynamicDimensions() &&
         shape.elementCount().value_or(kMaxElements + 1) <= kMaxElements;
}

bool isPlain(const OpDef* op) {
  if (!op || !op->evaluate || op->opcode == Opcode::Parameter) return false;
  return op->kind == ExecutionKind::Element || op->kind == ExecutionKind::Loops || op->kind == ExecutionKind::Structure;
}

std::optional<Literal> sizeOf(const Module& module, const Instruction& instruction) {
  const Shape& of = module.shapeOf(instruction.operands[0]);
  const auto* dimension = instruction.attributes->get<std::vector<int64_t>>(Attr::dimensions);
  if (!dimension || dimension->size() != 1 || !of.isArray()) return std::nullopt;
  const int64_t d = dimension->front();
  if (d < 0 || d >= of.rank() || of.isDynamicDimension(d) || of.dimensions[static_cast<size_t>(d)] < 0)
    return std::nullopt;
  auto out = Literal::zeros(Shape::arrayRowMajor(ElementType::S32, {}));
  if (!out) return std::nullopt;
  storeInt(ElementType::S32, out->mutableBytes().data(), of.dimensions[static_cast<size_t>(d)]);
  return std::move(*out);
}

}  // namespace

bool isOpen(const Shape& shape) {
  return std::ranges::find(shape.dimensions, Shape::kUnbounded) != shape.dimensions.end() ||
         std::ranges::any_of(shape.elements, isOpen);
}

const Literal* ConstantFolder::valueOf(InstructionId id) { return find(known_, id, 0); }

const Literal* ConstantFolder::find(Values& values, InstructionId id, int depth) {
  auto [at, fresh] = values.try_emplace(id.value);
  Entry& entry = at->second;
  if (fresh) {
    cause_ = id;
    entry.value = compute(values, id, depth);
    entry.cause = cause_;
  }
  if (entry.value) return &*entry.value;
  cause_ = entry.cause;
  return nullptr;
}

std::optional<Literal> ConstantFolder::compute(Values& values, InstructionId id, int depth) {
  const Instruction& instruction = module_.at(id);
  if (depth > kDeepest || ++steps_ > kMaxSteps || !isSmall(*instruction.shape)) return std::nullopt;
  if (instruction.literal) return *instruction.literal;
  switch (instruction.opcode) {
    case Opcode::GetDimensionSize: return sizeOf(module_, instruction);
    case Opcode::GetTupleElement: {
      const auto* index = instruction.attributes->get<int64_t>(Attr::index);
      return index ? element(values, instruction.operands[0], static_cast<size_t>(*index), depth + 1) : std::nullopt;
    }
    case Opcode::OptBarrier: {
      const Literal* value = find(values, instruction.operands[0], depth + 1);
      return value ? std::optional(*value) : std::nullopt;
    }
    case Opcode::Call: {
      Values inner = argumentsOf(values, instruction, depth);
      const Literal* value = find(inner, module_.at(module_.callees(instruction).at(0)).root, depth + 1);
      return value ? std::optional(*value) : std::nullopt;
    }
    default: return isPlain(findOp(instruction.opcode)) ? evaluated(values, id, depth) : std::nullopt;
  }
}

std::optional<Literal> ConstantFolder::element(Values& values, InstructionId tuple, size_t index, int depth) {
  const Instruction& instruction = module_.at(tuple);
  cause_ = tuple;
  if (depth > kDeepest || ++steps_ > kMaxSteps) return std::nullopt;
  if (instruction.opcode == Opcode::OptBarrier) return element(values, instruction.operands[0], index, depth + 1);
  if (instruction.opcode == Opcode::Tuple && index < instruction.operands.size()) {
    const Literal* value = find(values, instruction.operands[index], depth + 1);
    return value ? std::optional(*value) : std::nullopt;
  }
  if (instruction.opcode != Opcode::Call) return std::nullopt;
  Values inner = argumentsOf(values, instruction, depth);
  return element(inner, module_.at(module_.callees(instruction).at(0)).root, index, depth + 1);
}

ConstantFolder::Values ConstantFolder::argumentsOf(Values& values, const Instruction& call, int depth) {
  Values out;
  const std::vector<InstructionId>& parameters = module_.at(module_.callees(call).at(0)).parameters;
  for (size_t i = 0; i < parameters.size() && i < call.operands.size(); ++i)
    if (const Literal* value = find(values, call.operands[i], depth + 1))
      out[parameters[i].value] = {*value, parameters[i]};
    else
      out[parameters[i].value] = {std::nullopt, cause_};
  return out;
}

std::optional<Literal> ConstantFolder::evaluated(Values& values, InstructionId id, int depth) {
  const Instruction& instruction = module_.at(id);
  std::vector<Literal> operands;
  std::vector<const Shape*> shapes;
  for (InstructionId operand : instruction.operands) {
    const Literal* value = find(values, operand, depth + 1);
    if (!value) return std::nullopt;
    operands.push_back(*value);
    shapes.push_back(&module_.shapeOf(operand));
  }
  const std::vector<ComputationId> callees = module_.callees(instruction);
  auto call = [&](size_t callee, std::span<const Literal> arguments) -> Result<Literal> {
    const Computation& computation = module_.at(callees.at(callee));
    Values inner;
    for (size_t i = 0; i < arguments.size() && i < computation.parameters.size(); ++i)
      inner[computation.parameters[i].value] = {arguments[i], computation.parameters[i]};
    const Literal* value = find(inner, computation.root, depth + 1);
    return value ? Result<Literal>(*value) : fail("not known");
  };
  auto result =
      findOp(instruction.opcode)
          ->evaluate({instruction, *instruction.shape, operands, shapes, call, {}, &module_, nullptr, nullptr});
  cause_ = id;
  return result ? std::optional(std::move(*result)) : std::nullopt;
}

}  // namespace tessera::mlir
