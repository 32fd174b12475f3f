// A constant's elements as a table: the last dimension across, the others down. Cells are typed, a spreadsheet's cells
// are pasted, an npy file of the same shape is loaded. What does not parse is explained and changes nothing.
#pragma once

#include "editor/attributes/attribute_picture.h"

class QTableWidget;

namespace tessera {

class ErrorLabel;

class LiteralTable : public AttributePicture {
  Q_OBJECT

 public:
  explicit LiteralTable(QWidget* parent = nullptr);
  static bool canShow(const Module& module,
                      InstructionId constant);  // an array of rank 1 and more, 4096 elements at most
  void show(const Module& module, InstructionId id) override;
  QTableWidget* table() const { return table_; }
  QString errorText() const;
  void paste(const QString& text);  // from the current cell on
  void load(const QString& path);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void commit();
  void say(const QString& wrong);
  void askForFile();

  QTableWidget* table_;
  ErrorLabel* error_;
  InstructionId id_;
  Shape shape_;
};

}  // namespace tessera
