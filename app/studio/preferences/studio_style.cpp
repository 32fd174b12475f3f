// Docks animate as long as other transitions. A check box has a border in the placeholder colour, which has enough
// contrast on every surface, and is filled when it is checked.
#include "app/studio/preferences/studio_style.h"

#include <QAbstractItemView>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>

#include "editor/preferences/preferences.h"

namespace tessera {
namespace {

constexpr int kDockGlideMs = 150;
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

void drawIndicator(const QStyleOption& option, QPainter& painter, bool isRound) {
  const bool isOn = option.state & QStyle::State_On, isPart = option.state & QStyle::State_NoChange;
  const bool isEnabled = option.state & QStyle::State_Enabled;
  const QColor edge = option.palette.color(QPalette::PlaceholderText);
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

}  // namespace

// A tree does not animate: one that is filled anew while its rows still unfold takes no clicks from then on (QTreeView
// returns to the state before the second animation, which is that of the first).
int StudioStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                           QStyleHintReturn* data) const {
  if (hint != SH_Widget_Animation_Duration) return QProxyStyle::styleHint(hint, option, widget, data);
  return qobject_cast<const QAbstractItemView*>(widget) ? 0 : transitionMs(kDockGlideMs);
}

void StudioStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                const QWidget* widget) const {
  if (element == PE_IndicatorCheckBox || element == PE_IndicatorRadioButton)
    return drawIndicator(*option, *painter, element == PE_IndicatorRadioButton);
  QProxyStyle::drawPrimitive(element, option, painter, widget);
}

}  // namespace tessera
