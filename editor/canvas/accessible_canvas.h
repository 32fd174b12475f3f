// What a screen reader meets on the canvas: a child for each node and wire of the view, and in a node one for each
// port; with name, shape, neighbours and place. Made by Qt when somebody asks; Canvas says when something changed.
#pragma once

namespace tessera {

class Canvas;

void makeCanvasAccessible();                             // before the first canvas is asked
void tellPictureChanged(Canvas& canvas);                 // to those who listen
void tellSelectionChanged(Canvas& canvas, int anyNode);  // the node that is selected; -1: none

}  // namespace tessera
