// CanvasTool: one thing that a pressed mouse button does on the canvas, from the press to the release. The canvas asks
// its tools in order; the first that accepts the press gets the rest. Used by Canvas alone.
#pragma once

#include <QPointF>
#include <Qt>

class QPainter;

namespace tessera {

class Canvas;

// The pointer with what is pressed; in widget pixels.
struct Pointer {
  QPointF at, pressed, last;  // last: where it was before
  Qt::MouseButton button = Qt::NoButton;
  Qt::KeyboardModifiers modifiers;
};

class CanvasTool {
 public:
  explicit CanvasTool(Canvas& canvas) : canvas_(canvas) {}
  virtual ~CanvasTool() = default;
  CanvasTool(const CanvasTool&) = delete;
  CanvasTool& operator=(const CanvasTool&) = delete;

  virtual bool press(const Pointer&) { return false; }  // whether it is this tool's
  virtual void start(const Pointer&) {}                 // a press that became a drag (PressTool)
  virtual void drag(const Pointer& pointer) = 0;
  virtual void release(const Pointer& pointer) = 0;
  virtual bool cancel() { return false; }       // by Escape; false: it cannot be
  virtual bool goesOn() const { return true; }  // with another picture
  virtual void paint(QPainter&) {}

 protected:
  Canvas& canvas_;
};

// A tool that holds something while the button is pressed; another picture or Escape ends that.
class HoldingTool : public CanvasTool {
 public:
  using CanvasTool::CanvasTool;
  bool cancel() final;
  bool goesOn() const final { return false; }
  virtual void end() = 0;  // holds nothing any more
};

}  // namespace tessera
