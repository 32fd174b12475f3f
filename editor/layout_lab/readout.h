// Readout: below the panes: the element pointed at, the formula of its position, and what the buffer costs.
#pragma once

#include <QBoxLayout>
#include <QLabel>
#include <QWidget>

#include "editor/layout_lab/lab_state.h"

namespace tessera {

// A bar of the buffer's bytes: elements filled, waste hatched.
class WasteBar : public QWidget {
 public:
  using QWidget::QWidget;
  void setShare(double elements, CellKind waste);
  QSize sizeHint() const override { return {160, 14}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  double elements_ = 1;
  CellKind waste_ = CellKind::PaddedDimension;
};

class Readout : public QWidget {
  Q_OBJECT

 public:
  Readout(LabState* state, QWidget* parent);

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showElement();
  void showFormula();
  void showBuffer();

  LabState* state_;
  QLabel *element_, *formula_, *buffer_;
  WasteBar* bar_;
  QBoxLayout* row_;
};

}  // namespace tessera
