// The tools of one canvas. Used by Canvas, which asks them in the order of inOrder().
#pragma once

#include <array>

#include "editor/canvas/tools/move_tool.h"
#include "editor/canvas/tools/page_tools.h"
#include "editor/canvas/tools/press_tool.h"
#include "editor/canvas/tools/view_tools.h"
#include "editor/canvas/tools/wire_tool.h"

namespace tessera {

struct CanvasTools {
  explicit CanvasTools(Canvas& canvas)
      : pan(canvas),
        cut(canvas),
        reroute(canvas),
        resize(canvas),
        wire(canvas),
        move(canvas),
        box(canvas),
        scrub(canvas),
        press(canvas, scrub, move, box) {}

  // A wire that follows the pointer without a button goes before handles.
  std::array<CanvasTool*, 6> inOrder() {
    if (wire.isSticky()) return {&pan, &cut, &wire, &reroute, &resize, &press};
    return {&pan, &cut, &reroute, &resize, &wire, &press};
  }

  PanTool pan;
  CutTool cut;
  RerouteTool reroute;
  ResizeTool resize;
  WireTool wire;
  MoveTool move;
  BoxSelectTool box;
  ScrubTool scrub;
  PressTool press;
};

}  // namespace tessera
