// What is being dragged is painted above the tiles.
#include "editor/canvas/tools/move_tool.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "editor/canvas/canvas.h"
#include "editor/canvas/highlights.h"
#include "editor/canvas/page_items.h"
#include "editor/canvas/paths.h"
#include "editor/canvas/render.h"
#include "editor/canvas/spatial_index.h"
#include "editor/canvas/tools/wire_tool.h"

namespace tessera {
namespace {

constexpr int kShakes = 5;          // changes of direction
constexpr double kShakeReach = 10;  // pixels between two
constexpr size_t kMaxMovedPaths = 4000, kMaxWires = 400;

}  // namespace

// --- what is grabbed

MoveTool::Grab MoveTool::grabAt(QPointF place, Qt::KeyboardModifiers modifiers) const {
  Grab grab;
  if (!canvas_.isMovable() || !canvas_.picture()) return grab;
  grab.pulls = (modifiers & Qt::ControlModifier) && (modifiers & Qt::ShiftModifier);
  if (modifiers && !grab.pulls) return grab;  // a box selection that adds
  const int32_t hit = canvas_.itemAt(place);
  if (hit >= 0) {
    const PictureItem& item = canvas_.picture()->items[at(hit)];
    if (item.kind != PictureItem::Kind::Box || item.viewNode < 0) return grab;
    const GraphView& view = *canvas_.view();
    const ViewNode& node = view.nodes[at(item.viewNode)];
    const bool inside = node.kind == ViewNode::Kind::OpenGroup && item.part == PictureItem::Part::Frame;
    grab.node = item.viewNode;
    if (node.kind == ViewNode::Kind::Attached)  // goes with what it feeds
      for (const ViewEdge& edge : view.edges)
        if (edge.from == item.viewNode) grab.node = edge.to;
    if (!inside) return grab;
    grab.node = -1;
  }
  grab.pageItem = canvas_.pageItems().at(place);
  return grab;
}

bool MoveTool::press(const Pointer& pointer) {
  grab_ = grabAt(pointer.at, pointer.modifiers);
  return grab_.node >= 0 || grab_.pageItem >= 0;
}

// --- the move

bool MoveTool::selectGrabbed() {
  const bool known =
      grab_.node >= 0
          ? std::ranges::find(canvas_.selectedNodes(), grab_.node) != canvas_.selectedNodes().end()
          : std::ranges::find(canvas_.pageItems().selected(), grab_.pageItem) != canvas_.pageItems().selected().end();
  if (known) return false;
  canvas_.pageItems().select(grab_.pageItem >= 0 ? std::vector{grab_.pageItem} : std::vector<int>());
  if (grab_.node >= 0)
    canvas_.selectNode(grab_.node);
  else
    canvas_.changeSelection({});
  return true;
}

// A frame takes along what stands in it.
void MoveTool::takeFramed(MovedBoxes& moved) const {
  const auto& nodes = canvas_.view()->nodes;
  for (int item : moved.pageItems) {
    const QRectF box = canvas_.pageItems().boxOf(item);
    for (size_t v = 0; v < nodes.size(); ++v) {
      const auto node = static_cast<int32_t>(v);
      if (nodes[v].parent < 0 && box.contains(canvas_.frameOf(node)) && nodes[v].kind != ViewNode::Kind::Attached &&
          std::ranges::find(moved.nodes, node) == moved.nodes.end())
        moved.nodes.push_back(node);
    }
  }
}

// What is in the boxes or attached to them, and the items of the picture that are theirs.
void MoveTool::takeAlong(Move& move) const {
  const GraphView& view = *canvas_.view();
  move.nodes.resize(view.nodes.size());
  for (int32_t node : move.moved.nodes) move.nodes[at(node)] = true;
  for (size_t v = 0; v < move.nodes.size(); ++v)  // parents stand before what is in them
    if (view.nodes[v].parent >= 0 && move.nodes[at(view.nodes[v].parent)]) move.nodes[v] = true;
  for (const ViewEdge& edge : view.edges)
    if (view.nodes[at(edge.from)].kind == ViewNode::Kind::Attached && move.nodes[at(edge.to)])
      move.nodes[at(edge.from)] = true;
  std::erase_if(move.moved.nodes, [&](int32_t v) {
    const ViewNode& node = view.nodes[at(v)];
    return node.kind == ViewNode::Kind::Attached || (node.parent >= 0 && move.nodes[at(node.parent)]);
  });
  const auto goesAlong = [&](const PictureItem& item) {
    if (item.viewNode >= 0) return static_cast<bool>(move.nodes[at(item.viewNode)]);
    return item.pageItem >= 0 && std::ranges::find(move.moved.pageItems, item.pageItem) != move.moved.pageItems.end();
  };
  const auto& items = canvas_.picture()->items;
  for (size_t i = 0; i < items.size() && move.items.size() < kMaxMovedPaths; ++i)
    if (goesAlong(items[i])) move.items.push_back(static_cast<uint32_t>(i));
  for (size_t e = 0; e < view.edges.size() && move.wires.size() < kMaxWires; ++e)
    if (move.nodes[at(view.edges[e].from)] || move.nodes[at(view.edges[e].to)]) move.wires.push_back(e);
}

void MoveTool::start(const Pointer& pointer) {
  Move move;
  move.moved.pulled = grab_.pulls;
  if (!selectGrabbed())
    move.moved.nodes = canvas_.selectedNodes();
  else if (grab_.node >= 0)
    move.moved.nodes = {grab_.node};
  move.moved.pageItems = canvas_.pageItems().selected();
  takeFramed(move.moved);
  takeAlong(move);
  move_ = std::move(move);
  canvas_.setCursor(Qt::SizeAllCursor);
  drag(pointer);
}

void MoveTool::drag(const Pointer& pointer) {
  if (!move_) return;
  move_->moved.by = (pointer.at - pointer.pressed) / canvas_.viewport().zoom();
  lookForShake(pointer.at.x());
  const bool single = move_->moved.nodes.size() == 1 && move_->moved.pageItems.empty() && !move_->moved.pulled;
  move_->moved.wire = single ? wireUnder(move_->moved.nodes[0]) : -1;
}

// A node that is shaken is taken out of its wires.
void MoveTool::lookForShake(double x) {
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

// The wire under a box that the owner would put the node into.
int32_t MoveTool::wireUnder(int32_t node) const {
  const GraphView& view = *canvas_.view();
  const WireHints& hints = canvas_.wires().hints();
  if (!hints.inserts || view.nodes[at(node)].kind != ViewNode::Kind::Instruction) return -1;
  const QRectF frame = canvas_.frameOf(node).adjusted(4, 4, -4, -4);
  int32_t best = -1;
  double nearest = 1e30;
  for (uint32_t i : canvas_.index()->itemsIn(*canvas_.picture(), toRectF(frame), canvas_.viewport().zoom())) {
    const PictureItem& item = canvas_.picture()->items[i];
    if (item.kind != PictureItem::Kind::Path || item.viewEdge < 0) continue;
    const ViewEdge& edge = view.edges[at(item.viewEdge)];
    if (edge.from == node || edge.to == node || !mayPass(item, frame)) continue;
    for (const QPointF& p : pointsAlong(item)) {
      const double distance = std::hypot(p.x() - frame.center().x(), p.y() - frame.center().y());
      if (frame.contains(p) && distance < nearest) nearest = distance, best = item.viewEdge;
    }
  }
  return best >= 0 && hints.inserts(view.nodes[at(node)].instruction, best) ? best : -1;
}

QPointF MoveTool::movedBy(int32_t viewNode) const {
  const bool moves = move_ && viewNode >= 0 && at(viewNode) < move_->nodes.size() && move_->nodes[at(viewNode)];
  return moves ? move_->moved.by : QPointF();
}

void MoveTool::release(const Pointer&) {
  canvas_.setCursor(Qt::ArrowCursor);
  if (!move_) return;
  move_->dropped = true;
  const MovedBoxes moved = move_->moved;  // the receiver may end the move
  emit canvas_.boxesMoved(moved);
}

void MoveTool::end() {
  move_.reset();
  grab_ = {};
}

// --- painting

void MoveTool::paint(QPainter& painter) {
  if (!move_) return;
  QColor veil = toQColor(ColorRole::Background, canvas_.theme());
  veil.setAlphaF(0.8f);
  painter.setPen(Qt::NoPen);
  painter.setBrush(veil);
  for (int32_t node : move_->moved.nodes)
    painter.drawRect(
        canvas_.viewport().toWidget(canvas_.frameOf(node).translated(-move_->moved.by)).adjusted(-2, -2, 2, 2));
  paintWires(painter);
  painter.save();
  canvas_.viewport().toSceneUnits(painter);
  painter.translate(move_->moved.by);
  for (uint32_t i : move_->items)
    paintItem(painter, canvas_.picture()->items[i], canvas_.viewport().zoom(), canvas_.theme());
  painter.restore();
  // The wire that the node would go into, above it.
  const int32_t item = move_->moved.wire < 0 ? -1 : canvas_.index()->wireItem(at(move_->moved.wire));
  if (item >= 0) canvas_.highlights().paintWire(painter, canvas_.picture()->items[at(item)], 1);
}

void MoveTool::paintWires(QPainter& painter) {
  const GraphView& view = *canvas_.view();
  for (size_t e : move_->wires) {
    const int32_t item = canvas_.index()->wireItem(e);
    if (item < 0 || canvas_.picture()->items[at(item)].points.size() < 2) continue;
    const PictureItem& wire = canvas_.picture()->items[at(item)];
    const ViewEdge& edge = view.edges[e];
    const bool attached = view.nodes[at(edge.from)].kind == ViewNode::Kind::Attached;
    if (move_->moved.pulled && !attached) continue;
    const auto end = [&](const PointF& p, int32_t node) {
      return canvas_.viewport().toWidget(QPointF(p.x, p.y) + movedBy(node));
    };
    const QPointF from = end(wire.points.front(), edge.from), to = end(wire.points.back(), edge.to);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(toQColor(ColorRole::Selection, canvas_.theme()), 1.6));
    painter.drawPath(looseWire(from, to, view.flow, attached ? 0 : 20));
  }
}

}  // namespace tessera
