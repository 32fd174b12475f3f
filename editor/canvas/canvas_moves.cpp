// Things moved by hand: boxes with what is in them, frames and notes, points of wires, corners of frames; the stroke
// that cuts wires. While they are in the hand they are painted above the tiles; where they go is told once, at the end.
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <utility>

#include "editor/canvas/canvas.h"
#include "editor/canvas/render.h"
#include "editor/canvas/spatial_index.h"

namespace tessera {
namespace {

constexpr double kHandleReach = 8, kBorderReach = 6;  // pixels
constexpr double kFrameTitle = 24;                    // scene units
constexpr int kShakes = 5;                            // turns of the hand
constexpr double kShakeReach = 10;                    // pixels a turn
constexpr size_t kMaxPainted = 4000, kMaxWires = 400;

RectF rectOf(const QRectF& r) {
  return {static_cast<float>(r.x()), static_cast<float>(r.y()), static_cast<float>(r.width()),
          static_cast<float>(r.height())};
}

// Points along a path, near enough for the eye.
std::vector<QPointF> along(const PictureItem& item) {
  std::vector<QPointF> out;
  const auto at = [&](size_t i) { return QPointF(item.points[i].x, item.points[i].y); };
  const size_t step = item.curved ? 3 : 1;
  for (size_t i = 0; i + step < item.points.size(); i += step)
    for (int k = 0; k < 12; ++k) {
      const double t = k / 12.0, u = 1 - t;
      out.push_back(item.curved ? at(i) * (u * u * u) + at(i + 1) * (3 * u * u * t) + at(i + 2) * (3 * u * t * t) +
                                      at(i + 3) * (t * t * t)
                                : at(i) * u + at(i + 1) * t);
    }
  if (!item.points.empty()) out.push_back(at(item.points.size() - 1));
  return out;
}

// Whether a piece of the path may lie in the frame.
bool passes(const PictureItem& item, const QRectF& frame) {
  const size_t step = item.curved ? 3 : 1;
  for (size_t i = 0; i + step < item.points.size(); i += step) {
    const auto [left, right] =
        std::minmax({item.points[i].x, item.points[i + 1].x, item.points[i + step - 1].x, item.points[i + step].x});
    const auto [top, bottom] =
        std::minmax({item.points[i].y, item.points[i + 1].y, item.points[i + step - 1].y, item.points[i + step].y});
    if (left <= frame.right() && right >= frame.left() && top <= frame.bottom() && bottom >= frame.top()) return true;
  }
  return false;
}

bool crosses(QPointF a, QPointF b, QPointF c, QPointF d) {
  const auto side = [](QPointF p, QPointF q, QPointF r) {
    return (q.x() - p.x()) * (r.y() - p.y()) - (q.y() - p.y()) * (r.x() - p.x());
  };
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

}  // namespace

// --- what is grabbed

int Canvas::pageItemAt(QPointF at) const {
  const QPointF p = toScene(at);
  const double reach = kBorderReach / zoom_;
  for (size_t i = pageItemBoxes_.size(); i-- > 0;) {
    const PictureItem& item = picture_->items[pageItemBoxes_[i]];
    const QRectF box = toQRectF(item.bounds);
    const bool frame = index_ && pageItemBoxes_[i] < firstDrawn_;  // frames stand behind all else
    if (!box.adjusted(-reach, -reach, reach, reach).contains(p)) continue;
    const QRectF inner = box.adjusted(reach, kFrameTitle, -reach, -reach);
    if (!frame || !inner.contains(p))
      return item.pageItem;  // a frame is held by its title and border, so that boxes in it can be reached
  }
  return -1;
}

QRectF Canvas::pageItemBox(int item) const {
  for (uint32_t i : pageItemBoxes_)
    if (picture_->items[i].pageItem == item) return toQRectF(picture_->items[i].bounds);
  return {};
}

Canvas::Grab Canvas::grabAt(QPointF at, Qt::KeyboardModifiers modifiers) const {
  Grab grab;
  if (!movable_ || !picture_) return grab;
  grab.pulls = (modifiers & Qt::ControlModifier) && (modifiers & Qt::ShiftModifier);
  if (modifiers && !grab.pulls) return grab;  // a box selection that adds
  const int32_t item = itemAt(at);
  if (item >= 0) {
    const PictureItem& hit = picture_->items[static_cast<size_t>(item)];
    if (hit.kind != PictureItem::Kind::Box || hit.viewNode < 0) return grab;
    const ViewNode& node = view_->nodes[static_cast<size_t>(hit.viewNode)];
    const bool inside = node.kind == ViewNode::Kind::OpenGroup && index_->frameItem(hit.viewNode) == item;
    grab.node = hit.viewNode;
    if (node.kind == ViewNode::Kind::Attached)  // goes with what it feeds
      for (const ViewEdge& edge : view_->edges)
        if (edge.from == hit.viewNode) grab.node = edge.to;
    if (!inside) return grab;
    grab.node = -1;
  }
  grab.pageItem = pageItemAt(at);
  return grab;
}

const ReroutePoint* Canvas::rerouteAt(QPointF at) const {
  for (const ReroutePoint& point : reroutes_) {
    const QPointF off = toWidget(point.at) - at;
    if (std::hypot(off.x(), off.y()) <= kHandleReach) return &point;
  }
  return nullptr;
}

bool Canvas::pressHandle(QPointF at) {
  if (!movable_) return false;
  if (const ReroutePoint* point = rerouteAt(at)) {
    reroute_ = *point;
    drag_ = Drag::Reroute;
    return true;
  }
  for (int item : selectedPageItems_) {
    const QPointF off = toWidget(pageItemBox(item).bottomRight()) - at;
    if (std::hypot(off.x(), off.y()) > kHandleReach) continue;
    grab_.pageItem = item;
    resized_ = pageItemBox(item);
    drag_ = Drag::Resize;
    return true;
  }
  return false;
}

bool Canvas::activateHandle(QPointF at) {
  if (!movable_) return false;
  if (const ReroutePoint* point = rerouteAt(at)) {
    emit rerouteActivated(*point);
    return true;
  }
  const int32_t item = itemAt(at);
  if (item >= 0 && picture_->items[static_cast<size_t>(item)].kind == PictureItem::Kind::Path &&
      picture_->items[static_cast<size_t>(item)].viewEdge >= 0) {
    emit wireActivated(picture_->items[static_cast<size_t>(item)].viewEdge, toScene(at));
    return true;
  }
  const Grab grab = grabAt(at, {});
  if (grab.pageItem < 0) return false;
  emit pageItemActivated(grab.pageItem);
  return true;
}

void Canvas::clickPageItem(Qt::KeyboardModifiers modifiers) {
  if (!(modifiers & (Qt::ShiftModifier | Qt::ControlModifier))) {
    selectedPageItems_.clear();
    changeSelection({});
  }
  const auto found = std::ranges::find(selectedPageItems_, grab_.pageItem);
  if (found == selectedPageItems_.end())
    selectedPageItems_.push_back(grab_.pageItem);
  else
    selectedPageItems_.erase(found);
  update();
}

void Canvas::selectPageItems(std::vector<int> items) {
  selectedPageItems_ = std::move(items);
  update();
}

void Canvas::setReroutes(std::vector<ReroutePoint> points) {
  reroutes_ = std::move(points);
  update();
}

// --- the move

void Canvas::startMove() {
  Move move;
  move.moved.pulled = grab_.pulls;
  const bool known = grab_.node >= 0
                         ? std::ranges::find(selectedNodes_, grab_.node) != selectedNodes_.end()
                         : std::ranges::find(selectedPageItems_, grab_.pageItem) != selectedPageItems_.end();
  if (!known) {
    selectedPageItems_.clear();
    if (grab_.pageItem >= 0) selectedPageItems_ = {grab_.pageItem};
    changeSelection(grab_.node >= 0 ? std::vector{view_->nodes[static_cast<size_t>(grab_.node)].instruction}
                                    : std::vector<InstructionId>());
  }
  move.moved.nodes = known ? selectedNodes_ : grab_.node >= 0 ? std::vector{grab_.node} : std::vector<int32_t>();
  move.moved.pageItems = selectedPageItems_;
  // A frame takes along what stands in it.
  for (int item : move.moved.pageItems) {
    const QRectF box = pageItemBox(item);
    for (size_t v = 0; v < view_->nodes.size(); ++v)
      if (view_->nodes[v].parent < 0 && box.contains(frameOf(static_cast<int32_t>(v))) &&
          view_->nodes[v].kind != ViewNode::Kind::Attached)
        if (std::ranges::find(move.moved.nodes, static_cast<int32_t>(v)) == move.moved.nodes.end())
          move.moved.nodes.push_back(static_cast<int32_t>(v));
  }
  move.nodes.resize(view_->nodes.size());
  for (int32_t node : move.moved.nodes) move.nodes[static_cast<size_t>(node)] = true;
  for (size_t v = 0; v < move.nodes.size(); ++v)  // parents stand before what is in them
    if (view_->nodes[v].parent >= 0 && move.nodes[static_cast<size_t>(view_->nodes[v].parent)]) move.nodes[v] = true;
  for (const ViewEdge& edge : view_->edges)
    if (view_->nodes[static_cast<size_t>(edge.from)].kind == ViewNode::Kind::Attached &&
        move.nodes[static_cast<size_t>(edge.to)])
      move.nodes[static_cast<size_t>(edge.from)] = true;
  std::erase_if(move.moved.nodes, [&](int32_t v) {
    const ViewNode& node = view_->nodes[static_cast<size_t>(v)];
    return node.kind == ViewNode::Kind::Attached || (node.parent >= 0 && move.nodes[static_cast<size_t>(node.parent)]);
  });
  const auto goesAlong = [&](const PictureItem& item) {
    if (item.viewNode >= 0) return static_cast<bool>(move.nodes[static_cast<size_t>(item.viewNode)]);
    return item.pageItem >= 0 && std::ranges::find(move.moved.pageItems, item.pageItem) != move.moved.pageItems.end();
  };
  for (size_t i = 0; i < picture_->items.size() && move.items.size() < kMaxPainted; ++i)
    if (goesAlong(picture_->items[i])) move.items.push_back(static_cast<uint32_t>(i));
  for (size_t e = 0; e < view_->edges.size() && move.wires.size() < kMaxWires; ++e)
    if (move.nodes[static_cast<size_t>(view_->edges[e].from)] || move.nodes[static_cast<size_t>(view_->edges[e].to)])
      move.wires.push_back(e);
  move_ = std::move(move);
  setCursor(Qt::SizeAllCursor);
}

void Canvas::moveTo(QPointF at) {
  if (!move_) return;
  move_->moved.by = (at - pressed_) / zoom_;
  lookForShake(at.x());
  const bool single = move_->moved.nodes.size() == 1 && move_->moved.pageItems.empty() && !move_->moved.pulled;
  move_->moved.wire = single ? wireUnder(move_->moved.nodes[0]) : -1;
  update();
}

// A hand that goes to and fro takes the node out of its wires.
void Canvas::lookForShake(double x) {
  Move& move = *move_;
  if (move.turns == 0 && move.lastX == 0) move.lastX = move.turnedAt = x;
  const bool leftwards = x < move.lastX;
  if (x != move.lastX && leftwards != move.leftwards) {
    if (std::abs(move.lastX - move.turnedAt) >= kShakeReach) ++move.turns;
    move.turnedAt = move.lastX;
    move.leftwards = leftwards;
  }
  move.lastX = x;
  if (move.turns >= kShakes && move.moved.nodes.size() == 1) move.moved.pulled = true;
}

QPointF Canvas::movedBy(int32_t viewNode) const {
  if (!move_ || viewNode < 0 || static_cast<size_t>(viewNode) >= move_->nodes.size() ||
      !move_->nodes[static_cast<size_t>(viewNode)])
    return {};
  return move_->moved.by;
}

// The wire under a box that its owner would put the node into.
int32_t Canvas::wireUnder(int32_t node) const {
  if (!hints_.inserts || view_->nodes[static_cast<size_t>(node)].kind != ViewNode::Kind::Instruction) return -1;
  const QRectF frame = frameOf(node).adjusted(4, 4, -4, -4);
  int32_t best = -1;
  double nearest = 1e30;
  for (uint32_t i : index_->itemsIn(*picture_, rectOf(frame), zoom_)) {
    const PictureItem& item = picture_->items[i];
    if (item.kind != PictureItem::Kind::Path || item.viewEdge < 0) continue;
    const ViewEdge& edge = view_->edges[static_cast<size_t>(item.viewEdge)];
    if (edge.from == node || edge.to == node || !passes(item, frame)) continue;
    for (const QPointF& p : along(item)) {
      const double distance = std::hypot(p.x() - frame.center().x(), p.y() - frame.center().y());
      if (frame.contains(p) && distance < nearest) nearest = distance, best = item.viewEdge;
    }
  }
  return best >= 0 && hints_.inserts(view_->nodes[static_cast<size_t>(node)].instruction, best) ? best : -1;
}

void Canvas::releaseMove() {
  setCursor(Qt::ArrowCursor);
  if (!move_) return;
  move_->dropped = true;
  const MovedBoxes moved = move_->moved;
  emit boxesMoved(moved);
}

void Canvas::endMove() {
  move_.reset();
  reroute_.reset();
  grab_ = {};
  update();
}

// --- the stroke

void Canvas::releaseStroke() {
  std::vector<int> cut;
  std::vector<QPointF> stroke;
  for (QPointF p : std::exchange(stroke_, {})) stroke.push_back(toScene(p));
  update();
  if (stroke.size() < 2 || !picture_) return;
  QRectF around(stroke[0], QSizeF());
  for (QPointF p : stroke) around = around.united(QRectF(p, QSizeF(0.01, 0.01)));
  for (uint32_t i : index_->itemsIn(*picture_, rectOf(around), zoom_)) {
    const PictureItem& item = picture_->items[i];
    if (item.kind != PictureItem::Kind::Path || item.viewEdge < 0) continue;
    const auto points = along(item);
    bool hit = false;
    for (size_t a = 0; a + 1 < stroke.size() && !hit; ++a)
      for (size_t b = 0; b + 1 < points.size() && !hit; ++b)
        hit = crosses(stroke[a], stroke[a + 1], points[b], points[b + 1]);
    if (hit) cut.push_back(item.viewEdge);
  }
  if (!cut.empty()) emit wiresCut(cut);
}

// --- painting

void Canvas::paintMove(QPainter& painter) {
  if (!move_) return;
  QColor veil = toQColor(ColorRole::Background, theme_);
  veil.setAlphaF(0.8f);
  painter.setPen(Qt::NoPen);
  painter.setBrush(veil);
  for (int32_t node : move_->moved.nodes) {
    const QRectF old = frameOf(node).translated(-move_->moved.by);
    painter.drawRect(QRectF(toWidget(old.topLeft()), toWidget(old.bottomRight())).adjusted(-2, -2, 2, 2));
  }
  paintMovedWires(painter);
  painter.save();
  painter.scale(zoom_, zoom_);
  painter.translate(-origin_ + move_->moved.by);
  for (uint32_t i : move_->items) paintItem(painter, picture_->items[i], zoom_, theme_);
  painter.restore();
  // The wire that the node would go into, above it.
  const int32_t item = move_->moved.wire < 0 ? -1 : index_->wireItem(static_cast<size_t>(move_->moved.wire));
  if (item >= 0)
    paintHoveredWire(painter, picture_->items[static_cast<size_t>(item)], toQColor(ColorRole::Selection, theme_));
}

void Canvas::paintMovedWires(QPainter& painter) {
  const bool pulled = move_->moved.pulled;
  for (size_t e : move_->wires) {
    const int32_t item = index_->wireItem(e);
    if (item < 0 || picture_->items[static_cast<size_t>(item)].points.size() < 2) continue;
    const PictureItem& wire = picture_->items[static_cast<size_t>(item)];
    const ViewEdge& edge = view_->edges[e];
    const bool attached = view_->nodes[static_cast<size_t>(edge.from)].kind == ViewNode::Kind::Attached;
    if (pulled && !attached) continue;
    const auto end = [&](const PointF& p, int32_t node) { return toWidget(QPointF(p.x, p.y) + movedBy(node)); };
    const QPointF from = end(wire.points.front(), edge.from), to = end(wire.points.back(), edge.to);
    QPainterPath path(from);
    const double bend = attached ? 0 : std::max(20.0, std::abs(to.y() - from.y()) / 2);
    path.cubicTo(from + QPointF(0, bend), to - QPointF(0, bend), to);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(toQColor(ColorRole::Selection, theme_), 1.6));
    painter.drawPath(path);
  }
}

void Canvas::paintStroke(QPainter& painter) {
  if (stroke_.size() < 2) return;
  painter.setPen(QPen(toQColor(ColorRole::Error, theme_), 2, Qt::DashLine));
  painter.setBrush(Qt::NoBrush);
  painter.drawPolyline(stroke_.data(), static_cast<int>(stroke_.size()));
}

void Canvas::paintReroutes(QPainter& painter) {
  painter.setPen(QPen(toQColor(ColorRole::Wire, theme_), 1.2));
  painter.setBrush(toQColor(ColorRole::NodeFill, theme_));
  for (const ReroutePoint& point : reroutes_) {
    const bool held = reroute_ && reroute_->edge == point.edge && reroute_->index == point.index;
    painter.drawEllipse(toWidget(held ? reroute_->at : point.at), 4.5, 4.5);
  }
}

void Canvas::paintPageSelection(QPainter& painter) {
  painter.setPen(QPen(toQColor(ColorRole::Selection, theme_), 2));
  for (int item : selectedPageItems_) {
    QRectF box = drag_ == Drag::Resize && item == grab_.pageItem ? resized_ : pageItemBox(item);
    if (box.isEmpty()) continue;
    if (move_) box.translate(move_->moved.by);
    const QRectF shown(toWidget(box.topLeft()), toWidget(box.bottomRight()));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(shown, 6, 6);
    painter.setBrush(toQColor(ColorRole::NodeFill, theme_));
    painter.drawRect(QRectF(shown.bottomRight() - QPointF(4, 4), QSizeF(8, 8)));
  }
}

}  // namespace tessera
