// The pointer: what is under it, clicks and double clicks, hover and tooltips, the wheel and a trackpad. What a pressed
// button does is in tools/, keys are in canvas_keys.cpp.
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "editor/canvas/canvas.h"
#include "editor/canvas/page_items.h"
#include "editor/canvas/paths.h"
#include "editor/canvas/render.h"
#include "editor/canvas/spatial_index.h"
#include "editor/canvas/tools/canvas_tools.h"
#include "editor/canvas/value_strips.h"

namespace tessera {
namespace {

constexpr double kWireReach = 5;               // pixels
constexpr double kWheelPan = 80;               // pixels a notch
constexpr int kBesideBox = 8, kAboveTip = 16;  // pixels; the system puts help a little below the place

// Beside the box where it fits: there it covers neither the value nor the output. In widget pixels.
QPoint tipPlace(const Canvas& canvas, InstructionId id, QPoint pointer) {
  const QRectF box = canvas.boxOf(id);
  const QPoint corner = canvas.viewport().toWidget(box.topRight()).toPoint();
  const bool fits = box.isValid() && corner.x() >= pointer.x() && corner.x() < canvas.width() && corner.y() >= 0;
  return fits ? corner + QPoint(kBesideBox, -kAboveTip) : pointer;
}

}  // namespace

int32_t Canvas::itemAt(QPointF widget) const {
  if (!picture_ || !index_) return -1;
  const QPointF p = viewport_.toScene(widget);
  const double reach = kWireReach / viewport_.zoom();
  const RectF around{static_cast<float>(p.x() - reach), static_cast<float>(p.y() - reach),
                     static_cast<float>(2 * reach), static_cast<float>(2 * reach)};
  const auto items = index_->itemsIn(*picture_, around, viewport_.zoom());
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
  if (selection == selection_ && selectedGroup_.isEmpty()) return;
  selectedGroup_.clear();
  setSelection(selection);
  emit selectionChanged(selection_);
}

void Canvas::selectNode(int32_t viewNode) {
  const QString group = groupAt(viewNode);  // before the view is another one
  changeSelection({view_->nodes[static_cast<size_t>(viewNode)].instruction});
  emit groupSelected(group);
}

QString Canvas::groupAt(int32_t viewNode) const {
  if (viewNode < 0) return {};
  const ViewNode& node = view_->nodes[static_cast<size_t>(viewNode)];
  const bool isGroup = node.kind == ViewNode::Kind::CollapsedGroup || node.kind == ViewNode::Kind::OpenGroup;
  return isGroup && !node.caller ? QString::fromStdString(node.group) : QString();
}

void Canvas::click(QPointF widget, Qt::KeyboardModifiers modifiers) {
  const int32_t at = itemAt(widget);
  const bool extend = modifiers & (Qt::ShiftModifier | Qt::ControlModifier);
  if (!extend) pageItems_->select({});
  if (at < 0) {
    if (extend) return;
    changeSelection({});
    return emit groupSelected({});
  }
  const PictureItem& item = picture_->items[static_cast<size_t>(at)];
  if (item.isFieldMark())
    return emit groupToggled(QString::fromStdString(view_->nodes[static_cast<size_t>(item.viewNode)].group));
  const InstructionId id = item.instruction;
  if (!id.valid()) return;
  if (item.part == PictureItem::Part::Source && !extend) {
    const QPointF corner = viewport_.toWidget(QPointF(item.bounds.x, item.bounds.y + item.bounds.height));
    changeSelection({id});
    return emit argumentClicked(id, corner);
  }
  constexpr auto kBoth = Qt::ShiftModifier | Qt::ControlModifier;
  if ((modifiers & kBoth) == kBoth) {
    changeSelection({id});
    emit valueWanted(id);
    return;
  }
  if (!extend && item.viewNode >= 0) return selectNode(item.viewNode);
  std::vector<InstructionId> next = extend ? selection_ : std::vector<InstructionId>();
  const auto found = std::find(next.begin(), next.end(), id);
  if (found != next.end())
    next.erase(found);
  else
    next.push_back(id);
  changeSelection(std::move(next));
  emit groupSelected({});
}

void Canvas::selectBox(QRectF widget, Qt::KeyboardModifiers modifiers) {
  const QRectF scene(viewport_.toScene(widget.topLeft()), viewport_.toScene(widget.bottomRight()));
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
  focusedByKey_ = false;
  viewport_.stop();
  if (CanvasTool* interrupted = std::exchange(active_, nullptr)) interrupted->cancel();  // by another button
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
    const int32_t item = itemAt(at);
    setCursor(cursorAt(at, item));
    return setHover(item);
  }
  active_->drag(pointer);
  update();
}

