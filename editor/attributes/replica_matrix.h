// Replica groups as a matrix, a group a row. Cells are typed; a cell dragged onto another changes places with it. An
// iota form is shown as what it stands for, and becomes a list of groups when it is changed.
#pragma once

#include <vector>

#include "editor/attributes/attribute_picture.h"

class QTableWidget;

namespace tessera {

class ErrorLabel;

class ReplicaMatrix : public AttributePicture {
  Q_OBJECT

 public:
  explicit ReplicaMatrix(QWidget* parent = nullptr);
  void show(const Module& module, InstructionId id) override;
  QTableWidget* table() const { return table_; }
  QString errorText() const;
  void resizeTo(int groups, int members);  // numbers each device once, in order
  void swapCells(int row, int column, int toRow, int toColumn);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void commit();

  QTableWidget* table_;
  ErrorLabel* error_;
  InstructionId id_;
  int pressedRow_ = -1, pressedColumn_ = -1;
};

}  // namespace tessera
