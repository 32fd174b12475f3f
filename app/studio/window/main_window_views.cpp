// What panels of one document want of others: a graph to compare with, seen beside it, and the graph that an edit for
// memory made.
#include <QFileDialog>
#include <QPointer>
#include <QStatusBar>

#include "app/studio/window/document_pane.h"
#include "app/studio/window/document_tabs.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/panels.h"
#include "backends/run_request.h"
#include "editor/controllers/canvas_binding.h"
#include "editor/document/document.h"
#include "editor/document/node_values.h"
#include "editor/document/round_trip.h"
#include "editor/panels/banner.h"
#include "editor/panels/compare/diff_panel.h"
#include "editor/panels/compare/diff_tint.h"
#include "editor/panels/compare/numerics_panel.h"
#include "editor/panels/compiler/dump_panel.h"
#include "editor/panels/profile/memory_panel.h"

namespace tessera {

void MainWindow::connectViews(DocumentPane& pane) {
  DiffPanel& differences = *pane.panels().differences;
  const auto paneOfDocument = [this](const Document* document) -> DocumentPane* {
    for (DocumentPane* each : tabs_->panes())
      if (document && &each->document() == document) return each;
    return nullptr;
  };
  const auto others = [this, &pane] {
    std::vector<std::pair<QString, Document*>> out;
    for (DocumentPane* each : tabs_->panes())
      if (&each->document() != &pane.document() && each->document().isOpen())
        out.emplace_back(tabs_->titleOf(*each), &each->document());
    return out;
  };
  differences.setOthers(others);
  connect(&differences, &DiffPanel::fileWanted, this, [this, &pane] { compareWithFile(pane); });
  connect(&differences, &DiffPanel::otherChosen, this, [this, &pane, paneOfDocument](Document* other) {
    if (DocumentPane* found = paneOfDocument(other)) showBeside(pane, *found);
  });
  connect(&differences, &DiffPanel::revealInOtherWanted, this, [&differences, paneOfDocument](InstructionId id) {
    if (DocumentPane* found = paneOfDocument(differences.other())) found->binding().reveal(id);
  });
  connect(pane.panels().memory, &MemoryPanel::moduleMade, this, &MainWindow::openExample);
  connect(&differences, &DiffPanel::mergedWanted, this, [this, &pane] { openMerged(pane); });
  connect(pane.panels().dump, &DumpPanel::fileWanted, this, &MainWindow::openFile);
  pane.panels().numerics->setOthers(others);
  connect(&pane, &DocumentPane::dropWanted, this, [this, &pane] { closeTab(pane); });
  connect(&pane, &DocumentPane::putBackDone, this, [this, &pane, paneOfDocument] {
    if (DocumentPane* whole = paneOfDocument(pane.trip()->whole())) makeCurrent(*whole);
    statusBar()->showMessage(tr("Put back; undo takes it out again"), 6000);
  });
}

// Both graphs of a comparison as one, with its colours.
void MainWindow::openMerged(DocumentPane& from) {
  const DiffPanel& differences = *from.panels().differences;
  if (!differences.result() || !differences.other()) return;
  const MergedGraph merged =
      mergedGraph(differences.other()->module(), from.document().module(), *differences.result());
  DocumentPane& pane = addPane();
  pane.document().file().createToLookAt(merged.module);
  pane.document().view().tint(tintsOf(merged));
}

// --- a part as a document of its own

// Its inputs are recorded by a run of the whole graph, by a worker.
void MainWindow::takeOut() {
  Document& whole = *document_;
  auto rules = argumentRulesOf(whole.runSettings(), whole.filesOfRun());
  if (!rules) return banner_->showMessage(QString::fromStdString(rules.error().toString()));
  rules->decodeImage = decodePicture;
  const QString name = QStringLiteral("%1_part").arg(QString::fromStdString(whole.module().name));
  statusBar()->showMessage(tr("Recording the inputs of the part …"));
  ++taking_;
  const auto work = [module = whole.module(), selection = whole.selection(), rules = *std::move(rules), name] {
    auto arguments = argumentsBy(rules, module);
    if (!arguments) return std::make_shared<Result<TakenPart>>(std::unexpected(arguments.error()));
    return std::make_shared<Result<TakenPart>>(takePart(module, selection, *arguments, name));
  };
  takingPool_.start([this, work, from = QPointer(&whole)] {
    const auto made = work();
    QMetaObject::invokeMethod(
        this, [this, made, from] { openPart(from, std::move(*made)); }, Qt::QueuedConnection);
  });
}

void MainWindow::openPart(Document* whole, Result<TakenPart> part) {
  --taking_;
  statusBar()->clearMessage();
  if (!part) return banner_->showMessage(QString::fromStdString(part.error().toString()));
  if (!whole) return;
  auto trip = std::make_unique<RoundTrip>(*whole, *std::move(part), nullptr);
  const auto path = trip->write();
  if (!path) return banner_->showMessage(QString::fromStdString(path.error().toString()));
  DocumentPane& pane = addPane();
  pane.setTrip(std::move(trip));
  pane.document().file().open(*path);
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
