// The handle takes as much of the bar as the page of all that is scrolled, and not less than can be grabbed.
#include "app/studio/preferences/style/scroll_bar_look.h"

#include <QStyleOptionSlider>
#include <algorithm>

#include "app/studio/preferences/style/style_paint.h"

namespace tessera {
namespace {

constexpr int kHandleMargin = 3;

// A colour between two others.
QColor between(const QColor& a, const QColor& b) {
  return QColor((a.red() + b.red()) / 2, (a.green() + b.green()) / 2, (a.blue() + b.blue()) / 2);
}

// The stretch of the bar from begin to end, along it.
QRect stretchOf(const QStyleOptionSlider& bar, int begin, int end) {
  const QRect& all = bar.rect;
  if (bar.orientation == Qt::Vertical) return {all.left(), all.top() + begin, all.width(), end - begin};
  return QStyle::visualRect(bar.direction, all, {all.left() + begin, all.top(), end - begin, all.height()});
}

}  // namespace

QRect partOfScrollBar(const QStyleOptionSlider& bar, QStyle::SubControl part) {
  const int length = bar.orientation == Qt::Vertical ? bar.rect.height() : bar.rect.width();
  const qint64 range = qint64{bar.maximum} - bar.minimum;
  const qint64 share = range > 0 ? qint64{bar.pageStep} * length / (range + bar.pageStep) : length;
  const int handle = static_cast<int>(std::clamp<qint64>(share, std::min(kShortestHandle, length), length));
  const int begin =
      QStyle::sliderPositionFromValue(bar.minimum, bar.maximum, bar.sliderPosition, length - handle, bar.upsideDown);
  switch (part) {
    case QStyle::SC_ScrollBarGroove: return bar.rect;
    case QStyle::SC_ScrollBarSlider: return stretchOf(bar, begin, begin + handle);
    case QStyle::SC_ScrollBarSubPage: return stretchOf(bar, 0, begin);
    case QStyle::SC_ScrollBarAddPage: return stretchOf(bar, begin + handle, length);
    default: return {};
  }
}

void drawScrollBar(const QStyleOptionSlider& bar, QPainter& painter) {
  const bool isHovered = (bar.state & QStyle::State_MouseOver) && (bar.activeSubControls & QStyle::SC_ScrollBarSlider);
  const QRect handle = partOfScrollBar(bar, QStyle::SC_ScrollBarSlider);
  const QColor quiet = quietIn(bar.palette);
  fillRounded(painter, handle.adjusted(kHandleMargin, kHandleMargin, -kHandleMargin, -kHandleMargin),
              isHovered ? quiet : between(borderIn(bar.palette), quiet), 3);
}

}  // namespace tessera
