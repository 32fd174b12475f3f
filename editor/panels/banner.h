// A bar that says what went wrong, or what is to be known of what was opened, and stays out of the way: nothing waits
// for it, and it can be closed. The diagnostics panel has the details of an error.
#pragma once

#include <QFrame>

#include "editor/look/colors.h"

class QLabel;
class QToolButton;

namespace tessera {

class Banner : public QFrame {
  Q_OBJECT

 public:
  explicit Banner(QWidget* parent = nullptr);
  void showMessage(const QString& message);  // an error
  void showNote(const QString& message);     // nothing failed
  QString message() const;

 signals:
  void detailsWanted();

 private:
  void say(const QString& message, Ink background, Ink words);

  QLabel* text_;
  QToolButton *details_, *close_;
};

}  // namespace tessera
