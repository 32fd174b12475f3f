// What panels of one document want of others: a graph to compare with, seen beside it, and the graph that an edit for
// memory made.
#include <QFileDialog>

#include "app/studio/window/document_pane.h"
#include "app/studio/window/document_tabs.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/panels.h"
#include "editor/controllers/canvas_binding.h"
#include "editor/document/document.h"
#include "editor/panels/compare/diff_panel.h"
#include "editor/panels/profile/memory_panel.h"

namespace tessera {

void MainWindow::connectViews(DocumentPane& pane) {
  DiffPanel& differences = *pane.panels().differences;
  const auto paneOfDocument = [this](const Document* document) -> DocumentPane* {
    for (DocumentPane* each : tabs_->panes())
      if (document && &each->document() == document) return each;
    return nullptr;
  };
  differences.setOthers([this, &pane] {
    std::vector<std::pair<QString, Document*>> out;
    for (DocumentPane* each : tabs_->panes())
      if (&each->document() != &pane.document() && each->document().isOpen())
        out.emplace_back(tabs_->titleOf(*each), &each->document());
    return out;
  });
  connect(&differences, &DiffPanel::fileWanted, this, [this, &pane] { compareWithFile(pane); });
  connect(&differences, &DiffPanel::otherChosen, this, [this, &pane, paneOfDocument](Document* other) {
    if (DocumentPane* found = paneOfDocument(other)) showBeside(pane, *found);
  });
  connect(&differences, &DiffPanel::revealInOtherWanted, this, [&differences, paneOfDocument](InstructionId id) {
    if (DocumentPane* found = paneOfDocument(differences.other())) found->binding().reveal(id);
  });
  connect(pane.panels().memory, &MemoryPanel::moduleMade, this, &MainWindow::openExample);
}

// The pane stays the current one.
void MainWindow::showBeside(DocumentPane& pane, DocumentPane& other) {
  makeCurrent(pane);
  if (!beside_) split(false);
  if (beside_ && &beside_->original() != &other) {
    putBeside(*beside_, other);
    makeCurrent(pane);
  }
  docks_->raise(QStringLiteral("differences"));
}

void MainWindow::compareWithFile(DocumentPane& pane, QString path) {
  if (path.isEmpty())
    path = QFileDialog::getOpenFileName(this, tr("The graph to compare with"), pane.document().file().path());
  if (path.isEmpty()) return;
  DocumentPane* const there = paneOf(path);
  if (there == &pane.original()) return;
  if (!there) {
    comparing_ = &pane;
    return openFile(path);
  }
  pane.panels().differences->compareWith(&there->document());
  showBeside(pane, *there);
}

}  // namespace tessera
