// The cells of a pane for a screen reader: which element, where it lies in memory. Used by CellPane.
#pragma once

namespace tessera {

class CellPane;

void makeCellsAccessible();  // of every pane from here on
void tellChosenCell(CellPane& pane);

}  // namespace tessera
