// PaneHeader: the name of a document over its canvas, while the window is split: which of the two menus act on, a list
// of what else can be shown here, and a button that ends the split. Made by DocumentPane.
#pragma once

#include <QFrame>

class QMenu;
class QToolButton;

namespace tessera {

class PaneHeader : public QFrame {
  Q_OBJECT

 public:
  explicit PaneHeader(QWidget* parent);
  void show(const QString& title, bool isCurrent);
  QMenu& choices() const { return *choices_; }  // filled when it is about to be shown

 signals:
  void closeWanted();

 private:
  QToolButton *title_, *close_;
  QMenu* choices_;
};

}  // namespace tessera
