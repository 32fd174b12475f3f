// ValueField: a line over the canvas in which the value of an input is typed. Enter takes it, Esc or leaving it closes;
// what is wrong stands below while it is typed.
#pragma once

#include <functional>

#include "editor/panels/popups/popup_frame.h"

class QLabel;
class QLineEdit;

namespace tessera {

class ErrorLabel;

class ValueField : public PopupFrame {
  Q_OBJECT

 public:
  explicit ValueField(QWidget* parent);

  // check: what is wrong with a text, empty when nothing is.
  void openAt(QPoint at, const QString& name, const QString& text, std::function<QString(const QString&)> check);
  QLineEdit* field() const { return field_; }
  QString errorText() const;

 signals:
  void entered(QString text);

 protected:
  void accept() override;

 private:
  void look(const QString& text);

  QLabel* name_;
  QLineEdit* field_;
  ErrorLabel* error_;
  std::function<QString(const QString&)> check_;
};

}  // namespace tessera
