// ValuePlot: a plane of numbers as an image, as lines (one a row, at most 12) or as a histogram of the whole array.
// Says the value under the pointer. Uses ValueSlice; used by ValueView.
#pragma once

#include <QImage>
#include <QWidget>

#include "editor/values/value_slice.h"

namespace tessera {

class ValuePlot : public QWidget {
  Q_OBJECT

 public:
  enum class Form { Image, Lines, Histogram };
  explicit ValuePlot(Form form, QWidget* parent = nullptr);
  // colors: the last dimension is red, green and blue, and the two before it the plane.
  void show(const ValueSlice& slice, const ValueSummary& summary);
  QString wordsAt(QPoint at) const;  // empty: nothing is there
  QSize minimumSizeHint() const override { return {120, 80}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QRectF area() const;
  bool inColors() const;
  void makeImage();
  void paintLines(QPainter& painter);
  void paintHistogram(QPainter& painter);
  void paintAxis(QPainter& painter, double low, double high, const QString& left, const QString& right);

  Form form_;
  ValueSlice slice_;
  ValueSummary summary_;
  std::vector<int64_t> counts_;
  QImage image_;
};

}  // namespace tessera
