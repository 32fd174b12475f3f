// See compare_split.h.
#include "app/studio/window/documents/compare_split.h"

#include "app/studio/window/documents/current_document.h"
#include "app/studio/window/documents/pane_area.h"
#include "app/studio/window/panels.h"
#include "app/studio/window/workspaces.h"
#include "editor/document/document.h"
#include "editor/panels/compare/diff_panel.h"

namespace tessera {

CompareSplit::CompareSplit(CurrentDocument& current, PaneArea& area, Workspaces& workspaces, QObject* parent)
    : QObject(parent), current_(current), area_(area) {
  connect(&workspaces, &Workspaces::chosen, this, &CompareSplit::follow);
  connect(&area_, &PaneArea::splitEnded, this, [this] { isOwn_ = false; });
}

void CompareSplit::follow(int before, int now) {
  const bool isOpen = current_.isOpen() && !current_.pane().isFirstGraph();
  if (now == Workspaces::kCompare && !area_.beside() && isOpen) {
    area_.split(false);
    isOwn_ = true;
    DiffPanel& differences = *current_.panels().differences;
    const DocumentPane& beside = *area_.beside();
    if (!beside.isTwin() && beside.document().isOpen() && !differences.other())
      differences.compareWith(&beside.document());
  } else if (before == Workspaces::kCompare && isOwn_ && area_.beside()) {
    area_.unsplit();
  }
}

}  // namespace tessera
