// DimensionChips: minor_to_major as a row of chips, most minor first, that are put in order by drag or by keys.
#pragma once

#include <QColor>
#include <QVariantAnimation>
#include <QWidget>
#include <vector>

namespace tessera {

class DimensionChips : public QWidget {
  Q_OBJECT

 public:
  explicit DimensionChips(QWidget* parent = nullptr);

  struct Chip {
    int64_t dimension = 0;
    QString detail;       // "size 3 · stride 1"
    QString shortDetail;  // "3", where there is little room
    QColor color = {};    // of the dimension; invalid: as text
  };
  // What stands below the first and the last chip, and the short form of the first where there is little room.
  struct Captions {
    QString first, last, shortFirst, accessibleName, toolTip;
  };
  void setCaptions(Captions captions);  // those of a layout unless set
  void setChips(std::vector<Chip> order);
  std::vector<int64_t> order() const;
  const std::vector<Chip>& chips() const { return chips_; }
  const Captions& captions() const { return captions_; }
  QRect chipRect(int64_t dimension) const;  // where it rests, in widget pixels
  QSize sizeHint() const override { return {420, 62}; }
  QSize minimumSizeHint() const override { return {120, 62}; }

 signals:
  void orderChanged(std::vector<int64_t> order);    // also while a chip is dragged
  void orderCommitted(std::vector<int64_t> order);  // a drag or key is done

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  double slotWidth() const;
  QRectF slotRect(size_t slot) const;
  QRectF shownRect(size_t slot) const;
  int slotAt(QPointF at) const;  // -1: none
  void move(size_t from, size_t to);
  void restore();
  void paintChip(QPainter& painter, size_t slot, bool lifted) const;

  std::vector<Chip> chips_;
  Captions captions_;
  std::vector<double> from_;     // left edge of each slot's chip when the slide began
  std::vector<int64_t> before_;  // order when the drag began
  QVariantAnimation slide_;
  int active_ = 0;  // the chip that keys move
  int hover_ = -1;
  bool pressed_ = false, dragging_ = false;
  QPointF grabbed_, pointer_;  // where in the chip; where now
  QPointF pressedAt_;
};

}  // namespace tessera
