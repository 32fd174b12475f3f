// The pointer: pan (middle drag, space drag, trackpad), zoom at it (wheel, pinch), click and box selection,
// double click on groups, hover and tooltips. Moving is in canvas_moves.cpp, keys are in canvas_keys.cpp.
#include <QHelpEvent>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "editor/canvas/canvas.h"
#include "editor/canvas/render.h"
#include "editor/canvas/spatial_index.h"

namespace tessera {
namespace {

constexpr double kDragStart = 4;  // pixels
constexpr double kWireReach = 5;  // pixels
constexpr double kZoomStep = 1.2;
constexpr double kWheelPan = 80;  // pixels a notch
constexpr double kSmallestFrame = 40;
constexpr int kBesideBox = 8, kAboveTip = 16;  // pixels; the system puts help a little below the place

double distanceToSegment(QPointF p, QPointF a, QPointF b) {
  const QPointF d = b - a;
  const double length = QPointF::dotProduct(d, d);
  const double t = length > 0 ? std::clamp(QPointF::dotProduct(p - a, d) / length, 0.0, 1.0) : 0;
  const QPointF off = p - (a + d * t);
  return std::hypot(off.x(), off.y());
}

// Of a rectangle that holds the points [first, last] of a path, and so its curve between them.
double distanceToHull(const PictureItem& item, size_t first, size_t last, QPointF p) {
  double left = item.points[first].x, right = left, top = item.points[first].y, bottom = top;
  for (size_t i = first + 1; i <= last; ++i) {
    left = std::min<double>(left, item.points[i].x), right = std::max<double>(right, item.points[i].x);
    top = std::min<double>(top, item.points[i].y), bottom = std::max<double>(bottom, item.points[i].y);
  }
  const double x = std::max({left - p.x(), p.x() - right, 0.0}), y = std::max({top - p.y(), p.y() - bottom, 0.0});
  return std::sqrt(x * x + y * y);
}

// Exact where it is below `best`; else some larger number. Wires by the thousand are asked at every move of the
// pointer.
double distanceToPath(const PictureItem& item, QPointF p, double best) {
  auto at = [&](size_t i) { return QPointF(item.points[i].x, item.points[i].y); };
  const size_t step = item.curved ? 3 : 1;
  for (size_t i = 0; i + step < item.points.size(); i += step) {
    if (distanceToHull(item, i, i + step, p) >= best) continue;
    if (!item.curved) {
      best = std::min(best, distanceToSegment(p, at(i), at(i + 1)));
      continue;
    }
    QPointF last = at(i);
    for (int k = 1; k <= 12; ++k) {
      const double t = k / 12.0, u = 1 - t;
      const QPointF next =
          at(i) * (u * u * u) + at(i + 1) * (3 * u * u * t) + at(i + 2) * (3 * u * t * t) + at(i + 3) * (t * t * t);
      best = std::min(best, distanceToSegment(p, last, next));
      last = next;
    }
  }
  return best;
}

}  // namespace

int32_t Canvas::itemAt(QPointF widget) const {
  if (!picture_ || !index_) return -1;
  const QPointF p = toScene(widget);
  const double reach = kWireReach / zoom_;
  const RectF around{static_cast<float>(p.x() - reach), static_cast<float>(p.y() - reach),
                     static_cast<float>(2 * reach), static_cast<float>(2 * reach)};
  const auto items = index_->itemsIn(*picture_, around, zoom_);
  int32_t wire = -1, box = -1;
  double nearest = reach;
  for (auto i = items.rbegin(); i != items.rend(); ++i) {
    const PictureItem& item = picture_->items[*i];
    if (item.kind == PictureItem::Kind::Path && item.instruction.valid()) {
      const double distance = distanceToPath(item, p, nearest);
      if (distance < nearest) nearest = distance, wire = static_cast<int32_t>(*i);
    } else if (box < 0 && item.kind == PictureItem::Kind::Box && item.viewNode >= 0 &&
               toQRectF(item.bounds).contains(p)) {
      box = static_cast<int32_t>(*i);
    }
  }
  if (box < 0) return wire;
  const auto& node = view_->nodes[static_cast<size_t>(picture_->items[static_cast<size_t>(box)].viewNode)];
  return node.kind == ViewNode::Kind::OpenGroup && wire >= 0 ? wire : box;
}

// --- selection

void Canvas::changeSelection(std::vector<InstructionId> selection) {
  if (selection == selection_) return;
  setSelection(selection);
  emit selectionChanged(selection_);
}

void Canvas::click(QPointF widget, Qt::KeyboardModifiers modifiers) {
  const int32_t item = itemAt(widget);
  const bool extend = modifiers & (Qt::ShiftModifier | Qt::ControlModifier);
  if (item < 0) {
    if (!extend) changeSelection({});
    if (!extend) selectPageItems({});
    return;
  }
  if (!extend) selectPageItems({});
  if (isFieldMark(item)) {
    const int32_t node = picture_->items[static_cast<size_t>(item)].viewNode;
    emit groupToggled(QString::fromStdString(view_->nodes[static_cast<size_t>(node)].group));
    return;
  }
  const InstructionId id = picture_->items[static_cast<size_t>(item)].instruction;
  if (!id.valid()) return;
  constexpr auto kBoth = Qt::ShiftModifier | Qt::ControlModifier;
  if ((modifiers & kBoth) == kBoth) {
    changeSelection({id});
    emit valueWanted(id);
    return;
  }
  std::vector<InstructionId> next = extend ? selection_ : std::vector<InstructionId>();
  const auto found = std::find(next.begin(), next.end(), id);
  if (extend && found != next.end())
    next.erase(found);
  else
    next.push_back(id);
  changeSelection(std::move(next));
}

void Canvas::selectBox(QRectF widget, Qt::KeyboardModifiers modifiers) {
  const QRectF scene(toScene(widget.topLeft()), toScene(widget.bottomRight()));
  std::vector<InstructionId> next;
  if (modifiers & (Qt::ShiftModifier | Qt::ControlModifier)) next = selection_;
  std::vector<bool> known(view_->boxes.size());
  auto isNew = [&](InstructionId id) {
    if (!id.valid() || id.value >= known.size() || known[id.value]) return false;
    known[id.value] = true;
    return true;
  };
  for (InstructionId id : next) isNew(id);
  for (size_t v = 0; v < view_->nodes.size(); ++v) {
    const QRectF frame = frameOf(static_cast<int32_t>(v));
    if (frame.isEmpty() || !frame.intersects(scene)) continue;
    const ViewNode& node = view_->nodes[v];
    if (node.kind == ViewNode::Kind::OpenGroup && !scene.contains(frame)) continue;  // only when it is all inside
    if (isNew(node.instruction)) next.push_back(node.instruction);
  }
  changeSelection(std::move(next));
}

// --- mouse

void Canvas::mousePressEvent(QMouseEvent* event) {
  glide_.stop();
  pressed_ = last_ = event->position();
  if (event->button() == Qt::MiddleButton || (event->button() == Qt::LeftButton && space_)) {
    drag_ = Drag::Pan;
    setCursor(Qt::ClosedHandCursor);
  } else if (event->button() == Qt::RightButton && movable_ && (event->modifiers() & Qt::ControlModifier)) {
    drag_ = Drag::Stroke;
    stroke_ = {pressed_};
  } else if (event->button() == Qt::LeftButton) {
    if (move_ && move_->dropped) return;  // the next picture brings it
    grab_ = {};
    if (!(wire_ && wire_->sticky) && pressHandle(pressed_)) return;
    grab_ = grabAt(pressed_, event->modifiers());
    drag_ = (wire_ && wire_->sticky) || pressSocket(pressed_) ? Drag::Wire : Drag::Pending;
    scrubbed_ = drag_ == Drag::Pending ? scrubAt(pressed_) : InstructionId();
  }
}

void Canvas::mouseMoveEvent(QMouseEvent* event) {
  const QPointF at = event->position();
  if (drag_ == Drag::Wire || (wire_ && wire_->sticky && drag_ == Drag::None)) return moveWire(at);
  if (drag_ == Drag::None) {
    setCursor(scrubAt(at).valid() ? Qt::SizeHorCursor : space_ ? Qt::OpenHandCursor : Qt::ArrowCursor);
    return setHover(itemAt(at));
  }
  const QPointF moved = at - last_;
  last_ = at;
  if (drag_ == Drag::Pan) return setTransform(zoom_, origin_ - moved / zoom_);
  const bool starts = drag_ == Drag::Pending && (at - pressed_).manhattanLength() > kDragStart;
  if (starts) {
    drag_ = scrubbed_.valid() ? Drag::Scrub : grab_.node >= 0 || grab_.pageItem >= 0 ? Drag::Move : Drag::Box;
    if (drag_ == Drag::Move) startMove();
  }
  if (drag_ == Drag::Scrub)
    emit valueScrubbed(scrubbed_, (at.x() - pressed_.x()) * (event->modifiers() & Qt::ShiftModifier ? 0.1 : 1), starts);
  if (drag_ == Drag::Move) moveTo(at);
  if (drag_ == Drag::Stroke) stroke_.push_back(at);
  if (drag_ == Drag::Reroute) reroute_->at = toScene(at);
  if (drag_ == Drag::Resize)
    resized_.setBottomRight({std::max(toScene(at).x(), resized_.left() + kSmallestFrame),
                             std::max(toScene(at).y(), resized_.top() + kSmallestFrame)});
  if (drag_ != Drag::Pending) update();
}

void Canvas::mouseReleaseEvent(QMouseEvent* event) {
  const Drag drag = std::exchange(drag_, Drag::None);
  if (drag == Drag::Pan) setCursor(space_ ? Qt::OpenHandCursor : Qt::ArrowCursor);
  if (!picture_) return;
  if (drag == Drag::Wire) releaseWire(event->position());
  if (drag == Drag::Stroke) releaseStroke();
  if (drag == Drag::Move) releaseMove();
  if (drag == Drag::Reroute && reroute_) {
    const ReroutePoint point = *reroute_;
    if (event->position() == pressed_)
      endMove();
    else
      emit rerouteMoved(point);
  }
  if (drag == Drag::Resize) emit pageItemResized(grab_.pageItem, resized_);
  if (drag == Drag::Pending && grab_.pageItem >= 0)
    clickPageItem(event->modifiers());
  else if (drag == Drag::Pending)
    click(event->position(), event->modifiers());
  if (drag == Drag::Box) selectBox(QRectF(pressed_, event->position()).normalized(), event->modifiers());
  update();
}

void Canvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !view_ || activateHandle(event->position())) return;
  const int32_t item = itemAt(event->position());
  if (item < 0) {
    emit emptyActivated(event->position());
    return;
  }
  const PictureItem& hit = picture_->items[static_cast<size_t>(item)];
  if (hit.viewNode >= 0 && !isFieldMark(item)) activate(hit.viewNode);
}

