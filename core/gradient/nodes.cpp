// Nodes with their attributes, and the operators of Value: what rules write formulas with.
#include <algorithm>
#include <numeric>

#include "core/element/scalar_functions.h"
#include "core/element/scalar_math.h"
#include "core/gradient/emitter.h"

namespace tessera::gradient {
namespace {

Value filledLike(Value like, double value) { return like ? like.emitter->filled(like.shape(), value) : Value(); }

bool isSplat(Value value, double number) { return value && value.emitter->splatOf(value) == number; }

bool sameType(Value a, Value b) { return a && b && a.type() == b.type(); }

// The neutral element of a reducer as a scalar. -0 of a sum is no number that people write: 0 gives the same sums but
// of negative zeros alone.
Value neutralOf(Emitter& emit, Opcode reducer, ElementType type) {
  if (reducer == Opcode::Add) return emit.scalar(type, 0);
  Literal out = Literal::zeros(Shape::arrayRowMajor(type, {})).value();
  if (const auto bits = neutralElement(reducer, type)) scalarToBytes(type, *bits, out.mutableBytes().data());
  return emit.constant(std::move(out));
}

}  // namespace

Shape arrayLike(const Shape& like, Ints dims) { return Shape::arrayRowMajor(like.type, std::move(dims)); }

Value zerosOf(Value like) { return like.emitter->zeros(like.shape()); }

Value operator+(Value a, Value b) { return binary(Opcode::Add, a, b); }
Value operator-(Value a, Value b) { return binary(Opcode::Subtract, a, b); }
Value operator*(Value a, Value b) {
  if (sameType(a, b) && isSplat(a, 1)) return b;
  if (sameType(a, b) && isSplat(b, 1)) return a;
  return binary(Opcode::Multiply, a, b);
}
Value operator/(Value a, Value b) { return sameType(a, b) && isSplat(b, 1) ? a : binary(Opcode::Divide, a, b); }
Value operator-(Value a) { return unary(Opcode::Negate, a); }
Value operator+(double a, Value b) { return filledLike(b, a) + b; }
Value operator-(double a, Value b) { return filledLike(b, a) - b; }
Value operator*(double a, Value b) { return filledLike(b, a) * b; }
Value operator/(double a, Value b) { return filledLike(b, a) / b; }
Value operator+(Value a, double b) { return a + filledLike(a, b); }
Value operator-(Value a, double b) { return a - filledLike(a, b); }
Value operator*(Value a, double b) { return a * filledLike(a, b); }
Value operator/(Value a, double b) { return a / filledLike(a, b); }

Value unary(Opcode opcode, Value a) { return a ? a.emitter->make(opcode, {a}) : Value(); }
Value binary(Opcode opcode, Value a, Value b) { return a && b ? a.emitter->make(opcode, {a, b}) : Value(); }

Value power(Value a, double exponent) {
  if (exponent == 0) return filledLike(a, 1);
  if (exponent == 1) return a;
  if (exponent == 2) return a * a;
  return binary(Opcode::Power, a, filledLike(a, exponent));
}

Value compare(std::string_view direction, Value a, Value b) {
  if (!a || !b) return {};
  AttributeSet attributes;
  attributes.set(Attr::direction, std::string(direction));
  return a.emitter->make(Opcode::Compare, {a, b}, std::move(attributes));
}

Value select(Value condition, Value yes, Value no) {
  return condition ? condition.emitter->make(Opcode::Select, {condition, yes, no}) : Value();
}

Value convert(Value a, ElementType type) {
  if (!a || a.type() == type) return a;
  const Shape shape = Shape::arrayRowMajor(type, a.dims());
  return a.emitter->make(Opcode::Convert, {a}, {}, &shape);
}

Value conjugate(Value a) {
  if (!a || !isComplex(a.type())) return a;
  return binary(Opcode::Complex, unary(Opcode::Real, a), -unary(Opcode::Imag, a));
}

Value broadcast(Value a, const Ints& to, const Shape& shape) {
  if (!a) return {};
  if (a.dims() == shape.dimensions) return a;
  AttributeSet attributes;
  attributes.set(Attr::dimensions, to);
  const Shape written = arrayLike(a.shape(), shape.dimensions);
  return a.emitter->make(Opcode::Broadcast, {a}, std::move(attributes), &written);
}

Value broadcastScalar(Value scalar, const Ints& dims) {
  return scalar ? broadcast(scalar, {}, arrayLike(scalar.shape(), dims)) : Value();
}

Value reshape(Value a, const Ints& dims) {
  if (!a || a.dims() == dims) return a;
  const Shape shape = arrayLike(a.shape(), dims);
  return a.emitter->make(Opcode::Reshape, {a}, {}, &shape);
}

Value transpose(Value a, const Ints& permutation) {
  if (!a || std::ranges::is_sorted(permutation)) return a;
  AttributeSet attributes;
  attributes.set(Attr::dimensions, permutation);
  return a.emitter->make(Opcode::Transpose, {a}, std::move(attributes));
}

Value reduce(Opcode reducer, Value a, const Ints& dims) {
  if (!a || dims.empty()) return a;
  AttributeSet attributes;
  Ints sorted = dims;
  std::ranges::sort(sorted);
  attributes.set(Attr::dimensions, std::move(sorted));
  attributes.set(Attr::to_apply, a.emitter->session.reducer(reducer, a.type()));
  return a.emitter->make(Opcode::Reduce, {a, neutralOf(*a.emitter, reducer, a.type())}, std::move(attributes));
}

Value slice(Value a, const std::vector<SliceDimension>& ranges) {
  if (!a) return {};
  bool whole = true;
  for (size_t d = 0; d < ranges.size(); ++d) whole = whole && ranges[d] == SliceDimension{0, a.dims()[d], 1};
  if (whole) return a;
  AttributeSet attributes;
  attributes.set(Attr::slice, ranges);
  return a.emitter->make(Opcode::Slice, {a}, std::move(attributes));
}

Value pad(Value a, Value value, const std::vector<PaddingDimension>& padding) {
  if (!a || std::ranges::all_of(padding, [](const auto& each) { return each == PaddingDimension{}; })) return a;
  AttributeSet attributes;
  attributes.set(Attr::padding, padding);
  return a.emitter->make(Opcode::Pad, {a, value}, std::move(attributes));
}

Value padZeros(Value a, const std::vector<PaddingDimension>& padding) {
  return a ? pad(a, a.emitter->scalar(a.type(), 0), padding) : Value();
}

Value iota(Emitter& emit, const Ints& dims, int64_t along, ElementType type) {
  AttributeSet attributes;
  attributes.set(Attr::iota_dimension, along);
  const Shape shape = Shape::arrayRowMajor(type, dims);
  return emit.make(Opcode::Iota, {}, std::move(attributes), &shape);
}

Value concatenate(std::span<const Value> parts, int64_t along) {
  AttributeSet attributes;
  attributes.set(Attr::dimensions, Ints{along});
  return parts.size() == 1 ? parts[0] : parts[0].emitter->make(Opcode::Concatenate, parts, std::move(attributes));
}

Value dynamicSlice(Value a, std::span<const Value> starts, const Ints& sizes) {
  if (!a) return {};
  std::vector<Value> operands{a};
  operands.insert(operands.end(), starts.begin(), starts.end());
  AttributeSet attributes;
  attributes.set(Attr::dynamic_slice_sizes, sizes);
  return a.emitter->make(Opcode::DynamicSlice, operands, std::move(attributes));
}

Value dynamicUpdate(Value a, Value update, std::span<const Value> starts) {
  if (!a) return {};
  std::vector<Value> operands{a, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return a.emitter->make(Opcode::DynamicUpdateSlice, operands);
}

namespace {

std::vector<Value> startsAt(Value stack, Value step) {
  std::vector<Value> out(stack.dims().size(), step.emitter->scalar(step.type(), 0));
  out[0] = step;
  return out;
}

}  // namespace

Value stepOf(Value stack, Value step) {
  Ints sizes = stack.dims();
  sizes[0] = 1;
  const Value part = dynamicSlice(stack, startsAt(stack, step), sizes);
  return reshape(part, Ints(sizes.begin() + 1, sizes.end()));
}

Value withStep(Value stack, Value step, Value part) {
  Ints sizes = stack.dims();
  sizes[0] = 1;
  return dynamicUpdate(stack, reshape(part, sizes), startsAt(stack, step));
}

}  // namespace tessera::gradient
