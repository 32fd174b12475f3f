// See current_document.h.
#include "app/studio/window/documents/current_document.h"

#include <utility>

#include "editor/document/document.h"

namespace tessera {

void CurrentDocument::set(DocumentPane& pane) {
  if (pane_ == &pane) return;
  DocumentPane* before = std::exchange(pane_, &pane);
  emit replaced(before);
  emit changed();
}

bool CurrentDocument::isOpen() const { return document().isOpen(); }
bool CurrentDocument::isModule() const { return isOpen() && !document().isPlainGraph(); }
bool CurrentDocument::hasSelection() const { return isOpen() && document().selected().valid(); }

}  // namespace tessera
