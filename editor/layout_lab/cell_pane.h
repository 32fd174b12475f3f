// CellPane: a pane of equal cells, of which only the visible ones are ever looked at: scrolling in 64-bit cell numbers,
// zoom, hover, keys, and a cached image. GridPane and MemoryPane say what stands in a cell.
#pragma once

#include <QPixmap>
#include <QScrollBar>
#include <QWidget>
#include <optional>

#include "editor/layout_lab/lab_colors.h"
#include "editor/layout_lab/lab_state.h"

namespace tessera {

// One axis of scrolling in whole cells. A QScrollBar counts in int: beyond a million steps it is a proportion.
class CellAxis {
 public:
  void configure(int64_t count, int pitch, int viewport);
  int64_t count() const { return count_; }
  int64_t first() const { return first_; }
  int64_t visible() const { return visible_; }  // whole cells that fit, at least 1
  int64_t end() const;                          // behind the last cell that is (partly) visible
  bool scrolls() const { return count_ > visible_; }
  void setFirst(int64_t first);
  void reveal(int64_t cell);
  int pitch() const { return pitch_; }
  int barMaximum() const;
  int barValue() const;
  void setBarValue(int value);

 private:
  int64_t maximum() const;
  int64_t count_ = 0, first_ = 0, visible_ = 1;
  int pitch_ = 1;
};

// Calls f with every multiple of step in [begin, end); safe up to the largest int64.
template <class F>
void forMultiples(int64_t begin, int64_t end, int64_t step, F&& f) {
  if (begin >= end) return;
  for (int64_t q = begin / step + (begin % step != 0 ? 1 : 0); q <= (end - 1) / step; ++q) f(q * step);
}

class CellPane : public QWidget {
  Q_OBJECT

 public:
  static constexpr int kLargestCell = 56, kSmallestCell = 5, kUsualCell = 22;

  CellPane(LabState* state, QWidget* parent);

  // Largest cell size at which everything fits into a pane of this size; 0: nothing does.
  virtual int fittingCell(QSize size) const = 0;
  // Height that the content takes at a cell size and width.
  virtual int wantedHeight(int width, int cell) const = 0;
  // Largest cell that arrange() may choose, so that both panes show cells of one size.
  void setCellLimit(int cell);

  int cell() const { return cell_; }
  QRect area() const { return area_; }  // where the cells are, in widget pixels
  // The cell of a position, in widget pixels, also when it is scrolled away; nullopt: it has none here.
  std::optional<QRectF> rectOf(int64_t linear) const;
  void reveal(int64_t linear);
  bool shows(int64_t linear) const;
  // Rectangle of the whole tile that holds the position, where it can be drawn as one.
  virtual QRectF tileRectOf(int64_t linear) const = 0;
  void rearrange();  // after a change of model, slice, size or palette

  // --- the visible cells by number, row by row
  int cellCount() const;
  std::optional<int> cellAt(QPointF at) const;  // in widget pixels
  std::optional<int> chosenCell() const;        // none: none is chosen, or it is out of sight
  void chooseCell(int number);
  QRectF rectOfCell(int number) const;
  QString nameOfCell(int number) const;   // "element 1, 2", "padding"
  QString placeOfCell(int number) const;  // in memory

 signals:
  void scrolled();

 protected:
  struct CellAt {
    int64_t row = 0, column = 0;
  };
  virtual void arrange() = 0;  // sets cell_, area_ and the axes
  virtual void paintContent(QPainter& painter) = 0;
  virtual std::optional<CellAt> cellOf(int64_t linear) const = 0;
  virtual std::optional<int64_t> linearAt(CellAt cell) const = 0;
  virtual void step(int64_t rows, int64_t columns);  // a key moves the chosen cell
  virtual void stepPage(int direction);
  virtual bool animating() const { return false; }

  CellAt cellNumbered(int number) const;
  int numberOf(CellAt cell) const;
  QRectF rectAt(int64_t row, int64_t column) const;
  std::optional<CellAt> hit(QPointF at) const;
  int sizeLimit() const { return zoomCell_ > 0 ? zoomCell_ : limit_; }
  bool zoomed() const { return zoomCell_ > 0; }
  void place(QRect available, int64_t rows, int64_t columns, int below);
  void paintTitle(QPainter& painter, const QString& title, const QString& detail, int reserved = 0) const;
  LabColors colors() const { return LabColors::of(palette()); }

  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;

  LabState* state_;
  CellAxis rows_, columns_;
  int cell_ = kUsualCell;
  int below_ = 0;  // pixels under each row for its position numbers
  QRect area_;

 private:
  void refresh();  // repaint with the cache dropped
  void syncBars();
  void zoomTo(int cell);
  void showPointed(QPointF at);

  QScrollBar* vertical_;
  QScrollBar* horizontal_;
  QPixmap cache_;
  int limit_ = kLargestCell;
  int zoomCell_ = 0;  // chosen by the person; 0: what fits
};

}  // namespace tessera
