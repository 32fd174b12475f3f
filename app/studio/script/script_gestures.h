// Commands of a script that build a graph: they send the key and mouse events of a user. Used by script.cpp.
#pragma once

#include <QString>

#include "core/base/result.h"

namespace tessera {

class MainWindow;

using GestureCommand = Status (*)(MainWindow&, const QString&);
// new, add LINE, wire VALUE USER INPUT, carry VALUE USER INPUT, draw VALUE LINE, field USER INPUT TEXT, key KEYS,
// type TEXT; null: there is no such gesture.
GestureCommand gestureNamed(const QString& name);
// A command that cannot be done: ErrorKind::Usage.
Status refusedGesture(const QString& message);

}  // namespace tessera
