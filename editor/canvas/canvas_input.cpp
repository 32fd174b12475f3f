// The pointer: pan (middle drag, space drag, trackpad), zoom at it (wheel, pinch), click and box selection,
// double click on groups, hover and tooltips. What a pressed button does is in tools/, keys are in canvas_keys.cpp.
#include <QHelpEvent>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "editor/canvas/canvas.h"
#include "editor/canvas/paths.h"
#include "editor/canvas/render.h"
#include "editor/canvas/spatial_index.h"
#include "editor/canvas/tools/canvas_tools.h"

namespace tessera {
namespace {

constexpr double kWireReach = 5;  // pixels
constexpr double kZoomStep = 1.2;
constexpr double kWheelPan = 80;               // pixels a notch
constexpr int kBesideBox = 8, kAboveTip = 16;  // pixels; the system puts help a little below the place

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
  if (const PictureItem* mark = fieldMark(item))
    return emit groupToggled(QString::fromStdString(view_->nodes[static_cast<size_t>(mark->viewNode)].group));
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

Pointer Canvas::pointerOf(const QMouseEvent& event) const {
  return {event.position(), pressed_, last_, event.button(), event.modifiers()};
}

void Canvas::mousePressEvent(QMouseEvent* event) {
  glide_.stop();
  pressed_ = last_ = event->position();
  const bool waits = event->button() == Qt::LeftButton && tools_->move.isDropped();  // the next picture brings it
  const Pointer pointer = pointerOf(*event);
  for (CanvasTool* tool : tools_->inOrder())
    if ((!waits || tool == &tools_->pan) && tool->press(pointer)) {
      active_ = tool;
      return;
    }
}

void Canvas::mouseMoveEvent(QMouseEvent* event) {
  const QPointF at = event->position();
  const Pointer pointer = pointerOf(*event);
  last_ = at;
  if (!active_ && tools_->wire.isSticky()) return tools_->wire.drag(pointer);
  if (!active_) {
    setCursor(numberAt(at).valid()       ? Qt::SizeHorCursor
              : tools_->pan.holdsSpace() ? Qt::OpenHandCursor
                                         : Qt::ArrowCursor);
    return setHover(itemAt(at));
  }
  active_->drag(pointer);
  update();
}

void Canvas::mouseReleaseEvent(QMouseEvent* event) {
  CanvasTool* tool = std::exchange(active_, nullptr);
  if (tool && (picture_ || tool == &tools_->pan)) tool->release(pointerOf(*event));
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
  if (hit.viewNode >= 0 && !fieldMark(item)) activate(hit.viewNode);
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

int32_t Canvas::hoveredNode() const { return hover_ < 0 ? -1 : picture_->items[static_cast<size_t>(hover_)].viewNode; }

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
  if (const PictureItem* mark = fieldMark(item)) {
    const bool folds = mark->part == PictureItem::Part::FoldMark;
    QToolTip::showText(help->globalPos(),
                       folds ? tr("Back into the field of what reads it") : tr("Show it as a node of its own"), this);
  } else if (tooltip_ && id.valid())
    QToolTip::showText(mapToGlobal(besideBox(id, help->pos())), tooltip_(id), this);
  else
    QToolTip::hideText();
  return true;
}

}  // namespace tessera
