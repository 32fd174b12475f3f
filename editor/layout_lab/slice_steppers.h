// SliceSteppers: above rank 2 the grid shows one slice; one stepper for each dimension that is not on an axis.
#pragma once

#include <QGridLayout>
#include <QLineEdit>
#include <QWidget>
#include <vector>

#include "editor/layout_lab/lab_state.h"

namespace tessera {

class SliceSteppers : public QWidget {
  Q_OBJECT

 public:
  SliceSteppers(LabState* state, QWidget* parent);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;  // ↑ and ↓ in a field step

 private:
  void rebuild();
  void refresh();
  void addStepper(int dimension);
  void take(int dimension, const QString& text);

  LabState* state_;
  QGridLayout* grid_;
  std::vector<QLineEdit*> fields_;
  std::vector<int64_t> extents_;
};

}  // namespace tessera
