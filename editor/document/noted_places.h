// Where the boxes of a scene stand, noted under the names by which a page keeps places: with every edit and every move,
// so that nothing moves but what they name. Used by Document and ArrangeController.
#pragma once

#include "core/arrange/arrangement.h"
#include "core/edit/edit.h"

namespace tessera {

// Pages with more boxes are arranged anew after each edit, but for what was moved.
inline constexpr size_t kMaxNotedBoxes = 2000;

// One box, under the name that the view gives it; what is attached to others has none. In an edit the first place
// counts.
void notePlace(ProjectPage& page, const Module& module, const GraphView& view, int32_t box, PagePoint place);
void notePlace(Edit& edit, const Module& module, const GraphView& view, int32_t box, PagePoint place);
// For which flow the places of the view are.
void noteFlow(ProjectPage& page, const GraphView& view);
void noteFlow(Edit& edit, const GraphView& view);
// Every box where it stands.
template <class Noted>
void noteAll(Noted& noted, const Module& module, const GraphView& view, const Arrangement& arrangement) {
  if (view.nodes.size() > kMaxNotedBoxes || arrangement.boxes.size() != view.nodes.size()) return;
  noteFlow(noted, view);
  for (size_t v = 0; v < view.nodes.size(); ++v)
    notePlace(noted, module, view, static_cast<int32_t>(v), {arrangement.boxes[v].x, arrangement.boxes[v].y});
}

}  // namespace tessera
