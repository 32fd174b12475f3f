// CanvasTool: one thing that a hand does on the canvas with a button pressed, from the press until the button is let
// go. The canvas asks its tools in order; the one that takes the press gets the rest. Used by Canvas alone.
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

}  // namespace tessera
