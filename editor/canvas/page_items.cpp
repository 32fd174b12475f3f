// See page_items.h.
#include "editor/canvas/page_items.h"

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

void PageItems::pictureChanged() {
  items_.clear();
  const Picture* picture = canvas_.picture().get();
  for (uint32_t i = 0; picture && i < picture->items.size(); ++i)
    if (picture->items[i].pageItem >= 0) items_.push_back(i);
  std::erase_if(selected_, [&](int item) { return boxOf(item).isEmpty(); });
}

// A frame is held by its title and border, so that boxes in it can be reached.
int PageItems::at(QPointF widget) const {
  const QPointF p = canvas_.viewport().toScene(widget);
  const double reach = kBorderReach / canvas_.viewport().zoom();
  for (size_t i = items_.size(); i-- > 0;) {
    const PictureItem& item = canvas_.picture()->items[items_[i]];
    const QRectF box = toQRectF(item.bounds);
    if (!box.adjusted(-reach, -reach, reach, reach).contains(p)) continue;
    const bool within = box.adjusted(reach, kFrameTitle, -reach, -reach).contains(p);
    if (item.part != PictureItem::Part::PageFrame || !within) return item.pageItem;
  }
  return -1;
}

QRectF PageItems::boxOf(int item) const {
  for (uint32_t i : items_)
    if (canvas_.picture()->items[i].pageItem == item) return toQRectF(canvas_.picture()->items[i].bounds);
  return {};
}

void PageItems::click(int item, Qt::KeyboardModifiers modifiers) {
  std::vector<int> next;
  if (modifiers & (Qt::ShiftModifier | Qt::ControlModifier))
    next = selected_;
  else
    canvas_.changeSelection({});
  if (!std::erase(next, item)) next.push_back(item);
  select(std::move(next));
}

void PageItems::select(std::vector<int> items) {
  selected_ = std::move(items);
  canvas_.update();
}

void PageItems::paint(QPainter& painter, const CanvasTools& tools) const {
  painter.setPen(QPen(toQColor(ColorRole::Selection, canvas_.theme()), 2));
  for (int item : selected_) {
    const QRectF box = tools.resize.boxOf(item).value_or(boxOf(item));
    if (box.isEmpty()) continue;
    const QRectF shown = canvas_.viewport().toWidget(box.translated(tools.move.pageItemsMovedBy()));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(shown, 6, 6);
    painter.setBrush(toQColor(ColorRole::NodeFill, canvas_.theme()));
    painter.drawRect(QRectF(shown.bottomRight() - QPointF(4, 4), QSizeF(8, 8)));
  }
}

}  // namespace tessera
