// TouchCount: how many of some boxes a place touches, asked of thousands of places: each answer takes four look-ups,
// whatever the number of boxes. Boxes are rounded outwards to cells of four pixels. Used by PopupFrame.
#pragma once

#include <QRect>
#include <cstddef>
#include <span>
#include <vector>

namespace tessera {

class TouchCount {
 public:
  TouchCount(const QRect& room, std::span<const QRect> boxes);
  int touching(const QRect& place) const;  // of the boxes, inside the room

 private:
  struct Cells {  // in the doubled grid, the end excluded
    int left, top, right, bottom;
  };
  Cells cellsOf(const QRect& rect) const;
  // The place in `sums_` of what is above and left of a cell.
  size_t before(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(columns_ + 1) + static_cast<size_t>(x);
  }

  QRect room_;
  int columns_, rows_;
  std::vector<int> sums_;
};

}  // namespace tessera
