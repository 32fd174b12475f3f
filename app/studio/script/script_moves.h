// Commands of a script that move items on the canvas with the pointer. Used by script_gestures.cpp.
#pragma once

#include "app/studio/script/script_gestures.h"

namespace tessera {

// nullptr: there is no such command.
GestureCommand moveNamed(const QString& name);

}  // namespace tessera
