// See pane_area.h.
#include "app/studio/window/documents/pane_area.h"

#include <QApplication>
#include <QFileInfo>
#include <QMenu>
#include <utility>

#include "app/studio/window/documents/current_document.h"
#include "app/studio/window/documents/document_pane.h"
#include "app/studio/window/documents/document_tabs.h"
#include "app/studio/window/documents/pane_header.h"
#include "app/studio/window/panels.h"
#include "editor/canvas/canvas.h"
#include "editor/document/document.h"
#include "editor/document/document_file.h"
#include "editor/document/recovery.h"
#include "editor/document/round_trip.h"
#include "editor/text/menu_text.h"

namespace tessera {

PaneArea::PaneArea(CurrentDocument& current, DocumentTabs& tabs, PanelDocks& docks, bool remembers, QWidget* parent)
    : QSplitter(parent), current_(current), tabs_(tabs), docks_(docks), remembers_(remembers) {
  setChildrenCollapsible(false);
  connect(&current_, &CurrentDocument::replaced, this, &PaneArea::showCurrent);
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, const QWidget* now) {
    if (beside_ && now && beside_->isAncestorOf(now)) current_.set(*beside_);
  });
}

// --- panes

DocumentPane& PaneArea::add(DocumentPane* twinOf) {
  auto* pane = new DocumentPane(docks_, remembers_, twinOf, this);
  pane->hide();
  pane->setTheme(theme_);
  connectHeader(*pane);
  if (remembers_ && !twinOf) pane->keepAside(Recovery::usualFolder());
  emit added(*pane);
  return *pane;
}

void PaneArea::forget(DocumentPane& pane) {
  pane.hide();
  if (!pane.isTwin()) pane.document().cancel();
  pane.breadcrumbs().hide();
  pane.deleteLater();
}

void PaneArea::removeAll() {
  disconnect(qApp, nullptr, this, nullptr);
  beside_ = nullptr;
  qDeleteAll(all());
}

std::vector<DocumentPane*> PaneArea::all() const {
  const auto all = findChildren<DocumentPane*>(QString(), Qt::FindDirectChildrenOnly);
  return {all.begin(), all.end()};
}

DocumentPane* PaneArea::paneOf(const QString& path) const {
  if (path.isEmpty()) return nullptr;
  const QFileInfo wanted(path);
  for (DocumentPane* pane : tabs_.panes())
    if (const QString& open = pane->document().file().path(); !open.isEmpty() && QFileInfo(open) == wanted) return pane;
  return nullptr;
}

DocumentPane* PaneArea::paneOf(const Document* document) const {
  for (DocumentPane* each : tabs_.panes())
    if (document && &each->document() == document) return each;
  return nullptr;
}

void PaneArea::goToTab(int step) {
  const int count = tabs_.count();
  current_.set(*tabs_.pane((tabs_.indexOf(current_.pane().original()) + step + count) % count));
}

bool PaneArea::isBusy() const {
  for (const DocumentPane* pane : all())
    if (pane->document().isBusy() || pane->document().file().isSaving() || pane->panels().isBusy() ||
        (pane->trip() && pane->trip()->isChecking()) ||
        (pane->isVisible() && (!pane->canvas().tilesReady() || pane->canvas().viewport().isGliding())))
      return true;
  return false;
}

void PaneArea::setTheme(Theme theme) {
  theme_ = theme;
  for (DocumentPane* pane : all()) pane->setTheme(theme);
}

// The docks have its panels then.
void PaneArea::showCurrent(DocumentPane* before) {
  DocumentPane& pane = current_.pane();
  const QSignalBlocker blocker(tabs_);
  tabs_.setCurrentIndex(tabs_.indexOf(pane.original()));
  window()->setUpdatesEnabled(false);
  docks_.show(pane.panels());
  if (before) {
    before->setCurrent(false);
    before->breadcrumbs().hide();
  }
  if (beside_ == &pane)
    beside_ = before;
  else if (before)
    putInPlaceOf(*before, pane);
  else
    pane.show();
  pane.setCurrent(true);
  pane.breadcrumbs().show();
  dropTwins();
  window()->setUpdatesEnabled(true);
}

