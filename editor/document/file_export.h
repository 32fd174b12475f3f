// A file beside the document: a table, a trace, a part of the graph. A worker makes and writes it.
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <string>

#include "core/base/result.h"

namespace tessera {

// `content` is called on a worker and has snapshots; what it makes is written whole or not at all. `done` hears of it
// on the UI thread, unless `owner` is gone by then. The end of the program waits until it is written.
void exportFile(QObject* owner, const QString& path, std::function<Result<std::string>()> content,
                std::function<void(const Status& written)> done);

}  // namespace tessera
