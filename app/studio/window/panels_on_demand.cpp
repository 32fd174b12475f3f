// See panels_on_demand.h.
#include "app/studio/window/panels_on_demand.h"

#include <QDockWidget>
#include <QMainWindow>
#include <QStatusBar>
#include <algorithm>

#include "app/studio/window/documents/current_document.h"
#include "app/studio/window/documents/document_opener.h"
#include "app/studio/window/documents/pane_area.h"
#include "app/studio/window/panels.h"
#include "app/studio/window/workspaces.h"
#include "editor/controllers/lesson_controller.h"
#include "editor/document/document.h"
#include "editor/panels/help_panel.h"
#include "editor/panels/overview/overview_panel.h"

namespace tessera {
namespace {

bool isLarge(const Document& document) {
  return !document.isPlainGraph() && document.module().instructionCount() > kLargeModule;
}

}  // namespace

PanelsOnDemand::PanelsOnDemand(QMainWindow& window, CurrentDocument& current, PaneArea& area, DocumentOpener& opener,
                               PanelDocks& docks, Workspaces& workspaces, QObject* parent)
    : QObject(parent), window_(window), current_(current), docks_(docks), workspaces_(workspaces) {
  connect(&area, &PaneArea::added, this, &PanelsOnDemand::connectPane);
  connect(&opener, &DocumentOpener::arriving, this, &PanelsOnDemand::showArriving);
}

void PanelsOnDemand::connectPane(DocumentPane& pane) {
  connect(&pane, &DocumentPane::panelWanted, this, [this, &pane](const QString& name) {
    if (current_.is(pane)) docks_.raise(name);
  });
  connect(&pane.document().run(), &ProgramRun::profileOpened, this,
          [this, &pane](const QString& summary, bool hasTimes) {
            if (&current_.document() != &pane.document()) return;
            docks_.raise(hasTimes ? QStringLiteral("profile") : QStringLiteral("timeline"));
            window_.statusBar()->showMessage(summary, 10000);
          });
  // In the next event: filling the table and laying it out are a frame each at 100,000 rows.
  connect(
      &pane, &DocumentPane::outcomeCame, this,
      [this, &pane] {
        if (current_.is(pane)) showOutcome();
      },
      Qt::QueuedConnection);
  connect(&pane.lessons(), &LessonController::begun, this, [this, &pane](const QString& panel) {
    if (current_.is(pane)) showLesson(panel);
  });
  connect(&pane.lessons(), &LessonController::chapterWanted, this, &PanelsOnDemand::showChapter);
}

void PanelsOnDemand::showArriving(const DocumentPane& pane) {
  if (!pane.isFirstGraph()) workspaces_.showPanels();
  if (isLarge(pane.document())) showOverview();
}

// The overview of a large file says more than its picture, and such a file is inspected rather than edited.
void PanelsOnDemand::showOverview() {
  if (workspaces_.current() == Workspaces::kBuild) workspaces_.choose(Workspaces::kInspect);
  constexpr int kOverviewWidth = 420;
  docks_.raise(QStringLiteral("overview"));
  window_.resizeDocks({docks_.find(QStringLiteral("overview"))}, {std::min(kOverviewWidth, window_.width() * 3 / 10)},
                      Qt::Horizontal);
}

void PanelsOnDemand::showOutcome() {
  docks_.raise(workspaces_.current() == Workspaces::kProfile ? QStringLiteral("profile") : QStringLiteral("results"));
}

// Beside the graph, and no other panels below.
void PanelsOnDemand::showLesson(const QString& panel) {
  workspaces_.choose(Workspaces::kLearn);
  docks_.keepBelow(panel);
  docks_.raise(panel);
}

void PanelsOnDemand::showChapter(const QString& name) {
  docks_.raise(QStringLiteral("help"));
  HelpPanel& help = *current_.panels().help;
  if (!help.showChapter(name)) help.showList();  // a program without its manual
}

}  // namespace tessera
