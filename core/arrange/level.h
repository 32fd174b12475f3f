// One level of an arrangement: the boxes directly inside one open group (or the page), placed in rows so that wires
// run downwards, and a lane through every row that a wire crosses. Near-linear: depth-first rows of limited width,
// barycentre sweeps, and in every row the positions that are nearest to what the neighbours wish.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/arrange/box_style.h"

namespace tessera {

struct LevelBox {
  float left = 0, right = 0;  // extent from the box's centre, things attached to it included
  float height = 0;
  bool spread = false;  // its value has a lane for each reader
  // results
  float x = 0, y = 0;  // centre x, top y
  int32_t row = 0;
  int32_t piece = 0;  // connected component; its boxes are adjacent in every row
};
// Wires with the same `source` carry the same value and share their lanes.
struct LevelWire {
  int32_t from = -1, to = -1;  // indices of boxes; from -1: comes in from above; to -1: leaves below
  int32_t source = -1;
  float port = 0;  // where it ends, from the target's centre
};
struct LevelRow {
  float top = 0, bottom = 0;
  std::vector<int32_t> boxes;  // left to right
};
struct Level {
  std::vector<LevelBox> boxes;
  std::vector<int32_t> nodes;  // the owner's number of each box
  std::vector<LevelWire> wires;
  bool thorough = true;                                   // false: fewer sweeps, for views of very many boxes
  float boxGap = box::kColumnGap, rowGap = box::kRowGap;  // between boxes of a row, between rows
  float aspect = 1.6f, widest = 1400;  // wished width : height; rows are filled up to this width in any case
  // results; the content's top left is (0, 0)
  std::vector<LevelRow> rows;
  // By wire: its x in each row between its ends. Empty for wires that run upwards, cross no row, or, where lanes for
  // all would be too many, are the longest.
  std::vector<std::vector<float>> lanes;
  float left = 0;  // where its owner placed it
  float width = 0, height = 0;

  // The rows that a wire crosses: firstRow … lastRow-1.
  int32_t firstRow(const LevelWire& w) const { return w.from < 0 ? 0 : boxes[static_cast<size_t>(w.from)].row + 1; }
  int32_t lastRow(const LevelWire& w) const {
    return w.to < 0 ? static_cast<int32_t>(rows.size()) : boxes[static_cast<size_t>(w.to)].row;
  }
};

// Of no use when `stop` was requested.
void arrangeLevel(Level& level, const std::stop_token& stop);

}  // namespace tessera
