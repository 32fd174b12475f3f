// Commands of scripts that move things on the canvas with the pointer. Before: script_gestures.cpp; after: Canvas,
// ArrangeController.
#pragma once

#include "app/studio/script_gestures.h"

namespace tessera {

// nullptr: there is no such command.
GestureCommand moveNamed(const QString& name);

}  // namespace tessera
