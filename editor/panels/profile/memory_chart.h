// MemoryChart: bytes live over the schedule, and below them the life of each buffer as a bar at its address, so that
// reuse and holes are seen. A click chooses a moment, on a bar its buffer, too; the wheel zooms. Used by MemoryPanel.
#pragma once

#include <QPixmap>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "core/memory/memory_report.h"

namespace tessera {

class MemoryChart : public QWidget {
  Q_OBJECT

 public:
  explicit MemoryChart(QWidget* parent = nullptr);
  void setReport(std::shared_ptr<const MemoryReport> report);  // null: none
  void setMoment(std::optional<size_t> moment);
  std::optional<size_t> moment() const { return moment_; }
  void setMarked(std::vector<size_t> buffers);  // of the selection

  QRectF curve() const;  // where the bytes are drawn; the bars stand below
  double xOf(size_t moment) const;
  size_t momentAt(double x) const;
  QRectF barOf(size_t buffer) const;
  std::optional<size_t> bufferAt(QPointF at) const;
  QSize minimumSizeHint() const override { return {200, 120}; }

 signals:
  void momentChosen(size_t moment);
  void bufferChosen(size_t buffer);
  void cleared();  // Escape

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QRectF bars() const;
  void placeAllocations();
  void redraw();
  void paintCurve(QPainter& painter) const;
  void paintBars(QPainter& painter) const;
  void paintMoment(QPainter& painter, size_t moment, const QColor& color, const QString& words) const;
  QString tipAt(QPointF at) const;

  std::shared_ptr<const MemoryReport> report_;
  std::vector<double> base_;      // address of each allocation, stacked
  double bytes_ = 1;              // of all of them
  double first_ = 0, shown_ = 1;  // moments: the first that is seen, and how many
  std::optional<size_t> moment_;
  std::vector<size_t> marked_;
  QPixmap still_;  // what does not change with moment and selection
};

}  // namespace tessera
