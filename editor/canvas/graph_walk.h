// GraphWalk: which box an arrow key leads to: down to a user, up to an operand, left and right to neighbours. Used by
// Canvas.
#pragma once

#include <QPointF>
#include <cstdint>

namespace tessera {

class Canvas;

class GraphWalk {
 public:
  explicit GraphWalk(const Canvas& canvas) : canvas_(canvas) {}
  // From a node of the view; from -1 to the one in the middle. -1: there is none.
  int32_t step(int32_t from, int key);

 private:
  int32_t alongWire(int32_t node, bool down) const;
  int32_t beside(int32_t node, bool right) const;
  QPointF flowing(QPointF p) const;  // in the axes of the flow
  int32_t nearestTo(QPointF scene) const;

  const Canvas& canvas_;
  int32_t from_ = -1, to_ = -1;  // the last step, so that the opposite key goes back
};

}  // namespace tessera
