// See operand_alignment.h.
#include "core/tools/diff/operand_alignment.h"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

using Positions = std::vector<uint32_t>;

constexpr size_t kMaxSkipped = 64;  // operands that came or went at one place

Positions eitherWay(const Instruction& a, const Instruction& b, const Likeness& likeness) {
  const int straight = likeness(a.operands[0], b.operands[0]) + likeness(a.operands[1], b.operands[1]);
  const int crossed = likeness(a.operands[0], b.operands[1]) + likeness(a.operands[1], b.operands[0]);
  return crossed > straight ? Positions{1, 0} : Positions{0, 1};
}

// Operands came or went: what is alike at both ends, then in order between them.
Positions inOrder(const Instruction& a, const Instruction& b, const Likeness& likeness) {
  const auto alike = [&](size_t i, size_t j) { return likeness(a.operands[i], b.operands[j]) > 0; };
  const size_t n = a.operands.size(), m = b.operands.size();
  Positions out(n, kUnmatched);
  size_t first = 0, tail = 0;
  for (; first < std::min(n, m) && alike(first, first); ++first) out[first] = static_cast<uint32_t>(first);
  for (; first + tail < std::min(n, m) && alike(n - 1 - tail, m - 1 - tail); ++tail)
    out[n - 1 - tail] = static_cast<uint32_t>(m - 1 - tail);
  size_t from = first;
  for (size_t i = first; i < n - tail; ++i)
    for (size_t j = from; j < std::min(m - tail, from + kMaxSkipped); ++j)
      if (alike(i, j)) {
        out[i] = static_cast<uint32_t>(j);
        from = j + 1;
        break;
      }
  return out;
}

// Of operands whose parameters are partners.
Positions throughParameters(const LabelledGraph& left, const LabelledGraph& right, const ComputationMatch& callees,
                            size_t n, size_t m) {
  const auto& ones = left.module().at(callees.left).parameters;
  const auto& others = right.module().at(callees.right);
  Positions out(n, kUnmatched);
  for (size_t i = 0; i < std::min(n, ones.size()); ++i) {
    const uint32_t place = callees.toRight[left.placeOf(ones[i])];
    if (place == kUnmatched) continue;
    const int32_t number = right.at(others.instructions[place]).parameterNumber;
    if (number >= 0 && static_cast<size_t>(number) < m) out[i] = static_cast<uint32_t>(number);
  }
  return out;
}

// Of operands that the called computations use alike; what is left, by position.
Positions byUse(const LabelledGraph& left, const Instruction& a, const LabelledGraph& right, const Instruction& b) {
  const size_t n = a.operands.size(), m = b.operands.size();
  Positions out(n, kUnmatched);
  std::vector<bool> taken(m);
  const auto take = [&](size_t i, size_t j) { out[i] = static_cast<uint32_t>(j), taken[j] = true; };
  const auto sameKind = [&](size_t i, size_t j) { return left.edgeKind(a, i) == right.edgeKind(b, j); };
  for (size_t i = 0; i < n; ++i) {
    if (i < m && !taken[i] && sameKind(i, i)) {
      take(i, i);
      continue;
    }
    for (size_t j = 0; j < m; ++j)
      if (!taken[j] && sameKind(i, j) && !(j < n && sameKind(j, j))) {
        take(i, j);
        break;
      }
  }
  for (size_t i = 0; i < std::min(n, m); ++i)
    if (out[i] == kUnmatched && !taken[i]) take(i, i);
  return out;
}

}  // namespace

Positions alignedOperands(const LabelledGraph& left, const Instruction& a, const LabelledGraph& right,
                          const Instruction& b, const Likeness& likeness, const ComputationMatch* callees) {
  if (ignoresOperandOrder(a) && ignoresOperandOrder(b)) return eitherWay(a, b, likeness);
  if (bindsParameters(left.module(), a) && bindsParameters(right.module(), b))
    return callees ? throughParameters(left, right, *callees, a.operands.size(), b.operands.size())
                   : byUse(left, a, right, b);
  if (a.operands.size() != b.operands.size()) return inOrder(a, b, likeness);
  Positions out(a.operands.size());
  std::iota(out.begin(), out.end(), 0u);
  return out;
}

}  // namespace tessera
