// See permission_list.h. The rows are made anew whenever the document's asks change.
#include "editor/panels/run/permission_list.h"

#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include "editor/document/document.h"
#include "editor/text/plain_text.h"

namespace tessera {

PermissionList::PermissionList(Document& document, QWidget* parent)
    : QDialog(parent),
      document_(document),
      words_(new PlainLabel(this)),
      list_(new QListWidget(this)),
      takeBack_(new QPushButton(tr("Revoke"), this)) {
  setWindowTitle(tr("Allowed files"));
  setAttribute(Qt::WA_DeleteOnClose);
  resize(760, 340);
  words_->setWordWrap(true);
  list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  list_->setAccessibleName(tr("What was allowed"));
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(words_);
  layout->addWidget(list_, 1);
  layout->addWidget(takeBack_, 0, Qt::AlignRight);
  connect(takeBack_, &QPushButton::clicked, this, &PermissionList::takeBack);
  connect(list_, &QListWidget::itemSelectionChanged, this,
          [this] { takeBack_->setEnabled(!list_->selectedItems().isEmpty()); });
  connect(&document_, &Document::asksChanged, this, &PermissionList::fill);
  connect(&document_, &QObject::destroyed, this, &QWidget::close);  // with its tab
  fill();
}

void PermissionList::fill() {
  list_->clear();
  for (const FileAccess::Granted& each : document_.allowances()) {
    const QString words = QString::fromStdString(each.words);
    auto* item = new QListWidgetItem(each.used ? tr("this file: %1").arg(words) : words, list_);
    item->setData(Qt::UserRole, QString::fromStdString(each.hash));
  }
  words_->setText(list_->count() ? tr("What you have allowed files to do. What is taken back is asked for again.")
                                 : tr("No file was allowed yet."));
  takeBack_->setEnabled(false);
}

void PermissionList::takeBack() {
  std::vector<std::string> hashes;  // the rows go with the first one that is taken back
  for (const QListWidgetItem* item : list_->selectedItems())
    hashes.push_back(item->data(Qt::UserRole).toString().toStdString());
  for (const std::string& hash : hashes) document_.withdraw(hash);
}

}  // namespace tessera
