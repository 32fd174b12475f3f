// Wires of a picture as geometry: points along them, distances, and whether they may pass a rectangle. Used by hits and
// by the canvas's tools.
#pragma once

#include <QPainterPath>
#include <QPointF>
#include <QRectF>
#include <vector>

#include "core/picture/picture.h"

namespace tessera {

RectF toRectF(const QRectF& rect);
// Near enough for the eye.
std::vector<QPointF> pointsAlong(const PictureItem& wire);
// Whether a piece of the wire may lie in the frame.
bool mayPass(const PictureItem& wire, const QRectF& frame);
// Exact where it is below `best`; else some larger number. Wires by the thousand are asked at every move of the
// pointer.
double distanceToPath(const PictureItem& wire, QPointF p, double best);
// A wire that is drawn by hand or follows a box: an S along the flow, whose bends are at least so long; 0: straight.
QPainterPath looseWire(QPointF from, QPointF to, Flow flow, double leastBend);

}  // namespace tessera
