// A row of a QTreeWidget whose columns sort by numbers where they have one, else by their text.
#pragma once

#include <QTreeWidgetItem>

namespace tessera {

class NumberItem : public QTreeWidgetItem {
 public:
  static constexpr int kNumber = Qt::UserRole, kKey = Qt::UserRole + 1;
  using QTreeWidgetItem::QTreeWidgetItem;

  void setNumber(int column, double number, const QString& text) {
    setText(column, text);
    setData(column, kNumber, number);
    setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  }
  bool operator<(const QTreeWidgetItem& other) const override {
    const int column = treeWidget()->sortColumn();
    const QVariant one = data(column, kNumber), another = other.data(column, kNumber);
    return one.isValid() && another.isValid() ? one.toDouble() < another.toDouble() : text(column) < other.text(column);
  }
};

}  // namespace tessera
