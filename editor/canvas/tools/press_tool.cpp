// See press_tool.h.
#include "editor/canvas/tools/press_tool.h"

#include "editor/canvas/canvas.h"
#include "editor/canvas/page_items.h"
#include "editor/canvas/tools/move_tool.h"

namespace tessera {
namespace {
constexpr double kDragStart = 4;  // pixels
}

bool PressTool::press(const Pointer& pointer) {
  if (pointer.button != Qt::LeftButton) return false;
  modifiers_ = pointer.modifiers;
  choose(pointer.at);
  return true;
}

void PressTool::choose(QPointF at) {
  const Pointer pointer{at, at, at, Qt::LeftButton, modifiers_};
  const bool moves = move_.press(pointer);
  next_ = scrub_.press(pointer) ? &scrub_ : moves ? &move_ : &box_;
}

void PressTool::drag(const Pointer& pointer) {
  if ((pointer.at - pointer.pressed).manhattanLength() <= kDragStart) return;
  choose(pointer.pressed);  // anew: there may be another picture since the press
  canvas_.handOver(*next_);
  next_->start(pointer);
}

void PressTool::release(const Pointer& pointer) {
  if (move_.grabbedPageItem() >= 0)
    canvas_.pageItems().click(move_.grabbedPageItem(), pointer.modifiers);
  else
    canvas_.click(pointer.at, pointer.modifiers);
}

}  // namespace tessera
