// WatchChart: a statistic of watched values as lines over the steps of a run. Says the numbers of the step under the
// pointer. Used by WatchPanel.
#pragma once

#include <QWidget>
#include <vector>

#include "backends/watch.h"

namespace tessera {

enum class WatchStatistic : uint8_t { Mean, Range, Deviation, Largest, Specials };

class WatchChart : public QWidget {
  Q_OBJECT

 public:
  explicit WatchChart(QWidget* parent = nullptr);

  void setSeries(WatchSeries series, QStringList names);
  void setStatistic(WatchStatistic statistic);
  void setLogarithmic(bool on);
  void setSelected(int line);  // -1: none
  const WatchSeries& series() const { return series_; }
  double numberOf(const ValueStats& stats) const;  // of the statistic; of Range the largest
  QString wordsAt(QPoint at) const;                // empty: no step is there
  QPointF placeOf(int line, int step) const;

 signals:
  void chosen(int line);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  QRectF plot() const;
  void scale();
  double yOf(double number) const;
  double xOf(int step) const;
  int stepAt(double x) const;
  void paintAxes(QPainter& painter) const;
  void paintBand(QPainter& painter, size_t line) const;
  void paintLine(QPainter& painter, size_t line) const;

  WatchSeries series_;
  QStringList names_;
  WatchStatistic statistic_ = WatchStatistic::Mean;
  bool logarithmic_ = false;
  int selected_ = -1, pointed_ = -1;
  int steps_ = 0;
  double least_ = 0, most_ = 1;
};

}  // namespace tessera
