// HitList: what the search found, a line an instruction; a click shows it on the canvas. Below the field of SearchBar.
#pragma once

#include <QTreeWidget>

#include "core/base/ids.h"

namespace tessera {

class Document;

class HitList : public QTreeWidget {
  Q_OBJECT

 public:
  HitList(Document& document, QWidget* parent);

 signals:
  void revealWanted(tessera::InstructionId id);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void fill();
  void markSelected();
  void go(const QTreeWidgetItem* item);

  Document& document_;
};

}  // namespace tessera
