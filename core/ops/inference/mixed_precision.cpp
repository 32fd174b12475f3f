// See mixed_precision.h. Stands on inference (what an op gives) and beside it (which written types agree).
#include "core/ops/inference/mixed_precision.h"

#include <algorithm>

#include "core/ops/inference/infer.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/inference/product_type.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

// Ops whose operands must be of one type. The others read each operand by its own type.
bool operandsMustAgree(Opcode opcode) {
  switch (opcode) {
    case Opcode::Add:
    case Opcode::Subtract:
    case Opcode::Multiply:
    case Opcode::Divide:
    case Opcode::Remainder:
    case Opcode::Maximum:
    case Opcode::Minimum:
    case Opcode::Power:
    case Opcode::Atan2:
    case Opcode::Complex:
    case Opcode::Compare:
    case Opcode::Clamp:
    case Opcode::Select:
    case Opcode::Concatenate:
    case Opcode::Pad:
    case Opcode::DynamicUpdateSlice: return true;
    default: return false;
  }
}

// Types that take part: floats, and in products all.
bool takesPart(Opcode opcode, ElementType type) { return isFloat(type) || hasTrait(opcode, kContraction); }

// In products, floats stay that `type` holds all of: they are widened while they are read.
bool isConverted(Opcode opcode, ElementType from, ElementType type) {
  if (from == type || !takesPart(opcode, from)) return false;
  return !hasTrait(opcode, kContraction) || isComplex(from) != isComplex(type) || !floatHoldsAll(type, from);
}

std::optional<ElementType> commonOperandType(const Module& module, const Instruction& instruction) {
  if (hasTrait(instruction.opcode, kContraction) && instruction.operands.size() == 2)
    return productType(module.shapeOf(instruction.operands[0]).type, module.shapeOf(instruction.operands[1]).type,
                       instruction.shape->type);
  if (!operandsMustAgree(instruction.opcode)) return std::nullopt;  // a sparse dot too
  std::optional<ElementType> common;
  bool differ = false;
  for (InstructionId operand : instruction.operands) {
    const ElementType type = module.shapeOf(operand).type;
    if (!takesPart(instruction.opcode, type)) continue;
    differ = differ || (common && *common != type);
    common = common ? widerType(*common, type) : type;
  }
  return differ ? common : std::nullopt;
}

// Quick: are there two float types, or two types in a product, among operands and result?
bool mayBeMixed(const Module& module, const Instruction& instruction) {
  std::optional<ElementType> first;
  bool differ = false;
  const auto see = [&](const Shape& shape) {
    if (!takesPart(instruction.opcode, shape.type)) return;
    differ = differ || (first && *first != shape.type);
    first = shape.type;
  };
  for (InstructionId operand : instruction.operands) {
    if (!operand.valid() || !module.contains(operand)) return false;
    see(module.shapeOf(operand));
  }
  see(*instruction.shape);
  for (const Shape& element : instruction.shape->elements) see(element);
  return differ || instruction.opcode == Opcode::Fusion;
}

bool leavesDiffer(const Shape& a, const Shape& b) {
  if (a.isTuple() && b.isTuple() && a.elements.size() == b.elements.size()) {
    for (size_t i = 0; i < a.elements.size(); ++i)
      if (leavesDiffer(a.elements[i], b.elements[i])) return true;
    return false;
  }
  return a.type != b.type;
}

// Both are arrays at the same places. If not, the written shape is wrong, and nothing here can correct it.
bool nestAlike(const Shape& a, const Shape& b) {
  return a.isTuple() == b.isTuple() && std::ranges::equal(a.elements, b.elements, nestAlike);
}

Shape withType(Shape shape, ElementType type) {
  shape.type = type;
  return shape;
}

// The written shape with the element types of `computed`.
Shape retyped(const Shape& written, const Shape& computed) {
  Shape out = withType(written, computed.type);
  for (size_t i = 0; i < out.elements.size(); ++i) out.elements[i] = retyped(written.elements[i], computed.elements[i]);
  return out;
}

class Normalizer {
 public:
  Normalizer(Module& module, InstructionId id) : module_(module), id_(id), computation_(module.at(id).computation) {}

  void convertOperands(ElementType type) {
    std::vector<InstructionId> operands(module_.at(id_).operands.begin(), module_.at(id_).operands.end());
    for (InstructionId& operand : operands) {
      const Shape& shape = module_.shapeOf(operand);
      if (isConverted(module_.at(id_).opcode, shape.type, type)) operand = convert(operand, type);
    }
    module_.setOperands(id_, operands);
  }

  // The op moves to a new instruction of the computed type; this one becomes its rounding.
  void roundResult(const Shape& computed) {
    const Shape written = module_.shapeOf(id_);
    const Instruction& op = module_.at(id_);
    const std::vector<InstructionId> operands(op.operands.begin(), op.operands.end());
    const InstructionId inner = add(op.opcode, retyped(written, computed), operands, *op.attributes);
    become(inner, written);
  }

