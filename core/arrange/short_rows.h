// Rows of a small level with least total wire span, its connected components side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/arrange/level.h"

namespace tessera {

// Rows 0 … of `count` nodes such that every wire (from, to) runs downwards and the sum of rows that wires span is the
// least: network simplex (Gansner, Koutsofios, North, Vo 1993). The graph is acyclic and connected.
std::vector<int32_t> shortestRows(size_t count, std::span<const std::pair<int32_t, int32_t>> wires);

// Sets LevelBox::row, LevelBox::piece and Level::rows. False, and nothing is set: the level is large, or a row would be
// wider than a page.
bool assignShortRows(Level& level);

}  // namespace tessera
