// StudioApplication: a QApplication that knows how long the UI thread was busy with one event, so that "nothing on the UI
// thread over 50 ms" is measured and not believed.
#pragma once

#include <QApplication>
#include <QString>

namespace tessera {

class StudioApplication : public QApplication {
 public:
  using QApplication::QApplication;
  bool notify(QObject* receiver, QEvent* event) override;

  double longestMs() const { return longestMs_; }
  const QString& longestWhat() const { return longestWhat_; }  // "tessera::Canvas, event 12"
  int64_t overBudget() const { return overBudget_; }           // events of more than 50 ms
  void resetTiming();

 private:
  double longestMs_ = 0;
  QString longestWhat_;
  int64_t overBudget_ = 0;
  int depth_ = 0;
};

}  // namespace tessera
