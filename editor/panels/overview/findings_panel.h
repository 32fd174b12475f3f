// FindingsPanel: what to look at in the open module (core/overview/findings), the costliest first, each with its number
// and its places. A click shows a place on the canvas. Used by app/studio.
#pragma once

#include <QWidget>

#include "core/base/ids.h"

class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace tessera {

class Document;
struct Finding;

class FindingsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit FindingsPanel(Document& document, QWidget* parent = nullptr);
  QTreeWidget* list() const { return list_; }
  QString stateText() const;

 signals:
  void revealWanted(tessera::InstructionId id);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void refresh();
  void addFinding(int number, const Finding& finding);
  void fill(QTreeWidgetItem& item);
  void go(const QTreeWidgetItem* item);

  Document& document_;
  QTreeWidget* list_;
  QLabel* state_;
};

}  // namespace tessera
