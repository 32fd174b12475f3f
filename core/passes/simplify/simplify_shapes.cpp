// Rules of reshape, broadcast, transpose, reverse, copy, bitcast, tuple: where elements stand. All exact.
#include <algorithm>
#include <numeric>

#include "core/passes/simplify/simplify_rules.h"

namespace tessera {
namespace {

using Id = InstructionId;

const std::vector<int64_t>& dims(const Instruction& in) { return in.attributes->ints(Attr::dimensions); }
int64_t sizeAt(const Shape& shape, int64_t d) { return shape.dimensions[static_cast<size_t>(d)]; }
bool isWithoutOnes(const Shape& shape) { return std::ranges::find(shape.dimensions, 1) == shape.dimensions.end(); }
// The dimensions whose size is not 1.
std::vector<int64_t> wideDimensions(const Shape& shape) {
  std::vector<int64_t> out;
  for (int64_t d = 0; d < shape.rank(); ++d)
    if (sizeAt(shape, d) != 1) out.push_back(d);
  return out;
}

Id sameShape(Site& s) { return s.shapeOf(s.operand(0)) == *s.in.shape ? s.operand(0) : Id(); }

Id reshapeOfReshape(Site& s) {
  if (!s.is(s.operand(0), Opcode::Reshape)) return {};
  const Id x = s.from(0).operands[0];
  return s.shapeOf(x) == *s.in.shape ? x : s.make(Opcode::Reshape, *s.in.shape, {x}, {}, s.operand(0));
}
// A reshape that only adds or drops ones, of a broadcast: the broadcast can say it.
Id reshapeOfBroadcast(Site& s) {
  const Instruction& from = s.from(0);
  if (from.opcode != Opcode::Broadcast) return {};
  const Id x = from.operands[0];
  if (s.shapeOf(x).isScalar()) return s.make(Opcode::Broadcast, *s.in.shape, {x}, dimensionsAttribute({}), from.id);
  const std::vector<int64_t> before = wideDimensions(*from.shape), after = wideDimensions(*s.in.shape);
  if (significantDimensions(*from.shape) != significantDimensions(*s.in.shape) || !isWithoutOnes(s.shapeOf(x)))
    return {};
  std::vector<int64_t> moved;
  for (int64_t d : dims(from)) {
    const auto at = std::ranges::find(before, d);
    if (at == before.end()) return {};
    moved.push_back(after[static_cast<size_t>(at - before.begin())]);
  }
  return s.make(Opcode::Broadcast, *s.in.shape, {x}, dimensionsAttribute(std::move(moved)), from.id);
}

Id broadcastOfNothing(Site& s) {
  return s.shapeOf(s.operand(0)) == *s.in.shape && isIota(dims(s.in)) ? s.operand(0) : Id();
}
Id broadcastOfBroadcast(Site& s) {
  const Instruction& from = s.from(0);
  if (from.opcode != Opcode::Broadcast) return {};
  std::vector<int64_t> composed;
  for (int64_t d : dims(from)) composed.push_back(dims(s.in)[static_cast<size_t>(d)]);
  return s.make(Opcode::Broadcast, *s.in.shape, {from.operands[0]}, dimensionsAttribute(std::move(composed)), from.id);
}
// A broadcast of a reshape that only adds ones.
Id broadcastOfReshape(Site& s) {
  const Instruction& from = s.from(0);
  if (from.opcode != Opcode::Reshape) return {};
  const Shape& inner = s.shapeOf(from.operands[0]);
  if (!isWithoutOnes(inner) || significantDimensions(*from.shape) != inner.dimensions) return {};
  std::vector<int64_t> composed;
  for (int64_t d : wideDimensions(*from.shape)) composed.push_back(dims(s.in)[static_cast<size_t>(d)]);
  return s.make(Opcode::Broadcast, *s.in.shape, {from.operands[0]}, dimensionsAttribute(std::move(composed)), from.id);
}
// A broadcast that only adds ones is a reshape.
Id broadcastAsReshape(Site& s) {
  const Shape& from = s.shapeOf(s.operand(0));
  if (from.isScalar() && !s.in.shape->isScalar() && s.in.shape->elementCount() != 1) return {};
  if (from.elementCount() != s.in.shape->elementCount() || !std::ranges::is_sorted(dims(s.in)) || from == *s.in.shape)
    return {};
  return s.make(Opcode::Reshape, *s.in.shape, {s.operand(0)});
}

Id transposeOfNothing(Site& s) {
  return isIota(dims(s.in)) && s.shapeOf(s.operand(0)) == *s.in.shape ? s.operand(0) : Id();
}
Id transposeOfTranspose(Site& s) {
  const Instruction& from = s.from(0);
  if (from.opcode != Opcode::Transpose) return {};
  std::vector<int64_t> composed;
  for (int64_t d : dims(s.in)) composed.push_back(dims(from)[static_cast<size_t>(d)]);
  if (isIota(composed) && s.shapeOf(from.operands[0]) == *s.in.shape) return from.operands[0];
  return s.make(Opcode::Transpose, *s.in.shape, {from.operands[0]}, dimensionsAttribute(std::move(composed)), from.id);
}
// Only dimensions of size 1 move.
Id transposeAsReshape(Site& s) {
  std::vector<int64_t> moved;
  for (int64_t d : dims(s.in))
    if (sizeAt(s.shapeOf(s.operand(0)), d) != 1) moved.push_back(d);
  if (!std::ranges::is_sorted(moved) || !keepsBytes(s.shapeOf(s.operand(0)), *s.in.shape)) return {};
  return s.make(Opcode::Reshape, *s.in.shape, {s.operand(0)});
}
Id transposeOfBroadcast(Site& s) {
  const Instruction& from = s.from(0);
  if (from.opcode != Opcode::Broadcast) return {};
  std::vector<int64_t> place(dims(s.in).size()), moved;
  for (size_t i = 0; i < place.size(); ++i) place[static_cast<size_t>(dims(s.in)[i])] = static_cast<int64_t>(i);
  for (int64_t d : dims(from)) moved.push_back(place[static_cast<size_t>(d)]);
  if (!std::ranges::is_sorted(moved)) return {};
  return s.make(Opcode::Broadcast, *s.in.shape, {from.operands[0]}, dimensionsAttribute(std::move(moved)), from.id);
}
// Of pieces in each of which only ones move.
Id transposeOfStack(Site& s) {
  const Instruction& from = s.from(0);
  if (from.opcode != Opcode::Concatenate || !s.usedOnce(from.id)) return {};
  const std::vector<int64_t> order = dims(s.in);
  const auto along = static_cast<int64_t>(std::ranges::find(order, dims(from)[0]) - order.begin());
  std::vector<Shape> shapes;
  for (Id piece : from.operands) {
    const Shape& shape = s.shapeOf(piece);
    std::vector<int64_t> sizes, moved;
    for (int64_t d : order) {
      sizes.push_back(sizeAt(shape, d));
      if (sizes.back() != 1) moved.push_back(d);
    }
    shapes.push_back(withDimensions(shape, std::move(sizes)));
    if (!std::ranges::is_sorted(moved) || !keepsBytes(shape, shapes.back())) return {};
  }
  const std::vector<Id> pieces(from.operands.begin(), from.operands.end());
  const Id stack = from.id;
  std::vector<Id> reshaped;
  for (size_t i = 0; i < pieces.size(); ++i) reshaped.push_back(s.reshape(pieces[i], shapes[i]));
  return s.make(Opcode::Concatenate, *s.in.shape, reshaped, dimensionsAttribute({along}), stack);
}
// The transposed product is the product of the operands in the other order, when they have nothing else to move.
Id transposeOfDot(Site& s) {
  const Instruction& dot = s.from(0);
  if (dot.opcode != Opcode::Dot || dot.operands.size() != 2 || !s.usedOnce(dot.id) ||
      dot.attributes->has(Attr::algorithm))
    return {};
  if (dot.attributes->has(Attr::operand_precision)) return {};
  const auto& batch = dot.attributes->ints(Attr::lhs_batch_dims);
  const auto& contracting = dot.attributes->ints(Attr::lhs_contracting_dims);
  const size_t left = s.shapeOf(dot.operands[0]).dimensions.size() - batch.size() - contracting.size();
  const size_t rank = dot.shape->dimensions.size(), right = rank - batch.size() - left;
  std::vector<int64_t> wanted(rank);
  std::iota(wanted.begin(), wanted.end(), 0);
  std::rotate(wanted.begin() + static_cast<int64_t>(batch.size()), wanted.end() - static_cast<int64_t>(right),
              wanted.end());
  if (left == 0 || right == 0 || dims(s.in) != wanted) return {};
  AttributeSet attributes = *dot.attributes;
  const auto exchange = [&](Attr a, Attr b) {
    const std::vector<int64_t> x = dot.attributes->ints(a), y = dot.attributes->ints(b);
    if (!y.empty()) attributes.set(a, y);
    if (!x.empty()) attributes.set(b, x);
  };
  exchange(Attr::lhs_batch_dims, Attr::rhs_batch_dims);
  exchange(Attr::lhs_contracting_dims, Attr::rhs_contracting_dims);
  return s.make(Opcode::Dot, *s.in.shape, {dot.operands[1], dot.operands[0]}, std::move(attributes), dot.id);
}

Id reverseOfOnes(Site& s) {
  const bool ones = std::ranges::all_of(dims(s.in), [&](int64_t d) { return sizeAt(*s.in.shape, d) == 1; });
  return ones ? s.operand(0) : Id();
}
Id reverseOfReverse(Site& s) {
  const Instruction& from = s.from(0);
  if (from.opcode != Opcode::Reverse) return {};
  std::vector<int64_t> left;
  const auto in = [](const std::vector<int64_t>& list, int64_t d) { return std::ranges::find(list, d) != list.end(); };
  for (int64_t d = 0; d < s.in.shape->rank(); ++d)
    if (in(dims(s.in), d) != in(dims(from), d)) left.push_back(d);
  if (left.empty()) return from.operands[0];
  return s.make(Opcode::Reverse, *s.in.shape, {from.operands[0]}, dimensionsAttribute(std::move(left)), from.id);
}
// All elements along a broadcast dimension are equal.
Id reverseOfBroadcast(Site& s) {
  const Instruction& from = s.from(0);
  if (from.opcode != Opcode::Broadcast) return {};
  std::vector<int64_t> left;
  for (int64_t d : dims(s.in))
    if (std::ranges::find(dims(from), d) != dims(from).end()) left.push_back(d);
  if (left.empty()) return from.id;
  if (left.size() == dims(s.in).size()) return {};
  return s.make(Opcode::Reverse, *s.in.shape, {from.id}, dimensionsAttribute(std::move(left)));
}

Id elementOfTuple(Site& s) {
  if (!s.is(s.operand(0), Opcode::Tuple)) return {};
  return s.from(0).operands[static_cast<size_t>(s.in.attributes->intOr(Attr::index, 0))];
}
// tuple(get-tuple-element(x, 0), get-tuple-element(x, 1), …) of all of x is x.
Id tupleOfElements(Site& s) {
  Id whole;
  for (size_t i = 0; i < s.in.operands.size(); ++i) {
    const Instruction& element = s.from(i);
    if (element.opcode != Opcode::GetTupleElement ||
        element.attributes->intOr(Attr::index, -1) != static_cast<int64_t>(i))
      return {};
    if (whole.valid() && whole != element.operands[0]) return {};
    whole = element.operands[0];
  }
  return whole;
}

constexpr Rule kShapeRules[] = {
    {Opcode::Reshape, "reshape to the same shape", sameShape},
    {Opcode::Reshape, "reshape(reshape x) = reshape x", reshapeOfReshape},
    {Opcode::Reshape, "reshape(broadcast x) = broadcast x", reshapeOfBroadcast},
    {Opcode::Broadcast, "broadcast to the same shape", broadcastOfNothing},
    {Opcode::Broadcast, "broadcast(broadcast x) = broadcast x", broadcastOfBroadcast},
    {Opcode::Broadcast, "broadcast(reshape x) = broadcast x", broadcastOfReshape},
    {Opcode::Broadcast, "a broadcast that adds ones is a reshape", broadcastAsReshape},
    {Opcode::Transpose, "transpose of nothing", transposeOfNothing},
    {Opcode::Transpose, "transpose(transpose x) = transpose x", transposeOfTranspose},
    {Opcode::Transpose, "a transpose that moves ones is a reshape", transposeAsReshape},
    {Opcode::Transpose, "transpose(broadcast x) = broadcast x", transposeOfBroadcast},
    {Opcode::Transpose, "transpose(concatenate x) = concatenate x where only ones move", transposeOfStack},
    {Opcode::Transpose, "transpose(dot(x, y)) = dot(y, x)", transposeOfDot},
    {Opcode::Reverse, "reverse of size 1", reverseOfOnes},
    {Opcode::Reverse, "reverse(reverse x) = x", reverseOfReverse},
    {Opcode::Reverse, "reverse(broadcast x) = broadcast x", reverseOfBroadcast},
    {Opcode::Copy, "copy to the same layout", sameShape},
    {Opcode::Bitcast, "bitcast to the same shape", sameShape},
    {Opcode::GetTupleElement, "get-tuple-element(tuple) = the element", elementOfTuple},
    {Opcode::Tuple, "tuple of all elements of x = x", tupleOfElements},
};

}  // namespace

std::span<const Rule> shapeRules() { return kShapeRules; }

}  // namespace tessera