// What a press here would do.
Qt::CursorShape Canvas::cursorAt(QPointF at, int32_t item) const {
  if (tools_->pan.holdsSpace()) return Qt::OpenHandCursor;
  if (values_->numberAt(at).valid()) return Qt::SizeHorCursor;
  if (tools_->wire.portAt(at)) return Qt::CrossCursor;
  if (item >= 0 && picture_->items[static_cast<size_t>(item)].part == PictureItem::Part::Source)
    return Qt::PointingHandCursor;
  const bool wire = item >= 0 && picture_->items[static_cast<size_t>(item)].viewEdge >= 0;
  return wire ? Qt::PointingHandCursor : Qt::ArrowCursor;
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
  if (const InstructionId value = values_->pictureAt(event->position()); value.valid()) {
    changeSelection({value});
    return emit valueWanted(value);
  }
  const PictureItem& hit = picture_->items[static_cast<size_t>(item)];
  if (hit.viewNode >= 0 && !hit.isFieldMark()) activate(hit.viewNode);
}

// What stands over nodes: points of wires, wires, frames and notes.
bool Canvas::activateHandle(QPointF at) {
  if (!movable_) return false;
  if (const ReroutePoint* point = tools_->reroute.pointAt(at)) {
    emit rerouteActivated(*point);
    return true;
  }
  const int32_t item = itemAt(at);
  if (const int32_t edge = item < 0 ? -1 : picture_->items[static_cast<size_t>(item)].viewEdge; edge >= 0) {
    emit wireActivated(edge, viewport_.toScene(at));
    return true;
  }
  const int pageItem = tools_->move.pageItemUnder(at);
  if (pageItem >= 0) emit pageItemActivated(pageItem);
  return pageItem >= 0;
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
  anchorAt_ = viewport_.toWidget(frameOf(viewNode).topLeft());
  emit groupToggled(group);
}

// A wheel zooms at the pointer and with Shift goes sideways. Two fingers on a trackpad, which tell pixels or phases,
// pan; with Ctrl they zoom. (Mice tell pixels too on some systems.)
void Canvas::wheelEvent(QWheelEvent* event) {
  viewport_.stop();
  const QPoint pixels = event->pixelDelta(), angle = event->angleDelta();
  const bool fingers = event->deviceType() == QInputDevice::DeviceType::TouchPad ||
                       event->phase() != Qt::NoScrollPhase || angle.isNull();
  const bool sideways = event->modifiers() & Qt::ShiftModifier;
  if ((event->modifiers() & Qt::ControlModifier) || (!fingers && !sideways)) {
    viewport_.zoomBy(std::pow(kZoomStep, angle.y() / 120.0), event->position());
  } else {
    QPointF by = pixels.isNull() ? QPointF(angle) / 120.0 * kWheelPan : QPointF(pixels);
    if (sideways && by.x() == 0) by = by.transposed();
    viewport_.panBy(by);
  }
  event->accept();
}

// --- the menu

