// The context menu of rows in tables and trees: go there, copy the row, copy all. Used by the panels.
#pragma once

class QAbstractItemView;

namespace tessera {

// "Go there" is what a double click on the row does; Ctrl+C copies too, where the view has the focus.
void addRowMenu(QAbstractItemView& view, bool goes = true);

}  // namespace tessera
