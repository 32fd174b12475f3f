// MemoryPane: linear memory as wrapped rows of positions, with tile boundaries, padding and byte offsets. When only the
// layout changes, the elements of a small array travel from their old places to the new ones.
#pragma once

#include <QVariantAnimation>

#include "editor/layout_lab/cell_pane.h"

namespace tessera {

class MemoryPane : public CellPane {
  Q_OBJECT

 public:
  MemoryPane(LabState* state, QWidget* parent);
  int fittingCell(QSize size) const override;
  int wantedHeight(int width, int cell) const override;
  QRectF tileRectOf(int64_t linear) const override;
  int64_t positionsPerRow() const { return perRow_; }
  void finishAnimation();

 protected:
  void arrange() override;
  void paintContent(QPainter& painter) override;
  std::optional<CellAt> cellOf(int64_t linear) const override;
  std::optional<int64_t> linearAt(CellAt cell) const override;
  void step(int64_t rows, int64_t columns) override;
  bool animating() const override { return morph_.state() == QAbstractAnimation::Running; }

 private:
  QMargins headers() const;
  int64_t perRowIn(int width, int cell) const;
  int64_t rowsOf(int64_t perRow) const;
  void startMorph();
  QString title() const;
  int paintLegend(QPainter& painter) const;  // its width
  void paintRowHeaders(QPainter& painter) const;
  void paintColumnHeaders(QPainter& painter) const;
  void paintCells(QPainter& painter) const;
  void paintNumbers(QPainter& painter) const;
  void paintTiles(QPainter& painter, int level) const;
  QRectF morphed(int64_t linear, const QRectF& to) const;

  int64_t perRow_ = 1;
  std::optional<LayoutModel> last_;
  std::vector<int64_t> from_;  // old position of each new one; -1: it held no element
  QVariantAnimation morph_;
};

}  // namespace tessera
