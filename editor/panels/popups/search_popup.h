// SearchPopup: a line of text above the list of what it finds. Arrows choose in the list while the line has the focus.
// Base of AddSearch and SourcePick.
#pragma once

#include <vector>

#include "editor/panels/popups/popup_frame.h"

class QLineEdit;
class QListWidget;

namespace tessera {

class SearchPopup : public PopupFrame {
  Q_OBJECT

 public:
  explicit SearchPopup(QWidget* parent);

  QLineEdit* field() const { return field_; }
  QListWidget* list() const { return list_; }

 protected:
  struct Row {  // the parts of SearchRow; it is read aloud as `spoken`
    QString title, gives, summary, category, spoken;
  };
  void openEmpty(QPoint at, QSize most);
  void search(const QString& line);  // lists what is found and chooses the first row
  virtual std::vector<Row> find(const QString& line) = 0;
  virtual QString whyNothing(const QString& line) const;  // what the list says where find() finds nothing
  bool keyPressed(QKeyEvent& key) override { return chooseIn(*list_, key); }

 private:
  QLineEdit* field_;
  QListWidget* list_;
  int highest_ = 0;
};

}  // namespace tessera
