// The HLO text dock: a find field above the virtual text view. Enter and F3 go to the next line that holds the words,
// Shift backwards; a line of an instruction selects it everywhere. "Edit" types in the computation that is shown, with
// replacing beside finding.
#pragma once

#include <QWidget>

#include "editor/panels/text/hlo_edit.h"
#include "editor/text/hlo_text_view.h"

class QLabel;
class QStackedWidget;
class QToolButton;
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
  HloEdit* edit() const { return edit_; }
  QToolButton* editButton() const { return editButton_; }  // types instead of only looking
  QLineEdit* replaceField() const { return replaceField_; }
  void setTheme(Theme theme);

 private:
  void showSelection();
  void setEditing(bool on);
  void replaceAll();
  void choose(InstructionId id, bool extend);

  Document& document_;
  QLineEdit* findField_;
  QLabel* state_;
  HloTextView* view_;
  HloEdit* edit_;
  QStackedWidget* stack_;
  QToolButton *editButton_, *replaceButton_;
  QLineEdit* replaceField_;
};

}  // namespace tessera
