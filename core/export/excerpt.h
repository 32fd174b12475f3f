// Parts of what is shown: an area, or some of the boxes with the wires between them. Used by the studio's
// export.
#pragma once

#include <vector>

#include "core/picture/picture.h"

namespace tessera {

// The chosen boxes, with their content. By box.
std::vector<bool> withContent(const GraphView& view, std::vector<bool> chosen);

// As it looks at `zoom`; it is as large as the area.
Picture excerptOf(const Picture& picture, const RectF& area, float zoom);
// The chosen boxes and the wires between them, with a margin; empty: none is chosen.
Picture excerptOf(const Picture& picture, const GraphView& view, const std::vector<bool>& chosen);
// The same as a view; boxes are renumbered.
GraphView excerptOf(const GraphView& view, const std::vector<bool>& chosen);

}  // namespace tessera
