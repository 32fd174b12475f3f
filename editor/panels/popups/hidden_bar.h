// HiddenBar: over a canvas on which boxes are hidden, how many these are, with a button that shows all again. Uses
// SceneView; placed by a DocumentPane.
#pragma once

#include "editor/look/underlined_bar.h"

class QLabel;
class QPushButton;

namespace tessera {

class Document;

class HiddenBar : public UnderlinedBar {
  Q_OBJECT

 public:
  HiddenBar(Document& document, QWidget* parent);
  QString words() const;
  QPushButton* showButton() const { return show_; }

 private:
  void say();

  Document& document_;
  QLabel* words_;
  QPushButton* show_;
};

}  // namespace tessera
