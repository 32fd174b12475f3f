// Keys: fit (A or Home, F), zoom (+ and -), arrows walk from box to box along the wires (down to a user, up to an
// operand, left and right to neighbours), Shift + arrow keeps what is selected, Ctrl + arrow pans, Enter opens a group.
#include <QKeyEvent>
#include <algorithm>
#include <cmath>

#include "editor/canvas/canvas.h"
#include "editor/canvas/render.h"
#include "editor/canvas/spatial_index.h"
#include "editor/canvas/tools/canvas_tools.h"

namespace tessera {
namespace {

constexpr double kZoomStep = 1.2;
constexpr double kKeyPan = 80;        // pixels
constexpr double kRevealMargin = 30;  // pixels
constexpr int kGlideMs = 260;
constexpr float kNeighbourReach = 4000;  // scene units

bool isArrow(int key) {
  return key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up || key == Qt::Key_Down;
}

}  // namespace

void Canvas::keyPressEvent(QKeyEvent* event) {
  glide_.stop();
  if (fitKey(*event) || moveKey(*event)) return;
  switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (!selectedNodes_.empty()) activate(nodeOf(selection_.back()));
      return;
    case Qt::Key_Escape:
      if (tools_->wire.cancel() || (active_ && active_->cancel())) {
        active_ = nullptr;
        return update();
      }
      if (selection_.empty() && selectedPageItems_.empty()) break;
      selectPageItems({});
      return changeSelection({});
    case Qt::Key_Space:
      tools_->pan.holdSpace(true);
      if (!active_) setCursor(Qt::OpenHandCursor);
      return;
    default: break;
  }
  QWidget::keyPressEvent(event);
}

bool Canvas::fitKey(const QKeyEvent& event) {
  if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
  if (event.key() == Qt::Key_A || event.key() == Qt::Key_Home) return fitAll(), true;
  if (event.key() == Qt::Key_F) return fitSelection(), true;
  return false;
}

bool Canvas::moveKey(const QKeyEvent& event) {
  const QPointF middle(width() / 2.0, height() / 2.0);
  const int key = event.key();
  if (key == Qt::Key_Plus || key == Qt::Key_Equal) return zoomBy(kZoomStep, middle), true;
  if (key == Qt::Key_Minus) return zoomBy(1 / kZoomStep, middle), true;
  if (!isArrow(key)) return false;
  if (event.modifiers() & Qt::ControlModifier) {
    const double x = key == Qt::Key_Left ? -kKeyPan : key == Qt::Key_Right ? kKeyPan : 0;
    const double y = key == Qt::Key_Up ? -kKeyPan : key == Qt::Key_Down ? kKeyPan : 0;
    setTransform(zoom_, origin_ + QPointF(x, y) / zoom_);
  } else {
    navigate(key, event.modifiers() & Qt::ShiftModifier);
  }
  return true;
}

void Canvas::navigate(int key, bool extend) {
  if (!view_ || !index_) return;
  const int32_t from = selection_.empty() ? -1 : nodeOf(selection_.back());
  int32_t to = -1;
  if (from < 0)
    to = nearestTo(visibleScene().center());
  else if (key == Qt::Key_Up || key == Qt::Key_Down)
    to = alongWire(from, key == Qt::Key_Down);
  else
    to = beside(from, key == Qt::Key_Right);
  if (to < 0) return;
  walkedFrom_ = from;
  walkedTo_ = to;
  std::vector<InstructionId> next = extend ? selection_ : std::vector<InstructionId>();
  const InstructionId id = view_->nodes[static_cast<size_t>(to)].instruction;
  std::erase(next, id);
  next.push_back(id);
  changeSelection(std::move(next));
  scrollTo(frameOf(to));
}

// The box at the other end of a wire that is nearest across; the box just come from when its wire leads back.
int32_t Canvas::alongWire(int32_t node, bool down) const {
  int32_t best = -1;
  double nearest = INFINITY;
  const QPointF here = frameOf(node).center();
  for (const ViewEdge& edge : view_->edges) {
    if ((down ? edge.from : edge.to) != node) continue;
    const int32_t other = down ? edge.to : edge.from;
    if (node == walkedTo_ && other == walkedFrom_) return other;
    const QRectF frame = frameOf(other);
    if (frame.isEmpty()) continue;
    const double distance = std::hypot(2 * (frame.center().x() - here.x()), frame.center().y() - here.y());
    if (distance < nearest) nearest = distance, best = other;
  }
  return best;
}

