// The dimensions of a dot: a row of chips an operand, joined where they are contracted (solid) or a batch (dashed). A
// chip dragged onto one of the other operand contracts the two, with Shift makes them a batch; dragged away it is free.
#pragma once

#include <map>
#include <vector>

#include "editor/attributes/attribute_picture.h"

namespace tessera {

class DimensionPairs : public AttributePicture {
  Q_OBJECT

 public:
  explicit DimensionPairs(QWidget* parent = nullptr);
  void show(const Module& module, InstructionId id) override;
  QSize sizeHint() const override { return {260, 140}; }
  QSize minimumSizeHint() const override { return {120, 140}; }
  QRectF chip(int operand, int dimension) const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  struct Pair {
    int64_t left, right;
    bool batch;
  };
  int pairOf(int operand, int dimension) const;  // -1: free
  bool chipAt(QPointF at, int& operand, int& dimension) const;
  QPen penOf(bool isBatch) const;
  void paintLines(QPainter& painter) const;
  QString textOf(int operand, int dimension, const QFontMetrics& metrics) const;
  void paintChip(QPainter& painter, int operand, int dimension) const;
  void commit();

  InstructionId id_;
  std::vector<int64_t> sizes_[2];
  std::vector<DimensionHue> dimensions_[2];
  std::vector<Pair> pairs_;
  int heldOperand_ = -1, heldDimension_ = -1;
  QPointF at_;
  bool shift_ = false;
};

}  // namespace tessera
