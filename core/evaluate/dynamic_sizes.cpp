// See dynamic_sizes.h.
#include "core/evaluate/dynamic_sizes.h"

#include <ranges>

namespace tessera {
namespace {

// Fn(row, operand, operand's dimension) for the relations that make one dimension of the result from one of an operand;
// of several for one dimension the first comes last.
template <class Fn>
void forEachSource(const DimensionRelations& relations, size_t leaf, const std::vector<SizedOperand>& operands, Fn fn) {
  for (const DimensionRelation& row : std::views::reverse(relations.rows)) {
    if (row.to.of != DimensionRef::Of::Result || row.to.leaf != leaf || row.from.of != DimensionRef::Of::Operand)
      continue;
    if (row.rule == DimensionRule::Sum || row.rule == DimensionRule::Fixed) continue;
    const SizedOperand& operand = operands[row.from.value];
    if (row.from.leaf == 0 && row.from.dimension < operand.sizes.size()) fn(row, operand, row.from.dimension);
  }
}

}  // namespace

bool anyOutside(const std::vector<SizedOperand>& operands) {
  for (const SizedOperand& each : operands)
    for (size_t d = 0; d < each.sizes.size(); ++d)
      if (each.isOutside(d)) return true;
  return false;
}

std::vector<int64_t> sizesAsGiven(const DimensionRelations& relations, size_t leaf,
                                  const std::vector<SizedOperand>& operands, std::vector<int64_t> counted) {
  forEachSource(relations, leaf, operands, [&](const DimensionRelation& row, const SizedOperand& operand, size_t d) {
    const bool follows = row.rule != DimensionRule::Part && row.rule != DimensionRule::Sliced;
    if (follows && operand.isOutside(d))
      counted[row.to.dimension] = sizeByRule(row, operand.sizes[d], operand.bounds[d]);
  });
  return counted;
}

std::vector<int64_t> sizesByRelations(const DimensionRelations& relations, const std::vector<SizedOperand>& operands,
                                      std::vector<int64_t> bounds) {
  std::vector<int64_t> out = bounds;
  forEachSource(relations, 0, operands, [&](const DimensionRelation& row, const SizedOperand& operand, size_t d) {
    const int64_t bound = bounds[row.to.dimension];
    if (operand.dynamic[d] && !staysBound(row, operand.bounds[d], bound))
      out[row.to.dimension] = sizeByRule(row, operand.sizes[d], operand.bounds[d]);
  });
  for (const ReshapeGroup& group : relations.groups) {
    int64_t count = 1;
    bool dynamic = false;
    for (size_t d : group.from) count *= operands[0].sizes[d], dynamic = dynamic || operands[0].dynamic[d];
    if (dynamic && group.open) out[*group.open] = count / std::max<int64_t>(group.others, 1);
  }
  return out;
}

}  // namespace tessera
