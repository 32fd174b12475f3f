// Distances are those of frames, in the axes of the flow: a step across counts twice along a wire, a step down three
// times between neighbours.
#include "editor/canvas/graph_walk.h"

#include <cmath>

#include "core/arrange/flow.h"
#include "editor/canvas/canvas.h"
#include "editor/canvas/paths.h"
#include "editor/canvas/spatial_index.h"

namespace tessera {
namespace {

constexpr float kNeighbourReach = 4000;  // scene units

bool isStop(const ViewNode& node) {
  return node.kind != ViewNode::Kind::OpenGroup && node.kind != ViewNode::Kind::Attached;
}

}  // namespace

QPointF GraphWalk::flowing(QPointF p) const { return canvas_.view()->flow == Flow::Right ? p.transposed() : p; }

int32_t GraphWalk::step(int32_t from, int key) {
  int32_t to = -1;
  const bool right = canvas_.view()->flow == Flow::Right;
  const int back = right ? Qt::Key_Left : Qt::Key_Up, on = right ? Qt::Key_Right : Qt::Key_Down;
  if (from < 0)
    to = nearestTo(canvas_.viewport().visible().center());
  else if (key == back || key == on)
    to = alongWire(from, key == on);
  else
    to = beside(from, key == (right ? Qt::Key_Down : Qt::Key_Right));
  if (to >= 0) from_ = from, to_ = to;
  return to;
}

// The box at the other end of a wire that is nearest across; the box just come from when its wire leads back. A field
// of the node itself, where no wire comes.
int32_t GraphWalk::alongWire(int32_t node, bool down) const {
  int32_t best = -1;
  double nearest = INFINITY;
  const QPointF here = flowing(canvas_.frameOf(node).center());
  for (const ViewEdge& edge : canvas_.view()->edges) {
    if ((down ? edge.from : edge.to) != node) continue;
    const int32_t other = down ? edge.to : edge.from;
    if (node == to_ && other == from_) return other;
    const QRectF frame = canvas_.frameOf(other);
    if (frame.isEmpty()) continue;
    constexpr double kField = 1e6;  // farther than any wire
    const QPointF there = flowing(frame.center());
    const double distance = std::hypot(2 * (there.x() - here.x()), there.y() - here.y()) +
                            (canvas_.view()->nodes[static_cast<size_t>(other)].owner == node ? kField : 0);
    if (distance < nearest) nearest = distance, best = other;
  }
  return best;
}

int32_t GraphWalk::beside(int32_t node, bool right) const {
  const RectF own = along(canvas_.view()->flow, toRectF(canvas_.frameOf(node)));
  const QPointF here(own.x + own.width / 2, own.y + own.height / 2);
  const RectF around =
      along(canvas_.view()->flow, RectF{static_cast<float>(right ? here.x() : here.x() - kNeighbourReach),
                                        own.y - own.height, kNeighbourReach, 3 * own.height});
  int32_t best = -1;
  double nearest = INFINITY;
  for (uint32_t i : canvas_.index()->itemsIn(*canvas_.picture(), around, kNeighbourReach)) {
    const PictureItem& item = canvas_.picture()->items[i];
    const int32_t other = item.viewNode;
    if (other < 0 || other == node || item.part != PictureItem::Part::Frame) continue;
    if (!isStop(canvas_.view()->nodes[static_cast<size_t>(other)])) continue;
    const QPointF there = flowing(canvas_.frameOf(other).center());
    const double across = right ? there.x() - here.x() : here.x() - there.x();
    const double distance = across + 3 * std::abs(there.y() - here.y());
    if (across > 1 && distance < nearest) nearest = distance, best = other;
  }
  return best;
}

int32_t GraphWalk::nearestTo(QPointF scene) const {
  int32_t best = -1;
  double nearest = INFINITY;
  const auto& nodes = canvas_.view()->nodes;
  for (size_t v = 0; v < nodes.size(); ++v) {
    if (!isStop(nodes[v])) continue;
    const QPointF off = canvas_.frameOf(static_cast<int32_t>(v)).center() - scene;
    const double distance = std::hypot(off.x(), off.y());
    if (distance < nearest) nearest = distance, best = static_cast<int32_t>(v);
  }
  return best;
}

}  // namespace tessera
