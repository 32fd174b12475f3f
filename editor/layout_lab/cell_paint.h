// How one cell of the layout lab looks; the same in the grid and in memory, so that the eye finds it again.
#pragma once

#include <QPainter>
#include <span>
#include <vector>

#include "editor/layout_lab/lab_colors.h"
#include "editor/layout_lab/lab_state.h"

namespace tessera {

struct CellLook {
  CellKind kind = CellKind::Element;
  QColor fill;
  QString text;
  bool faded = false;  // an element of another slice
};

// A cell of the grid, and a position of memory (which may have no place in the grid).
// The looks of the cells of one painting. `named`: with their texts; cells smaller than kSmallestNamed pixels have
// none.
class CellLooks {
 public:
  static constexpr int kSmallestNamed = 15;
  CellLooks(const LabState& state, const LabColors& colors, bool named);
  CellLook of(std::span<const int64_t> gridIndex);  // a cell of the grid
  CellLook at(int64_t linear);                      // a position of memory, which may have no place in the grid

 private:
  QColor fill(std::span<const int64_t> gridIndex);

  const LabState& state_;
  const LabColors& colors_;
  bool named_;
  QString padding_;
  std::vector<QColor> fills_;  // by row and column within the cycle of colours; made when met
};

void paintCell(QPainter& painter, const QRectF& rect, const CellLook& look, const LabColors& colors);
// The fill of padding alone, for the legend too.
void paintHatch(QPainter& painter, const QRectF& rect, CellKind kind, const LabColors& colors);

}  // namespace tessera
