// The dialog that asks for the file to which a graph is saved, with the kinds of files that can hold one. Used by
// DocumentSaver.
#pragma once

#include <QString>

class QWidget;

namespace tessera {

// Empty: the dialog was cancelled. `suggested` is a path or a name.
QString askWhereToSave(QWidget* parent, const QString& suggested);

}  // namespace tessera
