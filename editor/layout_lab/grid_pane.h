// GridPane: the logical grid of an array, one slice of it above rank 2, with its padding and its tiles.
#pragma once

#include "editor/layout_lab/cell_pane.h"

namespace tessera {

class GridPane : public CellPane {
  Q_OBJECT

 public:
  GridPane(LabState* state, QWidget* parent);
  int fittingCell(QSize size) const override;
  int wantedHeight(int width, int cell) const override;
  QRectF tileRectOf(int64_t linear) const override;

 protected:
  void arrange() override;
  void paintContent(QPainter& painter) override;
  std::optional<CellAt> cellOf(int64_t linear) const override;
  std::optional<int64_t> linearAt(CellAt cell) const override;
  void stepPage(int direction) override;

 private:
  QMargins headers() const;
  QString title() const;
  void paintAxes(QPainter& painter) const;
  void paintIndices(QPainter& painter) const;
  void paintCells(QPainter& painter) const;
  void paintWalk(QPainter& painter) const;
  void paintTiles(QPainter& painter, int level) const;
  void paintArrayEdge(QPainter& painter) const;
};

}  // namespace tessera
