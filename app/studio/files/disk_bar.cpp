// Files are watched by the system, and looked at again when the window comes to the front: not every file system tells.
#include "app/studio/files/disk_bar.h"

#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPushButton>

#include "app/studio/files/file_watch.h"
#include "editor/document/document.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {
constexpr int kSettleMs = 200;
}

DiskBar::DiskBar(Document& document, QWidget* parent)
    : UnderlinedBar(parent),
      document_(document),
      words_(new PlainLabel(this)),
      reload_(new QPushButton(tr("Reload"), this)),
      keep_(new QPushButton(tr("Keep"), this)) {
  setObjectName(QStringLiteral("diskBar"));
  setAutoFillBackground(true);
  words_->setWordWrap(true);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 4, 8, 4);
  layout->addWidget(words_, 1);
  layout->addWidget(reload_);
  layout->addWidget(keep_);
  hide();
  settling_.setSingleShot(true);
  settling_.setInterval(kSettleMs);
  connect(&FileWatch::ofProgram(), &FileWatch::changed, this, [this](const QString& path) {
    const QString& own = document_.file().path();
    if (path == own || path == QFileInfo(own).absolutePath()) settling_.start();
  });
  connect(&settling_, &QTimer::timeout, this, &DiskBar::check);
  connect(qApp, &QGuiApplication::applicationStateChanged, this, [this](Qt::ApplicationState state) {
    if (state == Qt::ApplicationActive) settling_.start();
  });
  connect(&document_, &Document::opened, this, [this] {
    follow();
    settling_.start();  // it may have changed while it was read
  });
  connect(&document_, &Document::moduleChanged, this, &DiskBar::follow);  // also after it was saved
  connect(reload_, &QPushButton::clicked, this, [this] {
    hide();
    emit reloadWanted();
  });
  connect(keep_, &QPushButton::clicked, this, [this] {
    hide();
    document_.file().keepOverDisk();
  });
}

// A file that was replaced is another one for the system, so it is watched again; its folder tells when it comes back.
void DiskBar::follow() {
  const QString& path = document_.file().path();
  FileWatch::ofProgram().follow(*this,
                                path.isEmpty() ? QStringList() : QStringList{path, QFileInfo(path).absolutePath()});
  if (isVisibleTo(parentWidget()) && !document_.file().differsOnDisk()) hide();
}

void DiskBar::check() {
  follow();
  const DocumentFile& file = document_.file();
  if (!document_.isOpen() || !file.differsOnDisk()) return hide();
  const FileStamp now = file.stampOnDisk();
  if (std::exchange(told_, now) != now) say();
}

void DiskBar::say() {
  const DocumentFile& file = document_.file();
  const QString name = QFileInfo(file.path()).fileName();
  const bool isThere = QFileInfo::exists(file.path());
  words_->setText(!isThere ? tr("%1 is not on the disk any more. Save writes it again.").arg(name)
                  : file.isModified()
                      ? tr("%1 was changed by another program. Reload drops the changes that were made here.").arg(name)
                      : tr("%1 was changed by another program.").arg(name));
  reload_->setVisible(isThere);
  show();
}

QString DiskBar::message() const { return isHidden() ? QString() : words_->text(); }

}  // namespace tessera
