// What the parts of StudioStyle draw with: roles of the palette by what they mean here, and rounded rectangles.
#pragma once

#include <QPainter>
#include <QPalette>
#include <QRect>

namespace tessera {

inline constexpr qreal kCorner = 4;

inline QColor borderIn(const QPalette& palette) { return palette.color(QPalette::Mid); }
inline QColor quietIn(const QPalette& palette) { return palette.color(QPalette::PlaceholderText); }

// A border of one pixel inside rect; either colour may be transparent.
inline void drawRounded(QPainter& painter, const QRectF& rect, const QColor& fill, const QColor& border,
                        qreal corner = kCorner) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(border);
  painter.setBrush(fill);
  painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), corner, corner);
  painter.restore();
}

inline void fillRounded(QPainter& painter, const QRectF& rect, const QColor& fill, qreal corner) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(fill);
  painter.drawRoundedRect(rect, corner, corner);
  painter.restore();
}

// A line along the lower edge, inside rect.
inline void drawBottomLine(QPainter& painter, const QRect& rect, const QColor& color, int width = 1) {
  painter.fillRect(rect.left(), rect.bottom() + 1 - width, rect.width(), width, color);
}

}  // namespace tessera
