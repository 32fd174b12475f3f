// Thin borders with round corners; they say where the pointer and the focus are.
#include "app/studio/preferences/style/button_look.h"

#include <QPainterPath>
#include <QStyleOption>

#include "app/studio/preferences/style/style_paint.h"

namespace tessera {
namespace {

constexpr qreal kSide = 13, kRadius = 2.5, kLine = 1.25;

QRectF squareIn(const QRect& rect) {
  QRectF out(0, 0, kSide, kSide);
  out.moveCenter(QRectF(rect).center());
  return out.adjusted(0.5, 0.5, -0.5, -0.5);
}

void drawTick(QPainter& painter, const QRectF& box) {
  QPainterPath tick(QPointF(box.left() + 2.5, box.center().y() + 0.5));
  tick.lineTo(box.left() + 5, box.bottom() - 3);
  tick.lineTo(box.right() - 2.5, box.top() + 3);
  painter.drawPath(tick);
}

QColor borderOfButton(const QStyleOptionButton& button) {
  const bool isMeant = button.state & (QStyle::State_MouseOver | QStyle::State_HasFocus);
  if (button.features & QStyleOptionButton::Flat) return isMeant ? borderIn(button.palette) : QColor(Qt::transparent);
  if (button.features & QStyleOptionButton::DefaultButton) return button.palette.color(QPalette::Highlight);
  return isMeant ? quietIn(button.palette) : borderIn(button.palette);
}

QColor borderOfField(const QStyleOption& field) {
  return field.state & QStyle::State_HasFocus ? field.palette.color(QPalette::Highlight) : borderIn(field.palette);
}

QColor surfaceOfButton(const QStyleOptionButton& button) {
  if (button.features & QStyleOptionButton::Flat) return Qt::transparent;
  const bool isDown = button.state & (QStyle::State_Sunken | QStyle::State_On);
  return isDown ? borderIn(button.palette) : button.palette.color(QPalette::Button);
}

}  // namespace

QMargins roomInButton(const QStyleOptionButton& button) {
  return button.text.size() > 1 ? QMargins(15, 6, 15, 6) : QMargins(6, 6, 6, 6);
}

void drawButton(const QStyleOptionButton& button, QPainter& painter) {
  drawRounded(painter, button.rect, surfaceOfButton(button), borderOfButton(button));
}

void drawField(const QStyleOptionFrame& field, QPainter& painter) {
  drawRounded(painter, field.rect, field.palette.color(QPalette::Base), borderOfField(field));
}

void drawFrameOfField(const QStyleOption& field, QPainter& painter) {
  drawRounded(painter, field.rect, Qt::transparent, borderOfField(field));
}

void drawIndicator(const QStyleOption& option, QPainter& painter, bool isRound) {
  const bool isOn = option.state & QStyle::State_On, isPart = option.state & QStyle::State_NoChange;
  const bool isEnabled = option.state & QStyle::State_Enabled;
  const QColor edge = quietIn(option.palette);
  const QColor filled = isEnabled ? option.palette.color(QPalette::Highlight) : edge;
  const QRectF box = squareIn(option.rect);
  const qreal radius = isRound ? box.width() / 2 : kRadius;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(isOn || isPart ? filled : edge, 1));
  painter.setBrush(isOn || isPart ? filled : option.palette.color(QPalette::Base));
  painter.drawRoundedRect(box, radius, radius);
  painter.setPen(
      QPen(option.palette.color(QPalette::HighlightedText), kLine + 0.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.setBrush(Qt::NoBrush);
  if (isPart)
    painter.drawLine(QPointF(box.left() + 3, box.center().y()), QPointF(box.right() - 3, box.center().y()));
  else if (isOn && isRound)
    painter.drawEllipse(box.center(), 1.5, 1.5);
  else if (isOn)
    drawTick(painter, box);
  painter.restore();
}

}  // namespace tessera
