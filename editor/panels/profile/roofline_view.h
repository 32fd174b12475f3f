// RooflineView: kernels as dots over what a device allows: floating point operations a byte to the right, operations a
// second upwards, both logarithmic; as large as their time. A kernel without arithmetic is at the left edge. Used by
// RooflinePanel.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "core/analysis/roofline_model.h"
#include "core/picture/picture.h"

namespace tessera {

// "1.50 Kflop", "0 flop".
QString amountWords(double amount, const char* unit);

class RooflineView : public QWidget {
  Q_OBJECT

 public:
  explicit RooflineView(QWidget* parent = nullptr);

  void setDots(std::vector<RooflineDot> dots, std::shared_ptr<const DevicePeaks> device);
  const std::vector<RooflineDot>& dots() const { return dots_; }
  void setMarked(std::vector<size_t> dots);  // of dots()
  const std::vector<size_t>& marked() const { return marked_; }
  // Where the marked ones would go; nothing: nowhere.
  void setMoved(std::optional<RooflineDot> before, std::optional<RooflineDot> after);

  QPointF placeOf(const RooflineDot& dot) const;
  double radiusOf(const RooflineDot& dot) const;
  int dotAt(QPointF at) const;  // the smallest under it; -1: none

 signals:
  void chosen(int dot);     // -1: beside all
  void activated(int dot);  // double click

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void scale();
  QRectF plot() const;
  double xOf(double intensity) const;
  double yOf(double rate) const;
  void paintGrid(QPainter& painter) const;
  enum class RoofPart { Line, Words };
  struct Roof {
    double perSecond;  // bytes, or operations of a type
    QString words;
    bool memory;
    double most;           // the highest peak: as far as a line of memory goes
    double wordsAt = 0.1;  // share of a line of memory
    bool isCache = false;
  };
  void paintRoofs(QPainter& painter, RoofPart part) const;
  std::vector<Roof> memoryRoofs(double most) const;
  void paintRoof(QPainter& painter, const Roof& roof, RoofPart part) const;
  void paintDots(QPainter& painter) const;
  void paintMoved(QPainter& painter) const;
  QString tipOf(const RooflineDot& dot) const;
  Theme theme() const;

  std::vector<RooflineDot> dots_;
  std::shared_ptr<const DevicePeaks> device_;
  std::vector<size_t> marked_;
  std::optional<RooflineDot> before_, after_;
  double longest_ = 0;
  double leastX_ = -3, mostX_ = 3, leastY_ = -3, mostY_ = 3;  // decimal logarithms of flop/B and of Gflop/s
};

}  // namespace tessera
