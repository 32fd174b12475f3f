// Two panes side by side: two documents, or one at two places. The one that has the focus is the current one. A twin is
// a second pane of one document; it has no tab and lives while it is seen.
#include <QApplication>
#include <QMenu>
#include <QSplitter>

#include "app/studio/window/document_pane.h"
#include "app/studio/window/document_tabs.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/pane_header.h"
#include "editor/canvas/canvas.h"
#include "editor/document/document.h"

namespace tessera {

void MainWindow::followFocus() {
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, const QWidget* now) {
    followPanelFocus(now);
    if (beside_ && now && beside_->isAncestorOf(now)) makeCurrent(*beside_);
  });
}

// --- the split

void MainWindow::split(bool sameDocument) {
  if (beside_) return unsplit();
  const int next = (tabs_->indexOf(pane_->original()) + 1) % std::max(1, tabs_->count());
  DocumentPane* other = sameDocument || tabs_->count() < 2 ? &addTwin(*pane_) : tabs_->pane(next);
  beside_ = other;
  area_->insertWidget(area_->indexOf(pane_) + 1, other);
  other->show();
  shareRoom({area_->width() / 2, area_->width() / 2});
  showHeaders();
}

void MainWindow::unsplit() {
  splitToCompare_ = false;
  if (DocumentPane* other = std::exchange(beside_, nullptr)) other->hide();
  dropTwins();
  showHeaders();
  canvas_->setFocus();
}

// Before a document goes, or one of two panes of it.
void MainWindow::leaveSplit(DocumentPane& pane) {
  const auto goes = [&](DocumentPane* each) { return each == &pane || &each->original() == &pane; };
  if (!beside_ || (!goes(pane_) && !goes(beside_))) return;
  if (pane_->isTwin() || (goes(pane_) && !goes(beside_))) makeCurrent(*beside_);
  unsplit();
}

// What has no tab and is not seen.
void MainWindow::dropTwins() {
  for (DocumentPane* pane : allPanes())
    if (pane->isTwin() && pane != pane_ && pane != beside_) forget(*pane);
}

// Where another one stood.
void MainWindow::putInPlaceOf(DocumentPane& before, DocumentPane& pane) {
  QList<int> widths;
  for (const int each : area_->sizes())
    if (each > 0) widths << each;
  area_->insertWidget(area_->indexOf(&before), &pane);
  pane.show();
  before.hide();
  if (beside_) shareRoom(widths);
}

// From left to right, among those that are seen.
void MainWindow::shareRoom(QList<int> widths) {
  QList<int> sizes;
  for (int i = 0; i < area_->count(); ++i)
    sizes << (area_->widget(i)->isHidden() || widths.isEmpty() ? 0 : widths.takeFirst());
  area_->setSizes(sizes);
}

DocumentPane& MainWindow::addTwin(DocumentPane& of) {
  DocumentPane& twin = addPane(&of.original());
  of.document().tellAll();
  twin.goTo(of.place());
  return twin;
}

// --- headers

void MainWindow::showHeaders() {
  for (DocumentPane* pane : allPanes()) {
    if (beside_ && (pane == pane_ || pane == beside_))
      pane->header().show(tabs_->titleOf(pane->original()), pane == pane_);
    else
      pane->header().hide();
  }
}

void MainWindow::connectHeader(DocumentPane& pane) {
  connect(&pane.header(), &PaneHeader::closeWanted, this, [this, &pane] {
    if (pane_ == &pane) makeCurrent(*beside_);
    unsplit();
  });
  QMenu& menu = pane.header().choices();
  connect(&menu, &QMenu::aboutToShow, this, [this, &pane, &menu] {
    menu.clear();
    for (DocumentPane* each : tabs_->panes())
      menu.addAction(tabs_->titleOf(*each), this, [this, &pane, each] { putBeside(pane, *each); });
  });
}

// Another document in a half; the document of the other half gets its twin there.
void MainWindow::putBeside(DocumentPane& half, DocumentPane& wanted) {
  makeCurrent(half);
  if (&half.original() == &wanted) return;
  makeCurrent(beside_ && &beside_->original() == &wanted ? addTwin(wanted) : wanted);
}

}  // namespace tessera
