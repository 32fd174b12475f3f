// The choices of what nodes' colours say, as entries of a menu that is made when it opens. Used by the legend.
#pragma once

class QMenu;

namespace tessera {

class Document;

// Measures (those without numbers are disabled, with the reason as tip), scale, critical path, what times are compared
// with. The menu is emptied first.
void fillMeasureMenu(QMenu& menu, Document& document);

}  // namespace tessera
