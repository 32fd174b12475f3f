// StudioApplication: a QApplication that knows how long the UI thread was busy with one event, so that "nothing on the
// UI thread over 50 ms" is measured and not believed. Processor time too: on a busy machine wall time measures the
// others.
#pragma once

#include <QApplication>
#include <QString>

namespace tessera {

class StudioApplication : public QApplication {
 public:
  using QApplication::QApplication;
  bool notify(QObject* receiver, QEvent* event) override;

  struct Longest {
    double ms = 0;
    QString what;            // "tessera::Canvas, event 12"
    int64_t overBudget = 0;  // events of more than 50 ms
  };
  const Longest& byClock() const { return byClock_; }
  const Longest& byProcessor() const { return byProcessor_; }  // time of the UI thread itself
  void resetTiming();

 private:
  Longest byClock_, byProcessor_;
  int depth_ = 0;
};

}  // namespace tessera