// --- the split

void PaneArea::split(bool sameDocument) {
  if (beside_) return unsplit();
  DocumentPane& current = current_.pane();
  const int next = (tabs_.indexOf(current.original()) + 1) % std::max(1, tabs_.count());
  DocumentPane* other = sameDocument || tabs_.count() < 2 ? &addTwin(current) : tabs_.pane(next);
  beside_ = other;
  insertWidget(indexOf(&current) + 1, other);
  other->show();
  shareRoom({width() / 2, width() / 2});
  showHeaders();
}

void PaneArea::unsplit() {
  emit splitEnded();
  if (DocumentPane* other = std::exchange(beside_, nullptr)) other->hide();
  if (DocumentPane& seen = current_.pane(); seen.isTwin()) {  // what stays alone is what has the tab
    const PanePlace place = seen.place();
    current_.set(seen.original());
    current_.pane().goTo(place);
  }
  dropTwins();
  showHeaders();
  current_.canvas().setFocus();
}

// Of a document, or of one of two panes of it.
void PaneArea::leaveSplit(DocumentPane& pane) {
  const auto goes = [&](DocumentPane* each) { return each == &pane || &each->original() == &pane; };
  DocumentPane* current = &current_.pane();
  if (!beside_ || (!goes(current) && !goes(beside_))) return;
  if (goes(current) && !goes(beside_)) current_.set(*beside_);
  unsplit();
}

// What has no tab and is not seen.
void PaneArea::dropTwins() {
  for (DocumentPane* pane : all())
    if (pane->isTwin() && !current_.is(*pane) && pane != beside_) forget(*pane);
}

// Where another one stood.
void PaneArea::putInPlaceOf(DocumentPane& before, DocumentPane& pane) {
  QList<int> widths;
  for (const int each : sizes())
    if (each > 0) widths << each;
  insertWidget(indexOf(&before), &pane);
  pane.show();
  before.hide();
  if (beside_) shareRoom(widths);
}

// From left to right, among those that are seen.
void PaneArea::shareRoom(QList<int> widths) {
  QList<int> all;
  for (int i = 0; i < count(); ++i) all << (widget(i)->isHidden() || widths.isEmpty() ? 0 : widths.takeFirst());
  setSizes(all);
}

DocumentPane& PaneArea::addTwin(DocumentPane& of) {
  DocumentPane& twin = add(&of.original());
  of.document().tellAll();
  twin.goTo(of.place());
  return twin;
}

// Another document in a half; the document of the other half gets its twin there.
void PaneArea::putBeside(DocumentPane& half, DocumentPane& wanted) {
  current_.set(half);
  if (&half.original() == &wanted) return;
  current_.set(beside_ && &beside_->original() == &wanted ? addTwin(wanted) : wanted);
}

void PaneArea::showBeside(DocumentPane& pane, DocumentPane& other) {
  current_.set(pane);
  if (!beside_) split(false);
  if (beside_ && &beside_->original() != &other) {
    putBeside(*beside_, other);
    current_.set(pane);
  }
}

// --- headers

void PaneArea::showHeaders() {
  for (DocumentPane* pane : all()) {
    if (beside_ && (current_.is(*pane) || pane == beside_))
      pane->header().show(tabs_.titleOf(pane->original()), current_.is(*pane));
    else
      pane->header().hide();
  }
}

void PaneArea::connectHeader(DocumentPane& pane) {
  connect(&pane.header(), &PaneHeader::closeWanted, this, [this, &pane] {
    if (current_.is(pane)) current_.set(*beside_);
    unsplit();
  });
  QMenu& menu = pane.header().choices();
  connect(&menu, &QMenu::aboutToShow, this, [this, &pane, &menu] {
    menu.clear();
    for (DocumentPane* each : tabs_.panes())
      menu.addAction(asMenuText(tabs_.titleOf(*each)), this, [this, &pane, each] { putBeside(pane, *each); });
  });
}

}  // namespace tessera
