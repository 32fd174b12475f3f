// A bar that says what went wrong, or what is to be known of what was opened, and stays out of the way: nothing waits
// for it, and it can be closed. The diagnostics panel has the details of an error. What was said about a gesture leaves
// with the next gesture.
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
  void showRefusal(const QString& message);  // of a gesture: nothing was changed
  void showHint(const QString& message);     // what a gesture needs first
  void goOn();                               // the next gesture: a refusal or a hint is over
  QString message() const;

 signals:
  void detailsWanted();

 private:
  void say(const QString& message, Ink background, Ink words);

  QLabel* text_;
  bool isOfGesture_ = false;
  QToolButton *details_, *close_;
};

}  // namespace tessera
