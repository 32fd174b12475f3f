// Where one is, in the tool bar: the calls from the entry to the computation that is shown, and in it the groups round
// what is selected. Each is a link to it. Reads and changes Document's view.
#pragma once

#include <QLabel>

namespace tessera {

class Document;

class Breadcrumbs : public QLabel {
 public:
  Breadcrumbs(Document& document, QWidget* parent);

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void show();
  void fit();
  QStringList steps() const;
  QStringList calls() const;
  QStringList groups() const;

  Document& document_;
  QStringList steps_;  // all of them
};

}  // namespace tessera
