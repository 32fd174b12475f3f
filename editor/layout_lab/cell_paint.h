// How one cell of the layout lab looks; the same in the grid and in memory, so that the eye finds it again.
#pragma once

#include <QPainter>

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
CellLook lookOf(const LabState& state, std::span<const int64_t> gridIndex, const LabColors& colors);
CellLook lookOf(const LabState& state, int64_t linear, const LabColors& colors);
void paintCell(QPainter& painter, const QRectF& rect, const CellLook& look, const LabColors& colors);
// The fill of padding alone, for the legend too.
void paintHatch(QPainter& painter, const QRectF& rect, CellKind kind, const LabColors& colors);

}  // namespace tessera
