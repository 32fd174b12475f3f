// What a person drew or led round the graph, as far as it is not in the hand: frames and notes that are hit, selected
// and opened, and points of wires.
#include <QPainter>
#include <algorithm>

#include "editor/canvas/canvas.h"
#include "editor/canvas/render.h"
#include "editor/canvas/tools/canvas_tools.h"

namespace tessera {
namespace {

constexpr double kBorderReach = 6;  // pixels
constexpr double kFrameTitle = 24;  // scene units

}  // namespace

// A frame is held by its title and border, so that boxes in it can be reached.
int Canvas::pageItemAt(QPointF widget) const {
  const QPointF p = toScene(widget);
  const double reach = kBorderReach / zoom_;
  for (size_t i = pageItems_.size(); i-- > 0;) {
    const PictureItem& item = picture_->items[pageItems_[i]];
    const QRectF box = toQRectF(item.bounds);
    if (!box.adjusted(-reach, -reach, reach, reach).contains(p)) continue;
    const bool within = box.adjusted(reach, kFrameTitle, -reach, -reach).contains(p);
    if (item.part != PictureItem::Part::PageFrame || !within) return item.pageItem;
  }
  return -1;
}

QRectF Canvas::pageItemBox(int item) const {
  for (uint32_t i : pageItems_)
    if (picture_->items[i].pageItem == item) return toQRectF(picture_->items[i].bounds);
  return {};
}

bool Canvas::activateHandle(QPointF at) {
  if (!movable_) return false;
  if (const ReroutePoint* point = tools_->reroute.pointAt(at)) {
    emit rerouteActivated(*point);
    return true;
  }
  const int32_t item = itemAt(at);
  if (const int32_t edge = item < 0 ? -1 : picture_->items[static_cast<size_t>(item)].viewEdge; edge >= 0) {
    emit wireActivated(edge, toScene(at));
    return true;
  }
  const int pageItem = tools_->move.pageItemUnder(at);
  if (pageItem >= 0) emit pageItemActivated(pageItem);
  return pageItem >= 0;
}

void Canvas::clickPageItem(int item, Qt::KeyboardModifiers modifiers) {
  std::vector<int> next;
  if (modifiers & (Qt::ShiftModifier | Qt::ControlModifier))
    next = selectedPageItems_;
  else
    changeSelection({});
  if (!std::erase(next, item)) next.push_back(item);
  selectPageItems(std::move(next));
}

void Canvas::selectPageItems(std::vector<int> items) {
  selectedPageItems_ = std::move(items);
  update();
}

void Canvas::setReroutes(std::vector<ReroutePoint> points) {
  tools_->reroute.setPoints(std::move(points));
  update();
}

void Canvas::endMove() {
  tools_->move.end();
  tools_->reroute.end();
  tools_->resize.end();
  update();
}

void Canvas::paintPageSelection(QPainter& painter) {
  painter.setPen(QPen(toQColor(ColorRole::Selection, theme_), 2));
  for (int item : selectedPageItems_) {
    const QRectF box = tools_->resize.boxOf(item).value_or(pageItemBox(item));
    if (box.isEmpty()) continue;
    const QRectF shown = toWidget(box.translated(tools_->move.pageItemsMovedBy()));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(shown, 6, 6);
    painter.setBrush(toQColor(ColorRole::NodeFill, theme_));
    painter.drawRect(QRectF(shown.bottomRight() - QPointF(4, 4), QSizeF(8, 8)));
  }
}

}  // namespace tessera
