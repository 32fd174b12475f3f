// One line of a search over operations: its title, what it gives, what it does, its category at the right. Before it
// stands the list of AddSearch, whose items hold the parts; after it nothing.
#pragma once

#include <QStyledItemDelegate>

namespace tessera {

class SearchRow : public QStyledItemDelegate {
  Q_OBJECT

 public:
  enum Part { kTitle = Qt::UserRole, kGives, kSummary, kCategory };  // strings; any but the title may be empty

  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace tessera
