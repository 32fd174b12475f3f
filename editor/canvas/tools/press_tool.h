// PressTool: the left button on the picture. It is a click until the pointer has moved far enough; then it becomes a
// drag of a number, of boxes, or a rubber band.
#pragma once

#include "editor/canvas/tools/tool.h"

namespace tessera {

class MoveTool;

class PressTool : public CanvasTool {
 public:
  PressTool(Canvas& canvas, CanvasTool& scrub, MoveTool& move, CanvasTool& box)
      : CanvasTool(canvas), scrub_(scrub), move_(move), box_(box) {}
  bool press(const Pointer& pointer) override;
  void drag(const Pointer& pointer) override;
  void release(const Pointer& pointer) override;

 private:
  void choose(QPointF at);

  CanvasTool& scrub_;
  MoveTool& move_;
  CanvasTool& box_;
  Qt::KeyboardModifiers modifiers_;
  CanvasTool* next_ = nullptr;  // what a drag would be
};

}  // namespace tessera
