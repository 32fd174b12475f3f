// What the rules of simplify are written with. Used by the tables of rules.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/element/scalar_functions.h"
#include "core/hlo/numbers.h"
#include "core/passes/simplify/simplify_rules.h"

namespace tessera {

bool Site::equals(size_t i, double value) const {
  const auto found = splat(i);
  return found && *found == value;
}

const Literal* Site::splatLiteral(InstructionId id) const {
  const Instruction* at = &module.at(id);
  while (at->opcode == Opcode::Broadcast || at->opcode == Opcode::Reshape) at = &module.at(at->operands[0]);
  const bool scalar = at->opcode == Opcode::Constant && at->literal && !at->literal->elided() && at->shape->isArray() &&
                      at->literal->elementCount() == 1;
  return scalar ? at->literal.get() : nullptr;
}

InstructionId Site::repeatedScalar(InstructionId id) const {
  const Instruction& at = module.at(id);
  return at.opcode == Opcode::Broadcast && shapeOf(at.operands[0]).isScalar() ? at.operands[0] : InstructionId();
}

InstructionId Site::make(Opcode opcode, const Shape& shape, std::span<const InstructionId> operands,
                         AttributeSet attributes, InstructionId also) {
  const InstructionId origin[] = {in.id, also};
  return rewriter_.add(in.computation, opcode, shape, operands, std::move(attributes),
                       {origin, also.valid() ? 2u : 1u});
}

InstructionId Site::make(Opcode opcode, const Shape& shape, std::initializer_list<InstructionId> operands,
                         AttributeSet attributes, InstructionId also) {
  return make(opcode, shape, std::span(operands.begin(), operands.size()), std::move(attributes), also);
}

InstructionId Site::constant(Literal scalar) {
  const InstructionId origin[] = {in.id};
  const Shape shape = Shape::arrayRowMajor(scalar.shape().type, {});
  return rewriter_.addConstant(in.computation, std::move(scalar), shape, origin);
}

InstructionId Site::number(ElementType type, double value) {
  Literal out = Literal::allocate(Shape::arrayRowMajor(type, {})).value();
  if (isComplex(type))
    storeComplex(type, out.mutableBytes().data(), {value, 0});
  else
    storeDouble(type, out.mutableBytes().data(), value);
  return constant(std::move(out));
}

InstructionId Site::integer(ElementType type, int64_t value) {
  Literal out = Literal::allocate(Shape::arrayRowMajor(type, {})).value();
  storeInt(type, out.mutableBytes().data(), value);
  return constant(std::move(out));
}

InstructionId Site::broadcast(InstructionId operand, const Shape& shape, std::vector<int64_t> dimensions) {
  if (shapeOf(operand) == shape && isIota(dimensions)) return operand;
  return make(Opcode::Broadcast, shape, {operand}, dimensionsAttribute(std::move(dimensions)));
}

InstructionId Site::reshape(InstructionId operand, const Shape& shape) {
  return shapeOf(operand) == shape ? operand : make(Opcode::Reshape, shape, {operand});
}

InstructionId Site::slice(InstructionId operand, std::span<const SliceDimension> ranges) {
  const Shape& whole = shapeOf(operand);
  std::vector<int64_t> dims;
  bool all = true;
  for (size_t d = 0; d < ranges.size(); ++d) {
    const SliceDimension& r = ranges[d];
    dims.push_back(r.limit <= r.start ? 0 : (r.limit - r.start - 1) / r.stride + 1);
    all = all && dims.back() == whole.dimensions[d];
  }
  if (all) return operand;
  AttributeSet attributes;
  attributes.set(Attr::slice, std::vector<SliceDimension>(ranges.begin(), ranges.end()));
  return make(Opcode::Slice, withDimensions(whole, std::move(dims)), {operand}, std::move(attributes));
}

Shape withDimensions(const Shape& like, std::vector<int64_t> dimensions) {
  return Shape::arrayRowMajor(like.type, std::move(dimensions));
}

AttributeSet dimensionsAttribute(std::vector<int64_t> dimensions) {
  AttributeSet out;
  out.set(Attr::dimensions, std::move(dimensions));
  return out;
}

namespace {

struct FloatForm {
  int digits, least, most;  // binary digits with the hidden one; exponents of the smallest subnormal and of the largest
};
std::optional<FloatForm> floatForm(ElementType type) {
  switch (type) {
    case ElementType::F16: return FloatForm{11, -24, 15};
    case ElementType::BF16: return FloatForm{8, -133, 127};
    case ElementType::F32: return FloatForm{24, -149, 127};
    case ElementType::F64: return FloatForm{53, -1074, 1023};
    default: return std::nullopt;
  }
}

}  // namespace

bool holdsExactly(ElementType from, ElementType to) {
  if (from == to || from == ElementType::Pred) return isInteger(to) || isFloat(to) || from == to;
  const int bits = info(from).bits - isSigned(from);  // of the magnitude
  if (isInteger(from) && isInteger(to))
    return (isUnsigned(from) || isSigned(to)) && info(to).bits - isSigned(to) >= bits;
  const auto target = floatForm(to);
  if (isInteger(from)) return target && target->digits >= bits && target->most >= bits;
  const auto source = floatForm(from);
  return source && target && source->digits <= target->digits && source->least >= target->least &&
         source->most <= target->most;
}

bool isNeutral(const Literal& scalar, Opcode reducer) {
  const ElementType type = scalar.shape().type;
  const auto neutral = neutralElement(reducer, type);
  return neutral && *neutral == scalarFromBytes(type, scalar.bytes().data());
}

bool isPlainPadding(std::span<const PaddingDimension> padding) {
  return std::ranges::all_of(padding,
                             [](const PaddingDimension& p) { return p.low >= 0 && p.high >= 0 && p.interior == 0; });
}

InstructionId sameOperands(Site& site) {
  return site.operand(0) == site.operand(1) ? site.operand(0) : InstructionId();
}

const Window& windowOf(const Instruction& instruction) {
  static const Window none;
  const auto* window = instruction.attributes->get<Window>(Attr::window);
  return window ? *window : none;
}

}  // namespace tessera