int32_t Canvas::beside(int32_t node, bool right) const {
  const QRectF own = frameOf(node);
  const QPointF here = own.center();
  const RectF around{static_cast<float>(right ? here.x() : here.x() - kNeighbourReach),
                     static_cast<float>(own.top() - own.height()), kNeighbourReach,
                     static_cast<float>(3 * own.height())};
  int32_t best = -1;
  double nearest = INFINITY;
  for (uint32_t i : index_->itemsIn(*picture_, around, kNeighbourReach)) {
    const int32_t other = picture_->items[i].viewNode;
    if (other < 0 || other == node || index_->frameItem(other) != static_cast<int32_t>(i)) continue;
    const ViewNode::Kind kind = view_->nodes[static_cast<size_t>(other)].kind;
    if (kind == ViewNode::Kind::OpenGroup || kind == ViewNode::Kind::Attached) continue;
    const QPointF there = frameOf(other).center();
    const double across = right ? there.x() - here.x() : here.x() - there.x();
    const double distance = across + 3 * std::abs(there.y() - here.y());
    if (across > 1 && distance < nearest) nearest = distance, best = other;
  }
  return best;
}

int32_t Canvas::nearestTo(QPointF scene) const {
  int32_t best = -1;
  double nearest = INFINITY;
  for (size_t v = 0; v < view_->nodes.size(); ++v) {
    const ViewNode::Kind kind = view_->nodes[v].kind;
    if (kind == ViewNode::Kind::OpenGroup || kind == ViewNode::Kind::Attached) continue;
    const QPointF off = frameOf(static_cast<int32_t>(v)).center() - scene;
    const double distance = std::hypot(off.x(), off.y());
    if (distance < nearest) nearest = distance, best = static_cast<int32_t>(v);
  }
  return best;
}

// Opens or closes a group, which stays where it is; tells of a node.
void Canvas::activate(int32_t viewNode) {
  if (!view_ || viewNode < 0) return;
  const ViewNode& node = view_->nodes[static_cast<size_t>(viewNode)];
  if (node.group.empty() || node.owner >= 0 || node.pulled) {
    emit instructionActivated(node.instruction);
    return;
  }
  const QString group = QString::fromStdString(node.group);  // the view may be another one after the signal
  anchorGroup_ = group;
  anchorAt_ = toWidget(frameOf(viewNode).topLeft());
  emit groupToggled(group);
}

// Moves the view as little as shows the rectangle with a margin.
void Canvas::scrollTo(QRectF scene) {
  if (scene.isEmpty()) return;
  const double margin = kRevealMargin / zoom_;
  const QRectF wanted = scene.adjusted(-margin, -margin, margin, margin), seen = visibleScene();
  QPointF origin = origin_;
  if (wanted.left() < seen.left())
    origin.setX(wanted.left());
  else if (wanted.right() > seen.right())
    origin.setX(std::min(wanted.right() - seen.width(), wanted.left()));
  if (wanted.top() < seen.top())
    origin.setY(wanted.top());
  else if (wanted.bottom() > seen.bottom())
    origin.setY(std::min(wanted.bottom() - seen.height(), wanted.top()));
  if (origin != origin_) setTransform(zoom_, origin);
}

void Canvas::glideTo(const std::vector<QRectF>& boxes) {
  const QRectF visible = freeScene();
  if (boxes.empty() || std::ranges::any_of(boxes, [&](const QRectF& box) { return visible.contains(box.center()); }))
    return;
  QRectF all;
  for (const QRectF& box : boxes) all |= box;
  const bool together = all.width() <= visible.width() && all.height() <= visible.height();
  glide_.stop();
  glide_.setDuration(kGlideMs);
  glide_.setEasingCurve(QEasingCurve::InOutCubic);
  glide_.setStartValue(origin_);
  glide_.setEndValue((together ? all : boxes.front()).center() - (visible.center() - origin_));
  glide_.start();
}

void Canvas::keyReleaseEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Space || event->isAutoRepeat()) return QWidget::keyReleaseEvent(event);
  tools_->pan.holdSpace(false);
  if (active_ != &tools_->pan) setCursor(Qt::ArrowCursor);
}

}  // namespace tessera
