// Script: plays named commands on a window, one a line ("select dot.3", "run", "screenshot OUT.png").
// Every command waits until its work is done and painted. The list of commands is in the README of this folder.
#pragma once

#include <QString>
#include <functional>

#include "core/base/result.h"

namespace tessera {

class MainWindow;

// Works off events until no worker is busy and every visible tile is filled; false after the time limit.
bool waitUntilIdle(MainWindow& window);
// Fails with ErrorKind::Usage on an unknown command or name, ErrorKind::Output when a picture cannot be written.
Status playCommand(MainWindow& window, const QString& line);
// The same without waiting: whoever plays on looks at isBusy(). Gestures and pictures are none of its commands.
Status startCommand(MainWindow& window, const QString& line);
// done: called after each command.
Status playScript(MainWindow& window, const QString& path,
                  const std::function<void(const QString& command)>& done = {});
// A PNG of the window as it is; ErrorKind::Runtime where memory does not suffice for it.
Status writeScreenshot(MainWindow& window, const QString& path);

}  // namespace tessera
