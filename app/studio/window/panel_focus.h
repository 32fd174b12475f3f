// Moves the keyboard focus between the parts of the window: the canvas, a second canvas beside it, a lesson, each
// visible panel. Used by MainWindow.
#pragma once

#include <vector>

class QWidget;

namespace tessera {

// The first widget of a part that accepts the keyboard focus; null: none.
QWidget* firstFocusable(QWidget& part);
// Focuses the next part that accepts it, cyclically from the part that has the focus; `step` is 1 or -1.
void focusNextPart(const std::vector<QWidget*>& parts, int step);

}  // namespace tessera
