// A table whose rows are instructions: diagnostics. A row that becomes current selects its instruction
// everywhere, and the selection of the document marks its row; double click shows the instruction on the canvas.
#pragma once

#include <QWidget>

#include "core/base/ids.h"

class QLabel;
class QTreeView;

namespace tessera {

class DiagnosticsModel;
class Document;

class TablePanel : public QWidget {
  Q_OBJECT

 public:
  TablePanel(Document& document, const QString& emptyText, QWidget* parent);
  QTreeView* table() const { return table_; }

 signals:
  void revealWanted(tessera::InstructionId id);

 protected:
  virtual InstructionId instructionAt(int row) const = 0;
  virtual int rowOf(InstructionId id) const = 0;
  void showSelection();
  void selectRows();
  void showEmptyText();
  void resizeEvent(QResizeEvent* event) override;

  Document& document_;
  QTreeView* table_;

 private:
  QLabel* empty_;
  bool choosing_ = false;  // the selection comes from this table
};

class DiagnosticsPanel : public TablePanel {
  Q_OBJECT

 public:
  explicit DiagnosticsPanel(Document& document, QWidget* parent = nullptr);
  int errorCount() const { return errors_; }

 signals:
  void countChanged();

 private:
  InstructionId instructionAt(int row) const override;
  int rowOf(InstructionId id) const override;
  void show();

  DiagnosticsModel* model_;
  int errors_ = 0;
};

}  // namespace tessera
