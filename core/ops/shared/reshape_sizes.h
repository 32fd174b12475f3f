// Which dimensions of a reshape belong together, and where a size of the run goes: the least runs of operand and result
// dimensions with equal products. Shared by the evaluator and the padding pass, which make numbers and code of it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/hlo/shape.h"

namespace tessera {

struct ReshapeGroup {
  std::vector<size_t> from, to;  // dimensions of operand and result
  std::optional<size_t> open;  // the result dimension that takes what the run decides: the one written as dynamic, else
                               // `inferred`, else the most major one that is not 1
  int64_t others = 1;          // product of the group's other result dimensions
};

std::vector<ReshapeGroup> reshapeGroups(const Shape& operand, const Shape& result, int64_t inferred);

}  // namespace tessera
