// What is kept between sessions, in the application's QSettings. It is written by a worker, one change after the other,
// since QSettings waits for the disk with each. UI thread only.
#pragma once

#include <QSettings>
#include <QVariantMap>

namespace tessera {

// An invalid value removes its setting. The end of the program waits until all is written.
void keepSettings(const QVariantMap& values);

// All that keepSettings was given is in it.
QSettings keptSettings();

}  // namespace tessera