CanvasSpot Canvas::spotAt(QPointF widget) const {
  using Kind = CanvasSpot::Kind;
  CanvasSpot spot;
  spot.at = widget;
  if (const auto port = tools_->wire.portAt(widget)) {
    spot.kind = port->second < 0 ? Kind::Output : Kind::Input;
    spot.instruction = port->first;
    spot.operand = port->second;
    spot.viewNode = nodeOf(port->first);
    return spot;
  }
  const int32_t item = itemAt(widget);
  spot.pageItem = item < 0 && movable_ ? tools_->move.pageItemUnder(widget) : -1;
  if (spot.pageItem >= 0) spot.kind = Kind::PageItem;
  if (item < 0) return spot;
  const PictureItem& hit = picture_->items[static_cast<size_t>(item)];
  spot.instruction = hit.instruction;
  spot.viewEdge = hit.viewEdge;
  spot.viewNode = hit.viewNode;
  if (hit.viewEdge >= 0) spot.kind = Kind::Wire;
  if (hit.viewEdge < 0 && hit.viewNode >= 0) {
    const ViewNode& node = view_->nodes[static_cast<size_t>(hit.viewNode)];
    const bool group = node.kind == ViewNode::Kind::OpenGroup || node.kind == ViewNode::Kind::CollapsedGroup;
    spot.kind = group ? Kind::Group : Kind::Node;
  }
  return spot;
}

// For the menu key: the last that was selected, else the page.
CanvasSpot Canvas::spotOfSelection() const {
  CanvasSpot spot;
  spot.at = rect().center();
  const int32_t group = markedGroup();
  const QRectF frame = group >= 0 ? frameOf(group) : selection_.empty() ? QRectF() : boxOf(selection_.back());
  if (frame.isEmpty()) return spot;
  const QRectF box = viewport_.toWidget(frame);
  spot = spotAt(QPointF(box.left() + 12, box.top() + std::min(box.height() / 2, 16.0)));
  spot.at = box.center();
  return spot;
}

// What it is for is selected first, unless it is among what is. Ctrl and the right button cut wires.
void Canvas::contextMenuEvent(QContextMenuEvent* event) {
  if (!picture_ || active_ || (event->modifiers() & Qt::ControlModifier)) return;
  const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
  const CanvasSpot spot = byKey ? spotOfSelection() : spotAt(event->pos());
  const bool group = spot.kind == CanvasSpot::Kind::Group;
  const bool known = group ? std::ranges::find(selectedNodes_, spot.viewNode) != selectedNodes_.end()
                           : std::ranges::find(selection_, spot.instruction) != selection_.end();
  if (!known && group)
    selectNode(spot.viewNode);
  else if (!known && spot.instruction.valid())
    changeSelection({spot.instruction});
  emit menuWanted(spot);
}

void Canvas::setHover(int32_t item) {
  if (item == hover_) return;
  hover_ = item;
  update();
  emit hovered(item < 0 ? InstructionId() : picture_->items[static_cast<size_t>(item)].instruction);
}

const PictureItem* Canvas::hoveredItem() const {
  return hover_ < 0 ? nullptr : &picture_->items[static_cast<size_t>(hover_)];
}

void Canvas::leaveEvent(QEvent*) { setHover(-1); }

void Canvas::showTip(const QHelpEvent& help) {
  const int32_t at = itemAt(help.pos());
  const PictureItem* item = at < 0 ? nullptr : &picture_->items[static_cast<size_t>(at)];
  if (item && item->isFieldMark())
    QToolTip::showText(help.globalPos(),
                       item->part == PictureItem::Part::FoldMark ? tr("Back into the field of what reads it")
                                                                 : tr("Show it as a node of its own"),
                       this);
  else if (const QString input = tools_->wire.tipAt(help.pos()); !input.isEmpty())
    QToolTip::showText(help.globalPos(), input, this);
  else if (item && tooltip_ && item->instruction.valid())
    QToolTip::showText(mapToGlobal(tipPlace(*this, item->instruction, help.pos())), tooltip_(item->instruction), this);
  else
    QToolTip::hideText();
}

bool Canvas::event(QEvent* event) {
  if (event->type() == QEvent::NativeGesture) {  // two fingers on a trackpad
    const auto* gesture = static_cast<QNativeGestureEvent*>(event);
    if (gesture->gestureType() != Qt::ZoomNativeGesture) return QWidget::event(event);
    viewport_.zoomBy(1 + gesture->value(), gesture->position());
    return true;
  }
  if (event->type() == QEvent::ContentsRectChange && picture_ && viewport_.showsAll() &&
      !viewport_.free().contains(toQRectF(picture_->bounds)))
    viewport_.fitAll();  // what still has room stays where it is
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  showTip(*static_cast<QHelpEvent*>(event));
  return true;
}

}  // namespace tessera
