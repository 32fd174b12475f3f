// What a box and a place have in common is a rectangle of cells, and of any rectangle cells - edges between them +
// inner corners = 1. So the grid is doubled: a cell that a box covers counts 1, an edge inside it -1, a corner inside
// it 1. The sum over a place is the number of boxes that it touches.
#include "editor/panels/popups/touch_count.h"

#include <algorithm>

namespace tessera {
namespace {
constexpr int kCell = 4;
int cellsAlong(int pixels) { return 2 * ((std::max(pixels, 1) + kCell - 1) / kCell) - 1; }
}  // namespace

TouchCount::TouchCount(const QRect& room, std::span<const QRect> boxes)
    : room_(room),
      columns_(cellsAlong(room.width())),
      rows_(cellsAlong(room.height())),
      sums_(static_cast<size_t>(columns_ + 1) * static_cast<size_t>(rows_ + 1)) {
  for (const QRect& each : boxes) {
    const Cells cells = cellsOf(each & room_);
    for (int y = cells.top; y < cells.bottom; ++y)
      for (int x = cells.left; x < cells.right; ++x) sums_[before(x + 1, y + 1)] += (x + y) % 2 == 0 ? 1 : -1;
  }
  for (int y = 1; y <= rows_; ++y)
    for (int x = 1; x <= columns_; ++x)
      sums_[before(x, y)] += sums_[before(x - 1, y)] + sums_[before(x, y - 1)] - sums_[before(x - 1, y - 1)];
}

TouchCount::Cells TouchCount::cellsOf(const QRect& rect) const {
  if (rect.isEmpty()) return {0, 0, 0, 0};
  const QRect in = rect.translated(-room_.topLeft());
  return {in.left() / kCell * 2, in.top() / kCell * 2, in.right() / kCell * 2 + 1, in.bottom() / kCell * 2 + 1};
}

int TouchCount::touching(const QRect& place) const {
  const Cells cells = cellsOf(place & room_);
  return sums_[before(cells.right, cells.bottom)] - sums_[before(cells.left, cells.bottom)] -
         sums_[before(cells.right, cells.top)] + sums_[before(cells.left, cells.top)];
}

}  // namespace tessera
