// Where the sizes of dimensions come from, as data: for each dimension of an operation's result the dimension of an
// operand that it is, a window over one, a sum, a multiple; and what holds among the operands. An op file gives them by
// one function, `OpDef::dimensions`. Read by resizing and hues (core/edit/sizes), by sizes of the run in the evaluator
// and the padding pass, by fusion's views and by the sentences that the inspector shows (dimension_reasons).
//
// A dimension without a relation is given by the text or an attribute. What inference checks beyond sizes is not
// repeated here.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "core/ops/op.h"
#include "core/ops/shared/reshape_sizes.h"

namespace tessera {

// One dimension of an array; the arrays of a tuple are counted depth first.
struct DimensionRef {
  enum class Of : uint8_t { Operand, Result, Parameter, Root };
  Of of = Of::Result;
  uint32_t callee = 0;  // Parameter and Root: of which called computation, in attribute order
  uint32_t value = 0;   // Operand and Parameter: which
  uint32_t leaf = 0, dimension = 0;
  bool operator==(const DimensionRef&) const = default;

  static DimensionRef operand(size_t k, size_t d, size_t leaf = 0);
  static DimensionRef result(size_t d, size_t leaf = 0);
};

enum class DimensionRule : uint8_t {
  Same,      // the size of `from`
  Part,      // an attribute gives the extent taken of `from`; as large as `from`, it is all of it
  Sum,       // of `from` of this and of the neighbouring Sum relations of the same `to`
  Sliced,    // what a SliceDimension leaves of `from`
  Padded,    // `from` with a PaddingDimension
  Windowed,  // the positions of a WindowDimension over `from`
  Multiple,  // `from` times a factor
  Quotient,  // `from` by a divisor
  Half,      // the complex side of a real transform of `from` elements
  Fixed,     // it keeps its size, for the reason `fixed`
};

struct DimensionRelation {
  DimensionRef to;
  DimensionRule rule = DimensionRule::Same;
  DimensionRef from;
  // Element i along `to` is made of the element i along `from`, not of others; their sizes are the same.
  bool aligned = false;
  // Not empty: neither side may be resized, and why.
  std::string_view fixed = {};
  std::variant<std::monostate, SliceDimension, PaddingDimension, WindowDimension, int64_t> how = {};
};

struct DimensionRelations {
  std::vector<DimensionRelation> rows;
  std::vector<ReshapeGroup> groups;  // dimensions of operand 0 whose product is that of dimensions of the result
  bool opaque = false;               // nothing is known

