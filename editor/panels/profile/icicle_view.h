// IcicleView: an OpTree as nested boxes, as wide as their time: a flame graph from the top down. A click selects, a
// double click shows one box alone, Escape goes back. Used by ProfilePanel.
#pragma once

#include <QWidget>
#include <vector>

#include "core/profile/op_tree.h"

namespace tessera {

class IcicleView : public QWidget {
  Q_OBJECT

 public:
  explicit IcicleView(QWidget* parent = nullptr);
  void setTree(const OpTree* tree);  // which must stay; null: none
  void setSelected(int32_t row);
  int32_t root() const { return root_; }  // what is shown alone; -1: all
  int32_t rowAt(QPointF at) const;        // -1: none
  QRectF boxOf(int32_t row) const;        // empty: it is too thin
  QSize minimumSizeHint() const override { return {120, 80}; }

 signals:
  void chosen(int32_t row);
  void activated(int32_t row);  // by double click on what has nothing below it

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Box {
    int32_t row;
    QRectF rect;
  };
  void place();
  void place(int32_t row, double left, double width, int depth);
  void showAlone(int32_t row);

  const OpTree* tree_ = nullptr;
  std::vector<Box> boxes_;
  int32_t root_ = -1, selected_ = -1;
};

}  // namespace tessera
