// A change of places is made, judged by all neighbours of those who moved, and taken back where it is no better.
#include "core/tools/diff/twins.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr size_t kMaxMoved = 24;

using Twins = std::vector<std::pair<InstructionId, InstructionId>>;

// Two values, and, where they are equal, what they are computed from in step.
Twins withSources(const LabelledGraph& graph, InstructionId a, InstructionId b) {
  Twins out{{a, b}};
  const auto& values = graph.hashes().down;
  const auto isThere = [&](InstructionId id) {
    return std::ranges::any_of(out, [&](const auto& pair) { return pair.first == id || pair.second == id; });
  };
  for (size_t k = 0; k < out.size() && out.size() < kMaxMoved; ++k) {
    const Instruction &x = graph.at(out[k].first), &y = graph.at(out[k].second);
    if (values[x.id.value] != values[y.id.value]) continue;
    for (size_t i = 0; i < std::min(x.operands.size(), y.operands.size()); ++i) {
      const InstructionId u = x.operands[i], v = y.operands[i];
      const bool both = graph.module().contains(u) && graph.module().contains(v);
      if (!both || u == v || values[u.value] != values[v.value] || isThere(u) || isThere(v)) continue;
      out.emplace_back(u, v);
    }
  }
  return out;
}

int agreement(const Partners& partners, const Twins& twins) {
  int sum = 0;
  for (const auto& [a, b] : twins)
    for (InstructionId id : {a, b})
      if (!partners.isFree(id)) sum += partners.evidence(id, partners.partnerOf(id)).balance();
  return sum;
}

// p should stand for q, whose partner is another.
void settle(Partners& partners, InstructionId p, InstructionId q) {
  const LabelledGraph &left = partners.left, &right = partners.right;
  if (!left.module().contains(p) || !right.module().contains(q)) return;
  if (partners.arePartners(p, q) || partners.isFreeRight(q) || left.label(p) != right.label(q)) return;
  const Twins twins = withSources(left, p, partners.partnerOfRight(q));
  const int before = agreement(partners, twins);
  for (const auto& [a, b] : twins) partners.exchange(a, b);
  if (agreement(partners, twins) > before) return;
  for (const auto& [a, b] : twins) partners.exchange(a, b);
}

}  // namespace

void settleTwins(Partners& partners) {
  for (InstructionId a : partners.one.instructions) {
    if (partners.isFree(a)) continue;
    const Instruction &x = partners.left.at(a), &y = partners.right.at(partners.partnerOf(a));
    const std::vector<uint32_t> positions = partners.aligned(x, y);
    for (size_t i = 0; i < positions.size(); ++i)
      if (positions[i] < y.operands.size()) settle(partners, x.operands[i], y.operands[positions[i]]);
  }
}

}  // namespace tessera