  void same(DimensionRef to, DimensionRef from, bool aligned = true) {
    rows.push_back({to, DimensionRule::Same, from, aligned});
  }
  void fixed(DimensionRef to, std::string_view why) { rows.push_back({to, DimensionRule::Fixed, {}, false, why}); }
  // Every dimension of the one array as the same dimension of the other, where they have the same rank.
  void sameArray(DimensionRef to, const Shape& toShape, DimensionRef from, const Shape& fromShape);
  // The same for all arrays of two values.
  void sameLeaves(DimensionRef to, const Shape& toShape, DimensionRef from, const Shape& fromShape);
  // Operand `k` is parameter `p` of a called computation; the result is its root.
  void passedTo(const InferContext& context, size_t callee, size_t p, size_t k);
  void givenBy(const InferContext& context, size_t callee);
  // A window over a dimension; one that changes nothing is aligned.
  void windowed(DimensionRef to, DimensionRef from, const WindowDimension& window, std::string_view fixed = {});
};

// Relations of an instruction whose shape inference agrees with, `written`. An op without a function of its own is
// elementwise or opaque.
DimensionRelations dimensionRelationsOf(const InferContext& context);
DimensionRelations dimensionRelationsOf(const Module& module, const Instruction& instruction);

// For each dimension of the result (of its first array) the dimension of operand `k` that it is aligned with; -1: none.
std::vector<int64_t> alignedDimensions(const Module& module, const Instruction& instruction, size_t k);

// --- rows that many ops share

// Every array of the result is like every operand of its rank, or like the operand of its number.
DimensionRelations relationsOfElementwise(const InferContext& context);
// The result is like operand `k`, array by array.
template <size_t k = 0>
DimensionRelations relationsOfOperand(const InferContext& context) {
  DimensionRelations out;
  out.sameLeaves(DimensionRef::result(0), *context.written, DimensionRef::operand(k, 0), context.operand(k));
  return out;
}
// All sizes are given.
inline DimensionRelations noRelations(const InferContext&) { return {}; }

// --- sizes by a rule

// The size that a rule makes of the size of `from` (Sum: of this one's share). Numbers makes and combines values:
// number, add, subtract, multiply, divide (rounded towards zero), minimum, maximum. `whole`: the bound of `from`.
template <class Numbers, class Value>
Value sizeByRule(Numbers& n, const DimensionRelation& relation, Value from, int64_t whole) {
  const auto notNegative = [&](Value value) { return n.maximum(value, n.number(0)); };
  switch (relation.rule) {
    case DimensionRule::Sliced: {
      const auto& s = std::get<SliceDimension>(relation.how);
      if (s.start == 0 && s.stride == 1 && s.limit == whole) return from;
      const Value length = n.add(n.minimum(from, n.number(s.limit)), n.number(s.stride - 1 - s.start));
      return n.divide(notNegative(length), n.number(s.stride));
    }
    case DimensionRule::Padded: {
      const auto& p = std::get<PaddingDimension>(relation.how);
      const Value holes =
          p.interior == 0 ? n.number(0) : n.multiply(notNegative(n.subtract(from, n.number(1))), n.number(p.interior));
      return notNegative(n.add(n.add(from, holes), n.number(p.low + p.high)));
    }
    case DimensionRule::Windowed: {
      const auto& w = std::get<WindowDimension>(relation.how);
      Value base = from;
      if (w.baseDilation != 1)
        base = notNegative(n.add(n.multiply(n.subtract(from, n.number(1)), n.number(w.baseDilation)), n.number(1)));
      const int64_t window = (w.size - 1) * w.windowDilation + 1;
      return notNegative(
          n.divide(n.add(base, n.number(w.paddingLow + w.paddingHigh - window + w.stride)), n.number(w.stride)));
    }
    case DimensionRule::Multiple: return n.multiply(from, n.number(std::get<int64_t>(relation.how)));
    case DimensionRule::Quotient: return n.divide(from, n.number(std::get<int64_t>(relation.how)));
    case DimensionRule::Half: return n.add(n.divide(from, n.number(2)), n.minimum(from, n.number(1)));
    default: return from;
  }
}

// With a size of the run: a part keeps its bound unless it is all of `from`, and a single element that is cut out
// counts.
inline bool staysBound(const DimensionRelation& relation, int64_t fromBound, int64_t toBound) {
  if (relation.rule == DimensionRule::Part) return toBound != fromBound || toBound == 1;
  return relation.rule == DimensionRule::Sliced && toBound == 1;
}

// The same of plain numbers.
struct PlainNumbers {
  int64_t number(int64_t value) const { return value; }
  int64_t add(int64_t a, int64_t b) const { return a + b; }
  int64_t subtract(int64_t a, int64_t b) const { return a - b; }
  int64_t multiply(int64_t a, int64_t b) const { return a * b; }
  int64_t divide(int64_t a, int64_t b) const { return a / b; }
  int64_t minimum(int64_t a, int64_t b) const { return a < b ? a : b; }
  int64_t maximum(int64_t a, int64_t b) const { return a < b ? b : a; }
};
inline int64_t sizeByRule(const DimensionRelation& relation, int64_t from, int64_t whole) {
  PlainNumbers plain;
  return sizeByRule(plain, relation, from, whole);
}

}  // namespace tessera
