// Rows of spots: what arrangeLevel orders and places. A spot is a box or a lane, the place where a wire crosses a row.
// assignRows makes the rows, layersOf the lanes, orderRows finds an order with few crossings, placeRows the positions.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/arrange/box_style.h"
#include "core/arrange/level.h"

namespace tessera {

// From an upper spot to a lower one, where it ends at its port.
struct Segment {
  int32_t upper = 0, lower = 0;
  float port = 0;  // from the lower one's centre
  auto operator<=>(const Segment&) const = default;
};
// Neighbours of every spot in one array (compressed rows).
struct Neighbours {
  std::vector<uint32_t> begin;
  std::vector<int32_t> items;
  std::vector<float> ports;  // by item, of segments
  std::span<const int32_t> of(int32_t v) const {
    const auto i = static_cast<size_t>(v);
    return {items.data() + begin[i], begin[i + 1] - begin[i]};
  }
  std::span<const float> portsOf(int32_t v) const {
    const auto i = static_cast<size_t>(v);
    return {ports.data() + begin[i], begin[i + 1] - begin[i]};
  }
};
// pairs: (from, to); of(v): the froms of v, or the tos.
Neighbours neighboursOf(size_t count, std::span<const std::pair<int32_t, int32_t>> pairs, bool froms);
Neighbours neighboursOf(size_t count, std::span<const Segment> segments, bool uppers);

struct Spot {
  float left = 0, right = 0;
  float x = 0;
  int32_t row = 0;
  bool lane = false;
  bool main = false;  // on the longest path of its connected component
  int32_t piece = 0;  // connected component; in every row its spots are adjacent, in the order of components
};
struct Layers {
  std::vector<Spot> spots;                 // the level's boxes first
  std::vector<std::vector<int32_t>> rows;  // left to right
  std::vector<Segment> segments;
  Neighbours above, below;                    // by segments
  std::vector<std::vector<int32_t>> lanesOf;  // by wire: its spots from the top
  bool thorough = true;
  float boxGap = box::kColumnGap, rowGap = box::kRowGap;
  std::stop_token stop;  // asked once a sweep by orderRows and placeRows, which then leave what nobody may use

  Spot& spot(int32_t v) { return spots[static_cast<size_t>(v)]; }
  const Spot& spot(int32_t v) const { return spots[static_cast<size_t>(v)]; }
  // Distance between the centres of two neighbours in a row.
  float apart(int32_t a, int32_t b) const {
    const Spot &l = spot(a), &r = spot(b);
    const float gap = l.lane && r.lane ? box::kLaneGap : l.lane || r.lane ? box::kLaneToBox : boxGap;
    return l.right + gap + r.left;
  }
};

// Sets LevelBox::row and Level::rows.
void assignRows(Level& level);
// Boxes that read nothing and have many readers to the row above theirs, or to a new one on top, so that their wires
// can run between the boxes that were beside them. False: there is none.
bool raiseHubs(Level& level);
Layers layersOf(const Level& level);
void markMainPaths(const Level& level, Layers& layers);
size_t orderRows(Layers& layers);  // how many crossings are left
// Main paths and chains of single wires run straight; where that makes the wires of a small level clearly longer,
// chains alone, or neither.
void placeRows(Layers& layers);
// Rows packed and centred above each other.
void centreRows(Layers& layers);
// Positions nearest (weighted least squares) to the wishes (by spot) in the row's order without overlap.
void settleRow(Layers& layers, std::span<const int32_t> row, const std::vector<float>& wishes);
// Where a spot's neighbours wish it: their weighted mean, near rows weighing more; false: it has none.
bool wishOf(const Layers& layers, int32_t v, bool above, bool below, float& wish);

}  // namespace tessera
