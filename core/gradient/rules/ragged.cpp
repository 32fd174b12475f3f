// The gradient of ragged-dot: two ragged products again. With the rows of lhs in groups, lhs gets rows in the same
// groups and rhs a sum over each group; with the sum in groups, both get rows.
#include <algorithm>

#include "core/gradient/rules.h"
#include "core/hlo/index_math.h"

namespace tessera::gradient {
namespace {

struct RaggedSide {
  Value array;
  int64_t contracting;
};

// `grouped` is the dimension of rhs that counts groups; -1: the groups cut the sum, and the result has them first.
Value raggedDot(Rule& r, RaggedSide lhs, RaggedSide rhs, int64_t ragged, int64_t grouped) {
  AttributeSet attributes;
  attributes.set(Attr::lhs_contracting_dims, Ints{lhs.contracting});
  attributes.set(Attr::rhs_contracting_dims, Ints{rhs.contracting});
  attributes.set(Attr::lhs_ragged_dims, Ints{ragged});
  if (grouped >= 0) attributes.set(Attr::rhs_group_dims, Ints{grouped});
  if (const AttributeValue* precision = r.attributes().find(Attr::operand_precision))
    attributes.set(Attr::operand_precision, *precision);
  return r.emit.make(Opcode::RaggedDot, {lhs.array, rhs.array, r.operand(2)}, std::move(attributes));
}

// Dimension k of what came out is dimension places[k] of the operand.
Value placed(Value a, const Ints& places) {
  Ints permutation(places.size());
  for (size_t k = 0; k < places.size(); ++k) permutation[static_cast<size_t>(places[k])] = static_cast<int64_t>(k);
  return transpose(a, permutation);
}

// lhs [rows, sum] in any order, rhs [groups, sum, columns], result [rows, columns].
void rowsInGroups(Rule& r, int64_t rows, int64_t sum, int64_t rhsSum, int64_t group) {
  const Ints used{rhsSum, group};
  const int64_t columns = otherDims(3, used)[0];
  if (r.wants(0)) r.give(0, placed(raggedDot(r, {r.d(), 1}, {r.operand(1), columns}, 0, group), {rows, sum}));
  if (r.wants(1)) r.give(1, placed(raggedDot(r, {r.operand(0), rows}, {r.d(), 0}, rows, -1), {group, rhsSum, columns}));
}

// lhs [rows, sum], rhs [sum, columns] in any order, result [groups, rows, columns].
void sumInGroups(Rule& r, int64_t rows, int64_t sum, int64_t rhsSum) {
  const int64_t columns = 1 - rhsSum;
  if (r.wants(0)) r.give(0, placed(raggedDot(r, {r.operand(1), columns}, {r.d(), 2}, rhsSum, 0), {sum, rows}));
  if (r.wants(1)) r.give(1, placed(raggedDot(r, {r.operand(0), rows}, {r.d(), 1}, sum, 0), {rhsSum, columns}));
}

}  // namespace

Status raggedDotRule(Rule& r) {
  const AttributeSet& a = r.attributes();
  const Ints &sums = a.ints(Attr::lhs_contracting_dims), &rhsSums = a.ints(Attr::rhs_contracting_dims),
             &ragged = a.ints(Attr::lhs_ragged_dims), &groups = a.ints(Attr::rhs_group_dims);
  const bool plain = a.ints(Attr::lhs_batch_dims).empty() && sums.size() == 1 && rhsSums.size() == 1 &&
                     ragged.size() == 1 && r.operandShape(0).rank() == 2;
  if (!plain || r.operandShape(1).rank() != (groups.empty() ? 2 : 3))
    return r.refuse("ragged-dot has a gradient here for matrices: no batch dimensions, and one that is summed");
  const int64_t rows = 1 - sums[0];
  if (groups.empty())
    sumInGroups(r, rows, sums[0], rhsSums[0]);
  else
    rowsInGroups(r, rows, sums[0], rhsSums[0], groups[0]);
  return {};
}

}  // namespace tessera::gradient
