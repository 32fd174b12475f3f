// The results dock: what the last run took and what it gave, small outputs in full.
#pragma once

#include <QTextBrowser>

namespace tessera {

class Document;

class ResultsPanel : public QTextBrowser {
  Q_OBJECT

 public:
  explicit ResultsPanel(Document& document, QWidget* parent = nullptr);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void show();

  Document& source_;
};

}  // namespace tessera
