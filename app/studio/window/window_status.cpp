// See window_status.h.
#include "app/studio/window/window_status.h"

#include <QDockWidget>
#include <QLabel>
#include <QStatusBar>
#include <QToolButton>

#include "app/studio/task_list.h"
#include "app/studio/window/documents/current_document.h"
#include "app/studio/window/documents/document_tabs.h"
#include "app/studio/window/documents/pane_area.h"
#include "app/studio/window/panels.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/block_actions.h"
#include "editor/document/document.h"
#include "editor/look/icon.h"
#include "editor/panels/inspect/table_panel.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

// "12 instructions in 2 computations · 3 selected".
QString factsOn(const Document& document) {
  const size_t computations = document.module().order().size(), instructions = document.module().instructionCount();
  QString out =
      (instructions == 1 ? QObject::tr("one instruction in ") : QObject::tr("%L1 instructions in ").arg(instructions)) +
      (computations == 1 ? QObject::tr("one computation") : QObject::tr("%L1 computations").arg(computations));
  if (const size_t selected = document.selection().size(); selected > 1)
    out += QObject::tr(" · %L1 selected").arg(selected);
  return out;
}

}  // namespace

WindowStatus::WindowStatus(QStatusBar& bar, CurrentDocument& current, PaneArea& area, DocumentTabs& tabs,
                           PanelDocks& docks, QObject* parent)
    : QObject(parent), current_(current), area_(area), tabs_(tabs), docks_(docks) {
  makeWidgets(bar);
  connect(&area_, &PaneArea::added, this, [this, &bar](DocumentPane& pane) { connectPane(pane, bar); });
}

void WindowStatus::makeWidgets(QStatusBar& bar) {
  facts_ = new PlainLabel(&bar);
  zoom_ = new PlainLabel(&bar);
  tasks_ = new TaskList(bar.window());
  facts_->setIndent(8);
  bar.addWidget(facts_, 1);
  problems_ = new QToolButton(&bar);
  problems_->setObjectName(QStringLiteral("problems"));
  problems_->setAutoRaise(true);
  problems_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  problems_->setIcon(iconOf(QStringLiteral("diagnostics")));
  problems_->hide();
  connect(problems_, &QToolButton::clicked, this, [this] { docks_.raise(QStringLiteral("diagnostics")); });
  blockOffer_ = new QToolButton(&bar);
  blockOffer_->setObjectName(QStringLiteral("updateBlocks"));
  blockOffer_->hide();
  connect(blockOffer_, &QToolButton::clicked, this, [this] { current_.pane().blocks().update(); });
  bar.addPermanentWidget(problems_);
  bar.addPermanentWidget(blockOffer_);
  bar.addPermanentWidget(tasks_);
  bar.addPermanentWidget(zoom_);
}

void WindowStatus::connectPane(DocumentPane& pane, QStatusBar& bar) {
  connect(&pane.canvas().viewport(), &Viewport::zoomChanged, this, [this, &pane] {
    if (current_.is(pane)) showZoom();
  });
  connect(&pane, &DocumentPane::progressed, this, &WindowStatus::showTasks);
  if (!pane.isTwin())
    connect(&pane.document(), &Document::cancelled, this, [&bar](const QString& what) { bar.showMessage(what, 4000); });
}

void WindowStatus::showFacts() {
  facts_->setText(current_.isOpen() ? factsOn(current_.document()) : QString());
  const QString offer = current_.pane().blockOffer();
  blockOffer_->setText(offer + (offer.isEmpty() ? QString() : tr(": update")));
  blockOffer_->setVisible(!offer.isEmpty());
  const int errors = current_.panels().diagnostics->errorCount();
  docks_.find(QStringLiteral("diagnostics"))
      ->setWindowTitle(errors ? tr("Diagnostics (%1)").arg(errors) : tr("Diagnostics"));
  problems_->setText(errors == 1 ? tr("one error") : tr("%1 errors").arg(errors));
  problems_->setVisible(errors > 0);
}

void WindowStatus::showZoom() {
  const double zoom = current_.canvas().viewport().zoom();
  zoom_->setText(QStringLiteral("%1 %").arg(100 * zoom, 0, 'f', zoom < 0.1 ? 1 : 0));
}

void WindowStatus::showTasks() {
  DocumentPane& current = current_.pane();
  std::vector<ShownTask> all;
  const auto add = [&](const DocumentPane& pane) {
    const bool named = &pane.document() != &current.document() && tabs_.indexOf(pane) >= 0;
    for (BackgroundTask& task : pane.tasks()) {
      const QString& phase = task.progress.stage;
      all.push_back({named ? tr("%1: %2").arg(tabs_.titleOf(pane), phase) : phase, task.progress.fraction,
                     std::move(task.cancel)});
    }
  };
  add(current);
  if (current.isTwin()) add(current.original());
  for (const DocumentPane* each : area_.all())
    if (each != &current && each != &current.original()) add(*each);
  tasks_->show(all);
}

}  // namespace tessera
