// See tool.h.
#include "editor/canvas/tools/tool.h"

#include "editor/canvas/canvas.h"

namespace tessera {

bool HoldingTool::cancel() {
  end();
  canvas_.setCursor(Qt::ArrowCursor);
  return true;
}

}  // namespace tessera
