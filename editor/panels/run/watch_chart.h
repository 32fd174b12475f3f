// WatchChart: a statistic of watched values as lines over the steps of a run. Where no element of a value is finite its
// line has a gap; marks at the top are steps with NaN or infinite elements. Says the numbers of the step under the
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
  double numberOf(const ValueStats& stats) const;  // of the statistic; of Range the largest; NaN: there is none
  QColor colorOf(int line) const;
  QString wordsAt(QPoint at) const;  // empty: no step is there
  QPointF placeOf(int line, int step) const;

 signals:
  void chosen(int line);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  // The steps that share one pixel.
  struct Column {
    double x = 0, low = 0, high = 0;
    bool hasNumber = false, hasSpecials = false;
  };
  QRectF plot() const;
  void scale();
  double yOf(double number) const;
  double xOf(int step) const;
  int stepAt(double x) const;
  std::vector<Column> columnsOf(const std::vector<ValueStats>& line) const;
  void paintAxes(QPainter& painter) const;
  void paintNumbersUp(QPainter& painter) const;
  void paintStepsAcross(QPainter& painter) const;
  void paintSeries(QPainter& painter, int line) const;
  void paintSpecials(QPainter& painter, const std::vector<Column>& columns) const;

  WatchSeries series_;
  QStringList names_;
  WatchStatistic statistic_ = WatchStatistic::Mean;
  bool logarithmic_ = false;
  int selected_ = -1, pointed_ = -1;
  int steps_ = 0;
  double least_ = 0, most_ = 1;
};

}  // namespace tessera
