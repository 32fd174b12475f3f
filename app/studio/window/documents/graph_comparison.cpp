// See graph_comparison.h.
#include "app/studio/window/documents/graph_comparison.h"

#include <QFileDialog>
#include <QPointer>
#include <utility>
#include <vector>

#include "app/studio/window/documents/current_document.h"
#include "app/studio/window/documents/document_opener.h"
#include "app/studio/window/documents/document_tabs.h"
#include "app/studio/window/documents/pane_area.h"
#include "app/studio/window/panels.h"
#include "editor/controllers/canvas_binding.h"
#include "editor/document/document.h"
#include "editor/panels/compare/diff_panel.h"
#include "editor/panels/compare/diff_tint.h"
#include "editor/panels/compare/numerics_panel.h"

namespace tessera {

GraphComparison::GraphComparison(CurrentDocument& current, PaneArea& area, DocumentTabs& tabs, DocumentOpener& opener,
                                 QObject* parent)
    : QObject(parent), current_(current), area_(area), tabs_(tabs), opener_(opener) {
  connect(&area_, &PaneArea::added, this, &GraphComparison::connectPane);
  connect(&opener_, &DocumentOpener::opened, this, [this](DocumentPane& pane, const OpenRequest& request) {
    if (request.comparedWith) compare(*request.comparedWith, pane);
  });
}

void GraphComparison::connectPane(DocumentPane& pane) {
  DiffPanel& differences = *pane.panels().differences;
  // Panels outlive this, and ask while other documents go.
  const auto others = [here = QPointer(this), &pane] {
    return here ? here->othersThan(pane) : std::vector<std::pair<QString, Document*>>();
  };
  differences.setOthers(others);
  pane.panels().numerics->setOthers(others);
  connect(&differences, &DiffPanel::fileWanted, this, [this, &pane] { compareWithFile(pane); });
  connect(&differences, &DiffPanel::otherChosen, this, [this, &pane](Document* other) {
    if (DocumentPane* found = area_.paneOf(other)) showBeside(pane, *found);
  });
  connect(&differences, &DiffPanel::revealInOtherWanted, this, [this, &differences](InstructionId id) {
    if (DocumentPane* found = area_.paneOf(differences.other())) found->binding().reveal(id);
  });
  connect(&differences, &DiffPanel::mergedWanted, this, [this, &pane] { openMerged(pane); });
}

std::vector<std::pair<QString, Document*>> GraphComparison::othersThan(const DocumentPane& pane) const {
  std::vector<std::pair<QString, Document*>> out;
  for (DocumentPane* each : tabs_.panes())
    if (&each->document() != &pane.document() && each->document().isOpen())
      out.emplace_back(tabs_.titleOf(*each), &each->document());
  return out;
}

void GraphComparison::compareWithFile(DocumentPane& pane, QString path) {
  if (path.isEmpty())
    path = QFileDialog::getOpenFileName(area_.window(), tr("The graph to compare with"), pane.document().file().path());
  if (path.isEmpty()) return;
  DocumentPane* const there = area_.paneOf(path);
  if (there == &pane.original()) return;
  there ? compare(pane, *there) : opener_.open(path, &pane);
}

void GraphComparison::compare(DocumentPane& pane, DocumentPane& other) {
  pane.panels().differences->compareWith(&other.document());
  showBeside(pane, other);
}

void GraphComparison::showBeside(DocumentPane& pane, DocumentPane& other) {
  area_.showBeside(pane, other);
  current_.panels().raise(QStringLiteral("differences"));
}

// Both graphs of a comparison, with its colours.
void GraphComparison::openMerged(DocumentPane& from) {
  const DiffPanel& differences = *from.panels().differences;
  if (!differences.result() || !differences.other()) return;
  const MergedGraph merged =
      mergedGraph(differences.other()->module(), from.document().module(), *differences.result());
  Document& document = area_.add().document();
  document.file().createToLookAt(merged.module);
  document.view().tint(tintsOf(merged));
}

}  // namespace tessera
