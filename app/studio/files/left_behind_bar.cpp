// Calm: nothing is wrong with the documents.
#include "app/studio/files/left_behind_bar.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLocale>
#include <QPushButton>
#include <QVBoxLayout>

#include "editor/text/plain_text.h"

namespace tessera {
namespace {

QString wordsOf(const Recovery::Left& left) {
  const QString name = left.path.isEmpty() ? QObject::tr("A new graph") : QFileInfo(left.path).fileName();
  const QString when = QLocale().toString(QFileInfo(left.file).lastModified(), QLocale::ShortFormat);
  return QObject::tr("%1 has changes that were not saved when Tessera ended unexpectedly, %2").arg(name, when);
}

}  // namespace

LeftBehindBar::LeftBehindBar(QWidget* parent) : QFrame(parent), rows_(new QVBoxLayout(this)) {
  setObjectName(QStringLiteral("leftBehind"));
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::AlternateBase);
  rows_->setContentsMargins(12, 4, 8, 4);
  rows_->setSpacing(2);
  hide();
}

void LeftBehindBar::offer(const std::vector<Recovery::Left>& left) {
  for (const Recovery::Left& each : left) addRow(each);
  setVisible(count_ > 0);
}

void LeftBehindBar::addRow(const Recovery::Left& left) {
  ++count_;
  auto* row = new QWidget(this);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* words = new PlainLabel(wordsOf(left), row);
  words->setToolTip(asPlainText(left.path));
  auto* restore = new QPushButton(tr("Restore"), row);
  auto* discard = new QPushButton(tr("Discard"), row);
  layout->addWidget(words, 1);
  layout->addWidget(restore);
  layout->addWidget(discard);
  rows_->addWidget(row);
  connect(restore, &QPushButton::clicked, this, [this, row, left] {
    removeRow(row);
    emit restoreWanted(left);
  });
  connect(discard, &QPushButton::clicked, this, [this, row, left] {
    removeRow(row);
    Recovery::discard(left);
  });
}

void LeftBehindBar::removeRow(QWidget* row) {
  row->hide();
  row->deleteLater();
  setVisible(--count_ > 0);
}

}  // namespace tessera