// A wheel zooms at the pointer and with Shift goes sideways. Two fingers on a trackpad, which tell pixels or phases,
// pan; with Ctrl they zoom. (Mice tell pixels too on some systems.)
void Canvas::wheelEvent(QWheelEvent* event) {
  glide_.stop();
  const QPoint pixels = event->pixelDelta(), angle = event->angleDelta();
  const bool fingers = event->deviceType() == QInputDevice::DeviceType::TouchPad ||
                       event->phase() != Qt::NoScrollPhase || angle.isNull();
  const bool sideways = event->modifiers() & Qt::ShiftModifier;
  if ((event->modifiers() & Qt::ControlModifier) || (!fingers && !sideways)) {
    zoomBy(std::pow(kZoomStep, angle.y() / 120.0), event->position());
  } else {
    QPointF by = pixels.isNull() ? QPointF(angle) / 120.0 * kWheelPan : QPointF(pixels);
    if (sideways && by.x() == 0) by = by.transposed();
    setTransform(zoom_, origin_ - by / zoom_);
  }
  event->accept();
}

void Canvas::setHover(int32_t item) {
  if (item == hover_) return;
  hover_ = item;
  update();
  emit hovered(item < 0 ? InstructionId() : picture_->items[static_cast<size_t>(item)].instruction);
}

