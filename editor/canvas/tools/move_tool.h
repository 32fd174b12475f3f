// MoveTool: drags boxes, frames and notes with all that is in them or attached to them. The move is reported once, at
// the release; the boxes stay where they were dropped until the next picture.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "editor/canvas/canvas_moves.h"
#include "editor/canvas/tools/tool.h"

namespace tessera {

class MoveTool : public HoldingTool {
 public:
  using HoldingTool::HoldingTool;
  bool press(const Pointer& pointer) override;
  void start(const Pointer& pointer) override;
  void drag(const Pointer& pointer) override;
  void release(const Pointer& pointer) override;
  void paint(QPainter& painter) override;

  bool isMoving() const { return move_.has_value(); }
  bool isDropped() const { return move_ && move_->dropped; }  // and not drawn there yet
  QPointF movedBy(int32_t viewNode) const;                    // scene
  QPointF pageItemsMovedBy() const { return move_ ? move_->moved.by : QPointF(); }
  int grabbedPageItem() const { return grab_.pageItem; }  // by the last press
  int pageItemUnder(QPointF at) const { return grabAt(at, {}).pageItem; }
  void end() override;

 private:
  struct Grab {  // what a press may become a move of
    int32_t node = -1;
    int pageItem = -1;
    bool pulls = false;
  };
  struct Move {
    MovedBoxes moved;
    std::vector<bool> nodes;      // by view node, with all that goes along
    std::vector<uint32_t> items;  // of the picture
    std::vector<size_t> wires;    // items: their ends follow
    int turns = 0;                // of the direction: it is shaken
    double turnedAt = 0, lastX = 0;
    bool dropped = false, leftwards = false;
  };
  Grab grabAt(QPointF at, Qt::KeyboardModifiers modifiers) const;
  bool selectGrabbed();  // false: it was selected already, with others
  void takeFramed(MovedBoxes& moved) const;
  void takeAlong(Move& move) const;
  void lookForShake(double x);
  int32_t wireUnder(int32_t node) const;
  void paintWires(QPainter& painter);

  std::optional<Move> move_;
  Grab grab_;
};

}  // namespace tessera
