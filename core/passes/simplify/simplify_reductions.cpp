// Rules of reduce and reduce-window over one array. The order in which values are combined may change where a rule says
// "regrouped": sums of floats then differ in rounding.
#include <algorithm>

#include "core/base/tuning.h"
#include "core/ops/shared/scalar_function.h"
#include "core/passes/simplify/concatenated_pieces.h"
#include "core/passes/simplify/simplify_rules.h"

namespace tessera {
namespace {

using Id = InstructionId;

const std::vector<int64_t>& reducedOf(const Instruction& in) { return in.attributes->ints(Attr::dimensions); }
bool isSingle(const Site& s) {
  return s.in.operands.size() == 2 && s.in.shape->isArray() && s.shapeOf(s.operand(0)).type == s.type() &&
         s.shapeOf(s.operand(1)).type == s.type();
}
std::optional<Opcode> reducer(const Site& s) {
  const auto callees = s.module.callees(s.in);
  return callees.size() == 1 ? reducerOf(s.module, callees[0]) : std::nullopt;
}
bool isReduced(const Instruction& in, int64_t d) { return std::ranges::find(reducedOf(in), d) != reducedOf(in).end(); }
bool startsNeutral(const Site& s, Opcode op) {
  const Literal* init = s.splatLiteral(s.operand(1));
  return init && isNeutral(*init, op);
}
// Sums of floats begin with 0.0 as a rule: it changes -0 to 0, and nothing else.
bool isAlmostNeutral(const Site& s, Id value, Opcode op) {
  const Literal* literal = s.splatLiteral(value);
  if (!literal) return false;
  return isNeutral(*literal, op) ||
         (op == Opcode::Add && isFloat(literal->shape().type) && splatValue(s.module, value) == 0.0);
}
// The initial value makes +0 of -0 anyway.
bool losesNegativeZero(const Site& s, Opcode op) {
  const Literal* init = s.splatLiteral(s.operand(1));
  return init && !isNeutral(*init, op);
}
// More than one element of `from` for each result; of one alone a reduction gives that, without the initial value.
bool combines(const Shape& from, const Instruction& reduce) {
  return std::ranges::any_of(reducedOf(reduce), [&](int64_t d) { return from.dimensions[static_cast<size_t>(d)] > 1; });
}
// init op x, element by element.
Id withInitial(Site& s, Id x, Opcode op) {
  if (startsNeutral(s, op)) return x;
  return s.make(op, *s.in.shape, {s.broadcast(s.operand(1), *s.in.shape), x});
}
Id reduceAgain(Site& s, Id x, const Shape& shape, std::vector<int64_t> dimensions, Id also) {
  AttributeSet attributes = *s.in.attributes;
  attributes.set(Attr::dimensions, std::move(dimensions));
  return s.make(Opcode::Reduce, shape, {x, s.operand(1)}, std::move(attributes), also);
}

// Nothing to combine: the initial value.
Id reduceOfEmpty(Site& s) {
  if (!isSingle(s) || s.shapeOf(s.operand(0)).elementCount() != 0 || s.in.shape->elementCount() == 0) return {};
  return s.broadcast(s.operand(1), *s.in.shape);
}
// One element for each result: nothing is combined, not even with the initial value.
Id reduceOfOnes(Site& s) {
  const Shape& from = s.shapeOf(s.operand(0));
  if (!isSingle(s) ||
      !std::ranges::all_of(reducedOf(s.in), [&](int64_t d) { return from.dimensions[static_cast<size_t>(d)] == 1; }))
    return {};
  return s.reshape(s.operand(0), *s.in.shape);
}
// Reduced dimensions of a transpose are dimensions of its operand; what is kept must keep its order.
Id reduceOfTranspose(Site& s) {
  const Instruction& from = s.from(0);
  if (!isSingle(s) || from.opcode != Opcode::Transpose || !s.usedOnce(from.id) || !reducer(s)) return {};
  const auto& permutation = from.attributes->ints(Attr::dimensions);
  std::vector<int64_t> reduced, kept;
  for (size_t d = 0; d < permutation.size(); ++d)
    (isReduced(s.in, static_cast<int64_t>(d)) ? reduced : kept).push_back(permutation[d]);
  if (!std::ranges::is_sorted(kept)) return {};
  std::ranges::sort(reduced);
  return reduceAgain(s, from.operands[0], *s.in.shape, std::move(reduced), from.id);
}

// Runs of dimensions of both shapes with the same number of elements: [a_begin, a_end) x [b_begin, b_end).
struct Factor {
  size_t aBegin, aEnd, bBegin, bEnd;
};
std::optional<std::vector<Factor>> commonFactors(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  std::vector<Factor> out;
  size_t i = 0, k = 0;
  while (i < a.size() || k < b.size()) {
    Factor factor{i, i, k, k};
    int64_t x = i < a.size() ? a[i++] : 1, y = k < b.size() ? b[k++] : 1;
    while (x != y) {
      if (x < y) {
        if (i == a.size() || __builtin_mul_overflow(x, a[i++], &x)) return std::nullopt;
      } else if (k == b.size() || __builtin_mul_overflow(y, b[k++], &y)) {
        return std::nullopt;
      }
    }
    factor.aEnd = i, factor.bEnd = k;
    out.push_back(factor);
  }
  return out;
}
// A reshape whose groups of dimensions are reduced wholly or not at all is not needed.
Id reduceOfReshape(Site& s) {
  const Instruction& from = s.from(0);
  if (!isSingle(s) || from.opcode != Opcode::Reshape || !s.usedOnce(from.id) || !reducer(s)) return {};
  const Shape& x = s.shapeOf(from.operands[0]);
  if (x.elementCount() == 0) return {};
  const auto factors = commonFactors(x.dimensions, from.shape->dimensions);
  if (!factors) return {};
  std::vector<int64_t> reduced, kept;
  for (const Factor& f : *factors) {
    size_t wide = 0, gone = 0;
    for (size_t d = f.bBegin; d < f.bEnd; ++d) {
      if (from.shape->dimensions[d] == 1) continue;
      ++wide;
      gone += isReduced(s.in, static_cast<int64_t>(d));
    }
    if (gone != 0 && gone != wide) return {};
    for (size_t d = f.aBegin; d < f.aEnd; ++d) {
      if (wide != 0 && gone == wide)
        reduced.push_back(static_cast<int64_t>(d));
      else
        kept.push_back(x.dimensions[d]);
    }
  }
  if (reduced.empty()) return {};
  const Id sum =
      reduceAgain(s, from.operands[0], withDimensions(*s.in.shape, std::move(kept)), std::move(reduced), from.id);
  return s.reshape(sum, *s.in.shape);
}
// A reduce of a reduce with the same computation, whose own start changes nothing.
Id reduceOfReduce(Site& s) {
  const Instruction& inner = s.from(0);
  const auto op = isSingle(s) ? reducer(s) : std::nullopt;
  if (!op || inner.opcode != Opcode::Reduce || inner.operands.size() != 2 || !s.usedOnce(inner.id)) return {};
  const auto callees = s.module.callees(inner);
  if (callees.size() != 1 || reducerOf(s.module, callees[0]) != op || !isAlmostNeutral(s, inner.operands[1], *op))
    return {};
  if (!isNeutral(*s.splatLiteral(inner.operands[1]), *op) && !losesNegativeZero(s, *op)) return {};
  std::vector<int64_t> reduced = reducedOf(inner);
  int64_t seen = 0;
  for (int64_t d = 0; d < s.shapeOf(inner.operands[0]).rank(); ++d) {
    if (isReduced(inner, d)) continue;
    if (isReduced(s.in, seen++)) reduced.push_back(d);
  }
  std::ranges::sort(reduced);
  return reduceAgain(s, inner.operands[0], *s.in.shape, std::move(reduced), inner.id);
}
// Along broadcast dimensions all values are equal: the largest is that value, the sum so many times it.
Id reduceOfBroadcast(Site& s) {
  const Instruction& from = s.from(0);
  const auto op = isSingle(s) ? reducer(s) : std::nullopt;
  if (!op || from.opcode != Opcode::Broadcast || from.shape->elementCount().value_or(0) == 0) return {};
  const auto& dimensions = from.attributes->ints(Attr::dimensions);
  std::vector<int64_t> kept;  // dimensions of the result that the operand has
  int64_t times = 1, at = 0;
  for (int64_t d = 0; d < from.shape->rank(); ++d) {
    const bool own = std::ranges::find(dimensions, d) != dimensions.end();
    if (isReduced(s.in, d)) {
      if (own) return {};
      times *= from.shape->dimensions[static_cast<size_t>(d)];
    } else {
      if (own) kept.push_back(at);
      ++at;
    }
  }
  const Id x = s.broadcast(from.operands[0], *s.in.shape, kept);
  switch (*op) {
    case Opcode::Maximum:
    case Opcode::Minimum:
    case Opcode::And:
    case Opcode::Or: return withInitial(s, x, *op);
    case Opcode::Add: {
      const ElementType type = s.type();
      if (!isInteger(type) && type != ElementType::F32 && type != ElementType::F64) return {};
      const Id factor = isInteger(type) ? s.filledInteger(times) : s.filled(static_cast<double>(times));
      return withInitial(s, s.make(Opcode::Multiply, *s.in.shape, {x, factor}, {}, from.id), *op);
    }
    default: return {};
  }
}
// Padding with what changes nothing.
Id reduceOfPad(Site& s) {
  const Instruction& from = s.from(0);
  const auto op = isSingle(s) ? reducer(s) : std::nullopt;
  if (!op || from.opcode != Opcode::Pad || !s.usedOnce(from.id)) return {};
  const auto& padding = *from.attributes->get<std::vector<PaddingDimension>>(Attr::padding);
  const Literal* value = s.splatLiteral(from.operands[1]);
  if (!isPlainPadding(padding) || !value || s.shapeOf(from.operands[0]).elementCount() == 0) return {};
  if (!startsNeutral(s, *op) && !combines(s.shapeOf(from.operands[0]), s.in)) return {};
  if (!isNeutral(*value, *op) && !(isAlmostNeutral(s, from.operands[1], *op) && losesNegativeZero(s, *op))) return {};
  for (size_t d = 0; d < padding.size(); ++d)
    if (padding[d] != PaddingDimension{} && !isReduced(s.in, static_cast<int64_t>(d))) return {};
  return reduceAgain(s, from.operands[0], *s.in.shape, reducedOf(s.in), from.id);
}
// Pieces joined along a reduced dimension, and what is computed of them element by element, are reduced by themselves:
// one loop over all would ask for each element which piece it is in.
Id reduceOfConcatenate(Site& s) {
  const auto op = isSingle(s) ? reducer(s) : std::nullopt;
  if (!op || !isAlmostNeutral(s, s.operand(1), *op)) return {};
  ConcatenatedPieces pieces(s, s.operand(0));
  if (!pieces.isValid() || pieces.count() > tuning().simplify.maxReducedPieces || !isReduced(s.in, pieces.dimension()))
    return {};
  for (size_t i = 0; i < pieces.count(); ++i)
    if (!startsNeutral(s, *op) && !combines(pieces.shapeOfPiece(i), s.in)) return {};
  Id out;
  for (size_t i = 0; i < pieces.count(); ++i) {
    const Id part = reduceAgain(s, pieces.makePiece(i), *s.in.shape, reducedOf(s.in), s.operand(0));
    out = out.valid() ? s.make(*op, *s.in.shape, {out, part}) : part;
  }
  return out;
}

// Of scalars there may be none.
Id windowOfOnes(Site& s) {
  const auto op = isSingle(s) ? reducer(s) : std::nullopt;
  if (!op) return {};
  for (const WindowDimension& w : windowOf(s.in).dimensions)
    if (w.size != 1 || w.stride != 1 || w.paddingLow != 0 || w.paddingHigh != 0 || w.baseDilation != 1) return {};
  return withInitial(s, s.operand(0), *op);
}
// Padding with the initial value can be the window's own.
Id windowOfPad(Site& s) {
  const Instruction& from = s.from(0);
  const auto op = isSingle(s) ? reducer(s) : std::nullopt;
  if (!op || from.opcode != Opcode::Pad || !s.usedOnce(from.id)) return {};
  const auto& padding = *from.attributes->get<std::vector<PaddingDimension>>(Attr::padding);
  const Literal *value = s.splatLiteral(from.operands[1]), *init = s.splatLiteral(s.operand(1));
  if (!isPlainPadding(padding) || !value || !init || !value->identical(*init) || !isAlmostNeutral(s, s.operand(1), *op))
    return {};
  Window window = windowOf(s.in);
  for (size_t d = 0; d < padding.size(); ++d) {
    WindowDimension& w = window.dimensions[d];
    if (padding[d] == PaddingDimension{}) continue;
    if (w.baseDilation != 1 || w.paddingLow < 0 || w.paddingHigh < 0) return {};
    w.paddingLow += padding[d].low;
    w.paddingHigh += padding[d].high;
  }
  AttributeSet attributes = *s.in.attributes;
  attributes.set(Attr::window, std::move(window));
  return s.make(Opcode::ReduceWindow, *s.in.shape, {from.operands[0], s.operand(1)}, std::move(attributes), from.id);
}

constexpr Rule kReductionRules[] = {
    {Opcode::Reduce, "reduce of nothing = the initial value", reduceOfEmpty},
    {Opcode::Reduce, "reduce of size 1 = reshape", reduceOfOnes},
    {Opcode::Reduce, "reduce(transpose x) = reduce x, regrouped", reduceOfTranspose},
    {Opcode::Reduce, "reduce(reshape x) = reduce x", reduceOfReshape},
    {Opcode::Reduce, "reduce(reduce x) = reduce x, regrouped", reduceOfReduce},
    {Opcode::Reduce, "reduce(broadcast x) = n * x, up to rounding", reduceOfBroadcast},
    {Opcode::Reduce, "reduce(pad x) = reduce x", reduceOfPad},
    {Opcode::Reduce, "reduce(concatenate) = sum of reduces, regrouped", reduceOfConcatenate},
    {Opcode::ReduceWindow, "reduce-window of single elements", windowOfOnes},
    {Opcode::ReduceWindow, "reduce-window(pad x) = reduce-window x", windowOfPad},
};

}  // namespace

std::span<const Rule> reductionRules() { return kReductionRules; }

}  // namespace tessera
