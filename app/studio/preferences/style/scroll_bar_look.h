// Scroll bars: a thin handle on what is below, no buttons. Used by StudioStyle.
#pragma once

#include <QStyle>

class QStyleOptionSlider;

namespace tessera {

inline constexpr int kScrollBarExtent = 12, kShortestHandle = 30;

QRect partOfScrollBar(const QStyleOptionSlider& bar, QStyle::SubControl part);
void drawScrollBar(const QStyleOptionSlider& bar, QPainter& painter);

}  // namespace tessera
