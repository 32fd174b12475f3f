// Tools for what is drawn round the graph: the stroke that cuts wires, reroute points of wires, corners of frames and
// notes.
#pragma once

#include <QRectF>
#include <optional>
#include <vector>

#include "editor/canvas/canvas_moves.h"
#include "editor/canvas/tools/tool.h"

namespace tessera {

// Ctrl + right button.
class CutTool : public HoldingTool {
 public:
  using HoldingTool::HoldingTool;
  bool press(const Pointer& pointer) override;
  void drag(const Pointer& pointer) override;
  void release(const Pointer& pointer) override;
  void paint(QPainter& painter) override;
  void end() override { stroke_.clear(); }

 private:
  std::vector<QPointF> stroke_;  // widget
};

class RerouteTool : public HoldingTool {
 public:
  using HoldingTool::HoldingTool;
  void setPoints(std::vector<ReroutePoint> points) { points_ = std::move(points); }
  const ReroutePoint* pointAt(QPointF at) const;
  bool press(const Pointer& pointer) override;
  void drag(const Pointer& pointer) override;
  void release(const Pointer& pointer) override;
  void paint(QPainter& painter) override;
  void end() override { held_.reset(); }

 private:
  std::vector<ReroutePoint> points_;
  std::optional<ReroutePoint> held_;  // dragged, or dropped and not drawn there yet
};

class ResizeTool : public HoldingTool {
 public:
  using HoldingTool::HoldingTool;
  bool press(const Pointer& pointer) override;
  void drag(const Pointer& pointer) override;
  void release(const Pointer& pointer) override;
  void end() override { item_ = -1; }
  std::optional<QRectF> boxOf(int pageItem) const;  // scene; nullopt: it is not being resized

 private:
  int item_ = -1;
  QRectF box_;
};

}  // namespace tessera
