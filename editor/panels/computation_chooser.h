// ComputationChooser: the list of the computations of a module, from which one chooses what is on the canvas. Used by
// the tool bar.
#pragma once

#include <QComboBox>

namespace tessera {

class Document;

class ComputationChooser : public QComboBox {
  Q_OBJECT

 public:
  explicit ComputationChooser(QWidget* parent);
  void setDocument(Document& document);  // lists its computations; empty and disabled where nothing is open
  void showCurrent();                    // the one on the canvas; one that an edit added is listed first

 private:
  void list();

  Document* document_ = nullptr;
};

}  // namespace tessera
