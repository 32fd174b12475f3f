// See reshape_sizes.h.
#include "core/ops/shared/reshape_sizes.h"

#include <algorithm>

namespace tessera {
namespace {

void choose(ReshapeGroup& group, const Shape& result, int64_t inferred) {
  for (size_t d : group.to)
    if (!group.open && result.isDynamicDimension(static_cast<int64_t>(d))) group.open = d;
  for (size_t d : group.to)
    if (!group.open && static_cast<int64_t>(d) == inferred) group.open = d;
  for (size_t d : group.to)
    if (!group.open && result.dimensions[d] > 1) group.open = d;
  if (!group.open && !group.to.empty()) group.open = group.to.front();
  for (size_t d : group.to)
    if (d != group.open) group.others *= result.dimensions[d];
}

}  // namespace

std::vector<ReshapeGroup> reshapeGroups(const Shape& operand, const Shape& result, int64_t inferred) {
  std::vector<ReshapeGroup> out;
  const auto &from = operand.dimensions, &to = result.dimensions;
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    ReshapeGroup group;
    int64_t left = 1, right = 1;
    const auto takeLeft = [&] { left *= from[i], group.from.push_back(i++); };
    const auto takeRight = [&] { right *= to[j], group.to.push_back(j++); };
    if (i < from.size()) takeLeft();
    if (j < to.size()) takeRight();
    while (left != right) {
      if (left < right && i < from.size())
        takeLeft();
      else if (right < left && j < to.size())
        takeRight();
      else
        break;
    }
    if (left != right) {  // sizes of 0: all that is left belongs together
      while (i < from.size()) takeLeft();
      while (j < to.size()) takeRight();
    }
    if (group.to.empty() && !out.empty())
      out.back().from.insert(out.back().from.end(), group.from.begin(), group.from.end());
    else
      out.push_back(std::move(group));
  }
  for (ReshapeGroup& group : out) choose(group, result, inferred);
  return out;
}

}  // namespace tessera
