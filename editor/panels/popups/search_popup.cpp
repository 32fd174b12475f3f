// See search_popup.h.
#include "editor/panels/popups/search_popup.h"

#include <QLineEdit>
#include <QListWidget>

#include "editor/panels/popups/search_row.h"
#include "editor/text/plain_text.h"

namespace tessera {

SearchPopup::SearchPopup(QWidget* parent)
    : PopupFrame(parent), field_(new QLineEdit(this)), list_(new QListWidget(this)) {
  putAbove(*field_, *list_);
  list_->setItemDelegate(new SearchRow(list_));
  connect(field_, &QLineEdit::textChanged, this, &SearchPopup::search);
  connect(list_, &QListWidget::itemClicked, this, [this] { accept(); });
}

void SearchPopup::openEmpty(QPoint at, QSize most) {
  highest_ = most.height();
  openAt(at, most);
  field_->clear();
  search({});
  field_->setFocus();
}

QString SearchPopup::whyNothing(const QString&) const { return nothingFound(); }

void SearchPopup::search(const QString& line) {
  list_->clear();
  for (const Row& row : find(line)) {
    auto* item = new QListWidgetItem(row.spoken);
    item->setData(SearchRow::kTitle, row.title);
    item->setData(SearchRow::kGives, row.gives);
    item->setData(SearchRow::kSummary, row.summary);
    item->setData(SearchRow::kCategory, row.category);
    item->setToolTip(asPlainText(row.summary));
    list_->addItem(item);
  }
  const bool found = list_->count() > 0;
  if (!found && !line.trimmed().isEmpty()) {
    const QString why = whyNothing(line);
    sayNothing(*list_, why)->setData(SearchRow::kSummary, why);
  }
  list_->setCurrentRow(found ? 0 : -1);
  shrinkTo(*list_, *field_, highest_);
}

}  // namespace tessera
