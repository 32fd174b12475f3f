// The HLO text dock: a find field above the virtual text view. Enter and F3 go to the next line that holds the words,
// Shift backwards; a line of an instruction selects it everywhere.
#pragma once

#include <QWidget>

#include "editor/text/hlo_text_view.h"

class QLabel;
class QLineEdit;

namespace tessera {

class Document;

class TextPanel : public QWidget {
  Q_OBJECT

 public:
  explicit TextPanel(Document& document, QWidget* parent = nullptr);
  HloTextView* view() const { return view_; }
  QLineEdit* findField() const { return findField_; }
  void findNext(bool backwards = false);

 private:
  void showSelection();
  void choose(InstructionId id, bool extend);

  Document& document_;
  QLineEdit* findField_;
  QLabel* state_;
  HloTextView* view_;
};

}  // namespace tessera
