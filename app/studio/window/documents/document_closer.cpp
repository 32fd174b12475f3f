// See document_closer.h.
#include "app/studio/window/documents/document_closer.h"

#include <algorithm>

#include "app/studio/window/documents/current_document.h"
#include "app/studio/window/documents/document_saver.h"
#include "app/studio/window/documents/document_tabs.h"
#include "app/studio/window/documents/pane_area.h"

namespace tessera {

DocumentCloser::DocumentCloser(CurrentDocument& current, PaneArea& area, DocumentTabs& tabs, DocumentSaver& saver,
                               QObject* parent)
    : QObject(parent), current_(current), area_(area), tabs_(tabs), saver_(saver) {
  connect(&tabs_, &QTabBar::tabCloseRequested, this, [this](int index) {
    if (DocumentPane* pane = tabs_.pane(index)) close(*pane);
  });
  connect(&tabs_, &DocumentTabs::othersCloseWanted, this, [this](int index) { closeOthers(*tabs_.pane(index)); });
}

bool DocumentCloser::close(DocumentPane& pane) {
  if (!pane.isTwin() && !saver_.mayLoseChanges(pane)) return false;
  remove(pane);
  return true;
}

void DocumentCloser::closeOthers(DocumentPane& pane) {
  for (DocumentPane* each : tabs_.panes())
    if (each != &pane.original() && !close(*each)) return;
  current_.set(pane);
}

bool DocumentCloser::mayCloseAll() {
  return std::ranges::all_of(tabs_.panes(), [this](DocumentPane* pane) { return saver_.mayLoseChanges(*pane); });
}

void DocumentCloser::remove(DocumentPane& pane) {
  const int index = tabs_.indexOf(pane);
  area_.leaveSplit(pane);
  if (pane.isTwin()) return;
  tabs_.remove(pane);
  if (tabs_.count() == 0) {
    emit lastClosed();
    area_.add().showFirstGraph();
  } else if (current_.is(pane)) {
    current_.set(*tabs_.pane(std::min(index, tabs_.count() - 1)));
  }
  emit closing(pane);
  area_.forget(pane);
  emit closed();
}

}  // namespace tessera
