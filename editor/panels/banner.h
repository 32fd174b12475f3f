// A bar that says what went wrong and stays out of the way: nothing waits for it, it can be closed, and the diagnostics
// panel has the details.
#pragma once

#include <QFrame>

class QLabel;
class QToolButton;

namespace tessera {

class Banner : public QFrame {
  Q_OBJECT

 public:
  explicit Banner(QWidget* parent = nullptr);
  void showMessage(const QString& message);
  QString message() const;

 signals:
  void detailsWanted();

 private:
  QLabel* text_;
};

}  // namespace tessera
