// Commands of a script that move items on the canvas with the pointer. Used by script_gestures.cpp.
#pragma once

#include <QPointF>
#include <cstdint>

#include "app/studio/script/script_gestures.h"

namespace tessera {

class Canvas;

// Where a wire from a node may be dropped so that the new node is beyond it along the flow, clear of all boxes; in
// widget pixels. Where nothing is free near by: a corner of the canvas.
QPointF freeDropBeyond(Canvas& canvas, int32_t node);

// nullptr: there is no such command.
GestureCommand moveNamed(const QString& name);

}  // namespace tessera
