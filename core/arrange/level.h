// One level of an arrangement: the boxes directly inside one open group (or the page), placed in rows so that wires
// run downwards. Near-linear: depth-first rows of limited width, barycentre sweeps, and in every row the positions
// that are nearest to what the neighbours wish (isotonic regression). No dummy nodes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tessera {

struct LevelBox {
  float left = 0, right = 0;  // extent from the box's centre, things attached to it included
  float height = 0;
  // results
  float x = 0, y = 0;         // centre x, top y
  int32_t row = 0;
};
struct LevelRow {
  float top = 0, bottom = 0;
  std::vector<int32_t> boxes;  // left to right
};
struct Level {
  std::vector<LevelBox> boxes;
  std::vector<std::pair<int32_t, int32_t>> wires;  // from, to: indices of boxes
  // results; the content's top left is (0, 0)
  std::vector<LevelRow> rows;
  float width = 0, height = 0;
};

void arrangeLevel(Level& level);

}  // namespace tessera
