// PageItems: the frames and notes drawn round the graph: hit tests and selection. What is being dragged is MoveTool's
// and ResizeTool's. Used by Canvas, its tools and ArrangeController.
#pragma once

#include <QPointF>
#include <QRectF>
#include <cstdint>
#include <vector>

class QPainter;

namespace tessera {

class Canvas;
struct CanvasTools;

class PageItems {
 public:
  explicit PageItems(Canvas& canvas) : canvas_(canvas) {}
  void pictureChanged();

  int at(QPointF widget) const;  // -1: none
  QRectF boxOf(int item) const;  // scene; empty: there is none
  const std::vector<int>& selected() const { return selected_; }
  void select(std::vector<int> items);
  void click(int item, Qt::KeyboardModifiers modifiers);
  // Selected ones with the corner that resizes them, where the tools have them.
  void paint(QPainter& painter, const CanvasTools& tools) const;

 private:
  Canvas& canvas_;
  std::vector<uint32_t> items_;  // of the picture
  std::vector<int> selected_;
};

}  // namespace tessera
