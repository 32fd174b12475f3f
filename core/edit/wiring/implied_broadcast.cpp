// A depth-first walk over the dimensions of the larger shape.
#include "core/edit/wiring/implied_broadcast.h"

namespace tessera {
namespace {

void place(const Shape& from, const Shape& to, std::vector<int64_t>& chosen, size_t next, size_t most,
           std::vector<std::vector<int64_t>>& out) {
  if (out.size() >= most) return;
  if (chosen.size() == from.dimensions.size()) {
    out.push_back(chosen);
    return;
  }
  const int64_t wanted = from.dimensions[chosen.size()];
  for (size_t d = next; d + (from.dimensions.size() - chosen.size()) <= to.dimensions.size(); ++d) {
    if (to.dimensions[d] != wanted) continue;
    chosen.push_back(static_cast<int64_t>(d));
    place(from, to, chosen, d + 1, most, out);
    chosen.pop_back();
  }
}

}  // namespace

std::vector<std::vector<int64_t>> broadcastPlacements(const Shape& from, const Shape& to, size_t most) {
  std::vector<std::vector<int64_t>> out;
  if (!from.isArray() || !to.isArray() || from.type != to.type || from.dimensions.size() >= to.dimensions.size())
    return out;
  std::vector<int64_t> chosen;
  place(from, to, chosen, 0, most, out);
  return out;
}

}  // namespace tessera