void Canvas::leaveEvent(QEvent*) { setHover(-1); }

QPoint Canvas::besideBox(InstructionId id, QPoint pointer) const {
  const QRectF box = boxOf(id);
  const int right = toWidget(box.topRight()).toPoint().x(), top = toWidget(box.topRight()).toPoint().y();
  const bool fits = box.isValid() && right >= pointer.x() && right < width() && top >= 0;
  return fits ? QPoint(right + kBesideBox, top - kAboveTip) : pointer;
}

bool Canvas::event(QEvent* event) {
  if (event->type() == QEvent::NativeGesture) {  // two fingers on a trackpad
    const auto* gesture = static_cast<QNativeGestureEvent*>(event);
    if (gesture->gestureType() != Qt::ZoomNativeGesture) return QWidget::event(event);
    zoomBy(1 + gesture->value(), gesture->position());
    return true;
  }
  if (event->type() == QEvent::ContentsRectChange && fitted_) fitAll();
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int32_t item = itemAt(help->pos());
  const InstructionId id = item < 0 ? InstructionId() : picture_->items[static_cast<size_t>(item)].instruction;
  if (isFieldMark(item)) {
    const bool pulled = view_->nodes[static_cast<size_t>(picture_->items[static_cast<size_t>(item)].viewNode)].pulled;
    QToolTip::showText(help->globalPos(),
                       pulled ? tr("Back into the field of what reads it") : tr("Show it as a node of its own"), this);
  } else if (tooltip_ && id.valid())
    QToolTip::showText(mapToGlobal(besideBox(id, help->pos())), tooltip_(id), this);
  else
    QToolTip::hideText();
  return true;
}

}  // namespace tessera
