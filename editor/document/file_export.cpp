// See file_export.h.
#include "editor/document/file_export.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>
#include <utility>

#include "core/formats/file_content.h"

namespace tessera {

void exportFile(QObject* owner, const QString& path, std::function<Result<std::string>()> content,
                std::function<void(const Status& written)> done) {
  QThreadPool::globalInstance()->start(
      [owner = QPointer(owner), path = path.toStdString(), content = std::move(content), done = std::move(done)] {
        const Result<std::string> made = content();
        const Status written = made ? writeFileAtomically(path, *made) : Status(std::unexpected(made.error()));
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [owner, written, done] {
              if (owner) done(written);
            },
            Qt::QueuedConnection);
      });
}

}  // namespace tessera
