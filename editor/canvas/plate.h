// A name or reason on a plate over the canvas, in widget pixels. Used by the canvas and its tools.
#pragma once

#include <QPainter>
#include <QString>

#include "core/picture/picture.h"

namespace tessera {

inline constexpr float kPlateText = 10.5f;

// Within `room`; dashed: what is not there yet.
void paintPlate(QPainter& painter, QSizeF room, QPointF topLeft, const QString& text, ColorRole border, bool dashed,
                Theme theme);

}  // namespace tessera
