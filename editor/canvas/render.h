// Painting a Picture with QPainter: the one place where the display list meets Qt. Tiles, screenshots and exports call
// it; it is free of state, so worker threads may call it at the same time.
#pragma once

#include <QColor>
#include <QImage>
#include <QPainter>
#include <QRectF>
#include <QSize>
#include <span>

#include "core/picture/picture.h"

namespace tessera {

QColor toQColor(ColorRole role, Theme theme);
QRectF toQRectF(const RectF& rect);

// Paints one item; the painter's transform maps scene units to pixels and `zoom` is its scale (for levels of detail).
void paintItem(QPainter& painter, const PictureItem& item, double zoom, Theme theme);

// Paints the given items (indices into picture.items, ascending) of the scene rectangle whose top left is `origin`
// into an image of `size` pixels at `zoom` pixels a scene unit, with what is shown at the zoom `detail`; 0: the same.
QImage renderRegion(const Picture& picture, std::span<const uint32_t> items, QPointF origin, double zoom, QSize size,
                    Theme theme, double detail = 0);

// The whole picture, centred and fitted into `size` with a margin; never larger than 100 %.
QImage renderToImage(const Picture& picture, QSize size, Theme theme);

}  // namespace tessera
