// Rows of labelled dimensions. LabelRows: a convolution's dim_labels, a row for input, kernel and output; a chip
// dragged onto another of its row changes places with it. GatherRows: which dimensions of the result are offsets and
// which of the operand are collapsed, by click, and the order of start indices, by drag.
#pragma once

#include <QStringList>
#include <optional>
#include <vector>

#include "editor/attributes/attribute_picture.h"

namespace tessera {

// Chips in rows that are clicked and dragged; what that means is the derived class' business.
class ChipRows : public AttributePicture {
  Q_OBJECT

 public:
  explicit ChipRows(QWidget* parent = nullptr) : AttributePicture(parent) {}
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }
  QRectF chip(int row, int place) const;

 protected:
  struct Chip {
    QString label, size;
    bool marked = false;
    std::optional<DimensionHue> dimension = {};  // none: nothing is known of it
  };
  struct Row {
    QString name;
    std::vector<Chip> chips;
  };
  virtual void clicked(int row, int place) { (void)row, (void)place; }
  virtual void dropped(int row, int from, int to) { (void)row, (void)from, (void)to; }
  void setRows(std::vector<Row> rows);
  std::optional<DimensionHue> dimensionAt(InstructionId id, size_t dimension) const;
  const std::vector<Row>& rows() const { return rows_; }

  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  QFont fitting(const QString& words, double room) const;
  bool chipAt(QPointF at, int& row, int& place) const;

  std::vector<Row> rows_;
  int heldRow_ = -1, heldPlace_ = -1;
  QPointF pressed_, at_;
};

class LabelRows : public ChipRows {
  Q_OBJECT

 public:
  explicit LabelRows(QWidget* parent = nullptr);
  void show(const Module& module, InstructionId id) override;

 protected:
  void dropped(int row, int from, int to) override;

 private:
  InstructionId id_;
  QStringList labels_;  // of input, kernel, output
};

class GatherRows : public ChipRows {
  Q_OBJECT

 public:
  explicit GatherRows(QWidget* parent = nullptr);
  void show(const Module& module, InstructionId id) override;

 protected:
  void clicked(int row, int place) override;
  void dropped(int row, int from, int to) override;

 private:
  InstructionId id_;
  std::vector<int64_t> offsets_, collapsed_, starts_;
};

}  // namespace tessera
