// See view_tools.h.
#include "editor/canvas/tools/view_tools.h"

#include <QPainter>

#include "editor/canvas/canvas.h"
#include "editor/canvas/render.h"
#include "editor/canvas/value_strips.h"

namespace tessera {

void PanTool::holdSpace(bool held) { space_ = held; }

bool PanTool::press(const Pointer& pointer) {
  if (pointer.button != Qt::MiddleButton && !(pointer.button == Qt::LeftButton && space_)) return false;
  canvas_.setCursor(Qt::ClosedHandCursor);
  return true;
}

void PanTool::drag(const Pointer& pointer) { canvas_.viewport().panBy(pointer.at - pointer.last); }

void PanTool::release(const Pointer&) { canvas_.setCursor(space_ ? Qt::OpenHandCursor : Qt::ArrowCursor); }

void BoxSelectTool::start(const Pointer& pointer) {
  from_ = pointer.pressed;
  drag(pointer);
}

void BoxSelectTool::drag(const Pointer& pointer) { to_ = pointer.at; }

void BoxSelectTool::release(const Pointer& pointer) {
  canvas_.selectBox(QRectF(pointer.pressed, pointer.at).normalized(), pointer.modifiers);
}

void BoxSelectTool::paint(QPainter& painter) {
  const QColor color = toQColor(ColorRole::Selection, canvas_.theme());
  QColor fill = color;
  fill.setAlphaF(0.12f);
  painter.setPen(QPen(color, 1));
  painter.setBrush(fill);
  painter.drawRect(QRectF(from_, to_).normalized());
}

bool ScrubTool::press(const Pointer& pointer) {
  number_ = canvas_.values().numberAt(pointer.at);
  return number_.valid();
}

void ScrubTool::start(const Pointer& pointer) { tell(pointer, true); }
void ScrubTool::drag(const Pointer& pointer) { tell(pointer, false); }

void ScrubTool::tell(const Pointer& pointer, bool first) {
  const double slow = pointer.modifiers & Qt::ShiftModifier ? 0.1 : 1;
  emit canvas_.valueScrubbed(number_, (pointer.at.x() - pointer.pressed.x()) * slow, first);
}

}  // namespace tessera