 private:
  InstructionId add(Opcode opcode, const Shape& shape, std::span<const InstructionId> operands,
                    AttributeSet attributes = {}) {
    return module_.add(computation_, opcode, shape, operands, std::move(attributes), module_.at(id_).provenance);
  }
  InstructionId convert(InstructionId value, ElementType type) {
    const Shape shape = withType(module_.shapeOf(value), type);
    return add(Opcode::Convert, shape, {{value}});
  }
  // A complex value that becomes a real one loses its imaginary part first.
  InstructionId convertible(InstructionId value, ElementType type) {
    const ElementType from = module_.shapeOf(value).type;
    if (!isComplex(from) || isComplex(type)) return value;
    return add(Opcode::Real,
               withType(module_.shapeOf(value), from == ElementType::C64 ? ElementType::F32 : ElementType::F64),
               {{value}});
  }
  InstructionId elementOf(InstructionId tuple, size_t index) {
    AttributeSet attributes;
    attributes.set(Attr::index, static_cast<int64_t>(index));
    const Shape shape = module_.shapeOf(tuple).elements[index];
    return add(Opcode::GetTupleElement, shape, {{tuple}}, std::move(attributes));
  }
  void become(InstructionId inner, const Shape& written) {
    std::vector<InstructionId> operands = {convertible(inner, written.type)};
    if (written.isTuple()) {
      operands.clear();
      for (size_t i = 0; i < written.elements.size(); ++i) {
        const InstructionId element = elementOf(inner, i);
        const ElementType type = written.elements[i].type;
        operands.push_back(module_.shapeOf(element).type == type ? element : convert(element, type));
      }
    }
    module_.edit(id_).opcode = written.isTuple() ? Opcode::Tuple : Opcode::Convert;
    module_.setAttributes(id_, {});
    module_.setOperands(id_, operands);
  }

  Module& module_;
  InstructionId id_;
  ComputationId computation_;
};

}  // namespace

bool mayRoundItsResult(Opcode opcode) {
  switch (opcode) {
    case Opcode::Bitcast:
    case Opcode::Call:
    case Opcode::Conditional:
    case Opcode::Constant:
    case Opcode::CustomCall:
    case Opcode::GetTupleElement:
    case Opcode::Infeed:
    case Opcode::Outfeed:
    case Opcode::OptBarrier:
    case Opcode::Parameter:
    case Opcode::Recv:
    case Opcode::RecvDone:
    case Opcode::Send:
    case Opcode::SendDone:
    case Opcode::Tuple:
    case Opcode::While:
    case Opcode::BitcastConvert:
    case Opcode::Convert: return false;
    default: return true;
  }
}

std::optional<MixedPrecision> mixedPrecisionOf(const Module& module, const Instruction& instruction) {
  if (!mayRoundItsResult(instruction.opcode) || !mayBeMixed(module, instruction)) return std::nullopt;
  const OpDef* op = findOp(instruction.opcode);
  if (!op || !op->inferShape) return std::nullopt;
  MixedPrecision out{commonOperandType(module, instruction), {}};
  InferContext context = inferContextOf(module, instruction);
  std::vector<Shape> shapes;
  shapes.reserve(context.operands.size());
  for (const Shape*& operand : context.operands)
    if (out.operands && isConverted(instruction.opcode, operand->type, *out.operands)) {
      shapes.push_back(withType(*operand, *out.operands));
      operand = &shapes.back();
    }
  auto inferred = op->inferShape(context);
  if (!inferred) return std::nullopt;
  out.computed = std::move(*inferred);
  if (!nestAlike(out.computed, *instruction.shape)) return std::nullopt;
  if (hasTrait(instruction.opcode, kContraction) && out.operands) out.computed.type = *out.operands;
  if (!out.operands && !leavesDiffer(out.computed, *instruction.shape)) return std::nullopt;
  return out;
}

bool hasMixedPrecision(const Module& module) {
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      if (mixedPrecisionOf(module, module.at(id))) return true;
  return false;
}

Result<bool> normalizePrecision(Module& module) {
  bool changed = false;
  for (ComputationId computation : std::vector<ComputationId>(module.order())) {
    bool here = false;
    for (InstructionId id : std::vector<InstructionId>(module.at(computation).instructions)) {
      const auto mixed = mixedPrecisionOf(module, module.at(id));
      if (!mixed) continue;
      Normalizer normalizer(module, id);
      if (mixed->operands) normalizer.convertOperands(*mixed->operands);
      if (leavesDiffer(mixed->computed, module.shapeOf(id))) normalizer.roundResult(mixed->computed);
      here = true;
    }
    if (!here) continue;
    TESSERA_ASSIGN_OR_RETURN(std::vector<InstructionId> order, topologicalOrder(module, computation));
    module.edit(computation).instructions = std::move(order);
    changed = true;
  }
  return changed;
}

}  // namespace tessera
