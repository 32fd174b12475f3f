// Treemap: where the cost of a run is, a box a scope, as large as its share. A click asks for the scope's costliest
// instruction, a double click shows the scope alone, Backspace goes back out. Used by the overview panel.
#pragma once

#include <QWidget>
#include <vector>

#include "core/overview/overview.h"

namespace tessera {

class Treemap : public QWidget {
  Q_OBJECT

 public:
  explicit Treemap(QWidget* parent);

  // root is kept until the next one is given; null: nothing is shown. measured: weights are nanoseconds.
  void setScopes(const CostScope* root, bool measured);

  struct Cell {
    QRectF rect;
    const CostScope* scope = nullptr;
    double weight = 0;    // of the box: the scope's, or what it costs beside its parts
    int32_t parent = -1;  // cell that it lies in; -1: the whole
    bool leaf = false;    // filled; else a frame with a title
    QString title;        // "jvp() › layer_0" where each holds nothing but the next
    QString path;         // from the root
  };
  const std::vector<Cell>& cells() const { return cells_; }
  int cellAt(QPointF at) const;  // the innermost; -1: none
  QString zoomedPath() const;    // "" while all is shown
  void zoomOut();

  QSize sizeHint() const override;

 signals:
  void chosen(tessera::InstructionId costliest);
  void zoomed();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void layOut();
  void place(const CostScope& scope, const QString& path, int32_t parent, QRectF rect);
  void placeChildren(const CostScope& scope, const QString& path, int32_t parent, QRectF rect);
  void paintCell(QPainter& painter, const Cell& cell) const;
  QString shareText(double weight) const;
  QString tipOf(const Cell& cell) const;
  void zoomInto(int cell);
  void setCurrent(int cell);
  void step(int key);
  const CostScope* shownRoot() const { return zoom_.empty() ? root_ : zoom_.back(); }

  const CostScope* root_ = nullptr;
  bool measured_ = false;
  std::vector<const CostScope*> zoom_;  // scopes that were gone into
  QStringList zoomPaths_;
  std::vector<Cell> cells_;  // what lies inside comes later
  int current_ = -1;
};

}  // namespace tessera
