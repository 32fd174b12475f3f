// Tools that change neither graph nor page: moving the view, selecting by a rubber band, dragging along a number.
#pragma once

#include "core/base/ids.h"
#include "editor/canvas/tools/tool.h"

namespace tessera {

// Middle button, or left with the space bar.
class PanTool : public CanvasTool {
 public:
  using CanvasTool::CanvasTool;
  void holdSpace(bool held);
  bool holdsSpace() const { return space_; }
  bool press(const Pointer& pointer) override;
  void drag(const Pointer& pointer) override;
  void release(const Pointer& pointer) override;

 private:
  bool space_ = false;
};

class BoxSelectTool : public CanvasTool {
 public:
  using CanvasTool::CanvasTool;
  void start(const Pointer& pointer) override;
  void drag(const Pointer& pointer) override;
  void release(const Pointer& pointer) override;
  void paint(QPainter& painter) override;

 private:
  QPointF from_, to_;
};

// Along a number on a node: says how far.
class ScrubTool : public CanvasTool {
 public:
  using CanvasTool::CanvasTool;
  bool press(const Pointer& pointer) override;
  void start(const Pointer& pointer) override;
  void drag(const Pointer& pointer) override;
  void release(const Pointer&) override {}

 private:
  void tell(const Pointer& pointer, bool first);
  InstructionId number_;
};

}  // namespace tessera
