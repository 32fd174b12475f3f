// Commands of a script for what is measured and compared: colours of nodes, parts, watched values. Used by script.cpp.
#pragma once

#include <QString>

#include "core/base/result.h"

namespace tessera {

class MainWindow;

using ViewCommand = Status (*)(MainWindow&, const QString&);
// measure NAME [linear], fade-below HEAT, critical-path on|off, take-out, watch STEPS, compare-values [TYPE],
// compare-devices, keep LOOK QUERY, warp [BLOCK WARP], pass N, pass-tab NAME, compiled-tab NAME, device NAME; null:
// there is no such command.
ViewCommand viewCommandNamed(const QString& name);

}  // namespace tessera
