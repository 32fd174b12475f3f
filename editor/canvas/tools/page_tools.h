// Tools on what a person drew or led round the graph: the stroke that cuts wires, points that wires were led through,
// corners of frames and notes.
#pragma once

#include <QRectF>
#include <optional>
#include <vector>

#include "editor/canvas/canvas_moves.h"
#include "editor/canvas/tools/tool.h"

namespace tessera {

// Ctrl + right button.
class CutTool : public CanvasTool {
 public:
  using CanvasTool::CanvasTool;
  bool press(const Pointer& pointer) override;
  void drag(const Pointer& pointer) override;
  void release(const Pointer& pointer) override;
  bool cancel() override;
  void paint(QPainter& painter) override;

 private:
  std::vector<QPointF> stroke_;  // widget
};

class RerouteTool : public CanvasTool {
 public:
  using CanvasTool::CanvasTool;
  void setPoints(std::vector<ReroutePoint> points) { points_ = std::move(points); }
  const ReroutePoint* pointAt(QPointF at) const;
  bool press(const Pointer& pointer) override;
  void drag(const Pointer& pointer) override;
  void release(const Pointer& pointer) override;
  bool cancel() override;
  bool goesOn() const override { return false; }
  void paint(QPainter& painter) override;
  void end() { held_.reset(); }

 private:
  std::vector<ReroutePoint> points_;
  std::optional<ReroutePoint> held_;  // in the hand, or dropped and not drawn there yet
};

class ResizeTool : public CanvasTool {
 public:
  using CanvasTool::CanvasTool;
  bool press(const Pointer& pointer) override;
  void drag(const Pointer& pointer) override;
  void release(const Pointer& pointer) override;
  bool cancel() override;
  bool goesOn() const override { return false; }
  void end() { item_ = -1; }
  std::optional<QRectF> boxOf(int pageItem) const;  // scene; nullopt: it is not in the hand

 private:
  int item_ = -1;
  QRectF box_;
};

}  // namespace tessera
