// By keys from part to part of the window: the canvas, a second one beside it, a lesson, each panel that is seen. Used
// by MainWindow.
#pragma once

#include <vector>

class QWidget;

namespace tessera {

// What takes the keys inside of a part: null, where nothing does.
QWidget* firstFocusable(QWidget& part);
// The focus goes to the next part that takes it, `step` 1 or -1, round from the part that has it now.
void focusNextPart(const std::vector<QWidget*>& parts, int step);

}  // namespace tessera
