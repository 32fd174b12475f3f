// LayoutView: the grid and memory side by side or one above the other, whichever shows larger cells, with the link
// between them.
#pragma once

#include <QWidget>

#include "editor/layout_lab/lab_state.h"

namespace tessera {

class GridPane;
class LinkOverlay;
class MemoryPane;

class LayoutView : public QWidget {
  Q_OBJECT

 public:
  LayoutView(LabState* state, QWidget* parent);
  GridPane* grid() const { return grid_; }
  MemoryPane* memory() const { return memory_; }
  void finishAnimations();  // for pictures and tests
  QSize sizeHint() const override { return {900, 420}; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void arrange();
  void followCurrent();

  LabState* state_;
  GridPane* grid_;
  MemoryPane* memory_;
  LinkOverlay* overlay_;
};

}  // namespace tessera
