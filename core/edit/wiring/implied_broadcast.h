// The broadcasts that the builder's rules imply between elementwise operands of unlike shapes.
#pragma once

#include <vector>

#include "core/hlo/shape.h"

namespace tessera {

// Every way to lay the dimensions of `from` in order along equal ones of `to`, at most `most` of them; empty: none.
// Equal shapes need no broadcast and give none.
std::vector<std::vector<int64_t>> broadcastPlacements(const Shape& from, const Shape& to, size_t most = 8);

}  // namespace tessera
