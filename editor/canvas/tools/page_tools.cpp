// See page_tools.h.
#include "editor/canvas/tools/page_tools.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "editor/canvas/canvas.h"
#include "editor/canvas/page_items.h"
#include "editor/canvas/paths.h"
#include "editor/canvas/render.h"
#include "editor/canvas/spatial_index.h"

namespace tessera {
namespace {

constexpr double kHandleReach = 8;  // pixels
constexpr double kSmallestFrame = 40;

bool isAtHandle(QPointF handle, QPointF at) {
  return std::hypot(handle.x() - at.x(), handle.y() - at.y()) <= kHandleReach;
}

// A point on the other line counts as one of its sides, so that a stroke that has a point on a wire crosses it once.
bool crosses(QPointF a, QPointF b, QPointF c, QPointF d) {
  const auto isLeft = [](QPointF p, QPointF q, QPointF r) {
    return (q.x() - p.x()) * (r.y() - p.y()) - (q.y() - p.y()) * (r.x() - p.x()) < 0;
  };
  return isLeft(a, b, c) != isLeft(a, b, d) && isLeft(c, d, a) != isLeft(c, d, b);
}

bool crosses(const std::vector<QPointF>& stroke, const std::vector<QPointF>& wire) {
  for (size_t a = 0; a + 1 < stroke.size(); ++a)
    for (size_t b = 0; b + 1 < wire.size(); ++b)
      if (crosses(stroke[a], stroke[a + 1], wire[b], wire[b + 1])) return true;
  return false;
}

}  // namespace

// --- the stroke

bool CutTool::press(const Pointer& pointer) {
  if (pointer.button != Qt::RightButton || !canvas_.isMovable() || !(pointer.modifiers & Qt::ControlModifier))
    return false;
  stroke_ = {pointer.at};
  return true;
}

void CutTool::drag(const Pointer& pointer) { stroke_.push_back(pointer.at); }

void CutTool::release(const Pointer&) {
  std::vector<QPointF> stroke;
  for (QPointF p : std::exchange(stroke_, {})) stroke.push_back(canvas_.viewport().toScene(p));
  if (stroke.size() < 2 || !canvas_.picture()) return;
  QRectF around(stroke[0], QSizeF());
  for (QPointF p : stroke) around = around.united(QRectF(p, QSizeF(0.01, 0.01)));
  std::vector<int> cut;
  for (uint32_t i : canvas_.index()->itemsIn(*canvas_.picture(), toRectF(around), canvas_.viewport().zoom())) {
    const PictureItem& item = canvas_.picture()->items[i];
    if (item.kind == PictureItem::Kind::Path && item.viewEdge >= 0 && crosses(stroke, pointsAlong(item)))
      cut.push_back(item.viewEdge);
  }
  if (!cut.empty()) emit canvas_.wiresCut(cut);
}

void CutTool::paint(QPainter& painter) {
  if (stroke_.size() < 2) return;
  painter.setPen(QPen(toQColor(ColorRole::Error, canvas_.theme()), 2, Qt::DashLine));
  painter.setBrush(Qt::NoBrush);
  painter.drawPolyline(stroke_.data(), static_cast<int>(stroke_.size()));
}

// --- points of wires

const ReroutePoint* RerouteTool::pointAt(QPointF at) const {
  const auto found = std::ranges::find_if(
      points_, [&](const ReroutePoint& p) { return isAtHandle(canvas_.viewport().toWidget(p.at), at); });
  return canvas_.isMovable() && found != points_.end() ? &*found : nullptr;
}

bool RerouteTool::press(const Pointer& pointer) {
  const ReroutePoint* point = pointer.button == Qt::LeftButton ? pointAt(pointer.at) : nullptr;
  if (point) held_ = *point;
  return point;
}

void RerouteTool::drag(const Pointer& pointer) {
  if (held_) held_->at = canvas_.viewport().toScene(pointer.at);
}

void RerouteTool::release(const Pointer& pointer) {
  if (!held_) return;
  const ReroutePoint point = *held_;
  if (pointer.at == pointer.pressed)
    end();
  else
    emit canvas_.rerouteMoved(point);
}

void RerouteTool::paint(QPainter& painter) {
  painter.setPen(QPen(toQColor(ColorRole::Wire, canvas_.theme()), 1.2));
  painter.setBrush(toQColor(ColorRole::NodeFill, canvas_.theme()));
  for (const ReroutePoint& point : points_) {
    const bool held = held_ && held_->edge == point.edge && held_->index == point.index;
    painter.drawEllipse(canvas_.viewport().toWidget(held ? held_->at : point.at), 4.5, 4.5);
  }
}

// --- corners

bool ResizeTool::press(const Pointer& pointer) {
  if (pointer.button != Qt::LeftButton || !canvas_.isMovable()) return false;
  for (int item : canvas_.pageItems().selected()) {
    const QRectF box = canvas_.pageItems().boxOf(item);
    if (!isAtHandle(canvas_.viewport().toWidget(box.bottomRight()), pointer.at)) continue;
    item_ = item;
    box_ = box;
    return true;
  }
  return false;
}

void ResizeTool::drag(const Pointer& pointer) {
  const QPointF to = canvas_.viewport().toScene(pointer.at);
  box_.setBottomRight({std::max(to.x(), box_.left() + kSmallestFrame), std::max(to.y(), box_.top() + kSmallestFrame)});
}

void ResizeTool::release(const Pointer&) {
  const int item = std::exchange(item_, -1);
  if (item >= 0) emit canvas_.pageItemResized(item, box_);
}

std::optional<QRectF> ResizeTool::boxOf(int pageItem) const {
  return item_ >= 0 && item_ == pageItem ? std::optional(box_) : std::nullopt;
}

}  // namespace tessera
