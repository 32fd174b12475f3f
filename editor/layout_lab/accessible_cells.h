// Accessibility of the cells of a pane: element index and position in memory. Used by CellPane.
#pragma once

namespace tessera {

class CellPane;

void makeCellsAccessible();             // installs the factory for every CellPane; more than once does nothing
void notifyChosenCell(CellPane& pane);  // a focus event for the chosen cell

}  // namespace tessera
