// A window over the grid that it slides on: the data, the padding round it, the taps of the window in its first place
// and, outlined, its second. Handles drag size, stride, dilation and padding of the two dimensions that are shown; the
// numbers are beside it, or below it where there is little room.
#pragma once

#include <QRectF>
#include <QSizeF>
#include <optional>
#include <vector>

#include "editor/attributes/attribute_picture.h"
#include "editor/attributes/window_numbers.h"

class QBoxLayout;

namespace tessera {

class WindowPicture : public AttributePicture {
  Q_OBJECT

 public:
  explicit WindowPicture(QWidget* parent = nullptr);
  void show(const Module& module, InstructionId id) override;
  QSize sizeHint() const override { return {420, heightWanted()}; }
  QSize minimumSizeHint() const override;  // the numbers stand below then

  // Size at the corner of the window, stride at that of the next place, dilation between the first taps, padding on the
  // edges of the data.
  enum class Handle { None, Size, Stride, Dilation, Left, Top, Right, Bottom };
  QPointF handleAt(Handle handle) const;  // where it is taken hold of; null when it is not there
  double side() const;                    // of a cell, in pixels
  WindowNumbers& numbers() { return *numbers_; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  struct Axis {          // a dimension of the window that is shown
    int dimension = -1;  // -1: the picture has no such axis
    int64_t data = 1;    // elements of the base
  };
  int64_t shownLow(const Axis& axis) const;  // cells before the data
  int64_t shownData(const Axis& axis) const;
  int64_t cells(const Axis& axis) const;
  const WindowDimension& of(const Axis& axis) const;
  QRectF cell(int64_t row, int64_t column) const;
  QPointF origin() const;
  bool isNarrow() const;
  int heightWanted() const;
  QSizeF pictureSize() const;
  QString nameOf(const Axis& axis) const;
  Handle nearest(QPointF at) const;
  void paintCells(QPainter& painter) const;
  void paintWindow(QPainter& painter) const;
  void paintHandles(QPainter& painter) const;
  void paintHandle(QPainter& painter, Handle handle) const;
  void drag(QPointF at);
  void change(int64_t WindowDimension::*member, int64_t x, int64_t y, int64_t least);
  void set(WindowNumbers::Number number, bool across, int64_t value);
  void pad(bool same);
  void send(bool continues);

  QBoxLayout* layout_;
  WindowNumbers* numbers_;
  Window window_, before_;
  InstructionId id_;
  std::vector<int64_t> base_;
  Axis x_, y_;
  Handle held_ = Handle::None, hover_ = Handle::None;
  QPointF pressed_;
  double heldSide_ = 1;  // of a cell when the drag began: the picture may shrink meanwhile
  bool moved_ = false;
};

}  // namespace tessera
