// ComputationsPanel: the computations of the module as a tree, each below what calls it, with a field that searches
// them. Enter or a click shows one on the canvas. Used by app/studio.
#pragma once

#include <QWidget>
#include <optional>

#include "core/tools/flow/call_tree.h"

class QLabel;
class QLineEdit;
class QTreeWidget;
class QTreeWidgetItem;

namespace tessera {

class Document;

class ComputationsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit ComputationsPanel(Document& document, QWidget* parent = nullptr);

  void begin();  // gives the field the keys
  QLineEdit* field() const { return field_; }
  QTreeWidget* tree() const { return tree_; }
  QString stateText() const;
  bool isBusy() const { return waits_; }

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void moduleChanged();
  void refillSoon();
  void refill();
  void fillFound();
  void fill(QTreeWidgetItem& item);
  QTreeWidgetItem* makeItem(const CallTree::Call& call, bool opens) const;
  // Below its first caller, made where it is not there yet; null: below too many.
  QTreeWidgetItem* placeOf(ComputationId id);
  void showCurrent();
  void go(const QTreeWidgetItem* item);

  Document& document_;
  QLineEdit* field_;
  QTreeWidget* tree_;
  QLabel* state_;
  std::optional<CallTree> calls_;  // none: the module has changed since
  bool waits_ = false;             // until the picture is there
};

}  // namespace tessera
