// The results dock: what the last run took, and below it what it gave, small outputs in full.
#pragma once

#include <QWidget>

class QLabel;
class QTreeView;

namespace tessera {

class Document;
class OutputsModel;

class ResultsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit ResultsPanel(Document& document, QWidget* parent = nullptr);
  QString summary() const;
  QTreeView* table() const { return table_; }

 private:
  void show();

  Document& document_;
  QLabel* summary_;
  QTreeView* table_;
  OutputsModel* model_;
};

}  // namespace tessera
