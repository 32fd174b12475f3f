// HitList: what the search found, a line an instruction, sorted by what a click on the header asks for; a click on a
// line shows it on the canvas. Below the field of SearchBar.
#pragma once

#include <QTreeWidget>
#include <unordered_map>
#include <vector>

#include "core/base/ids.h"

namespace tessera {

class Document;
struct Cost;

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
  void sortBy(int column);
  void sort(std::vector<InstructionId>& hits, const std::unordered_map<InstructionId, Cost>& costs) const;
  void markSelected();
  void go(const QTreeWidgetItem* item);

  Document& document_;
  int sorted_ = -1;      // the column; negative: in the program's order
  bool turned_ = false;  // the other way round
};

}  // namespace tessera
