// How a workspace is chosen: tabs in the tool bar, the View menu, keys. Compare splits the window.
#include <QDockWidget>
#include <QMenu>
#include <QTabBar>
#include <QToolBar>

#include "app/studio/actions/actions.h"
#include "app/studio/window/dock_titles.h"
#include "app/studio/window/document_pane.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/panel_focus.h"
#include "app/studio/window/panels.h"
#include "app/studio/window/workspaces.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/lesson_controller.h"
#include "editor/document/document.h"
#include "editor/lessons/lesson_panel.h"

namespace tessera {

// At the right end of the tool bar.
void MainWindow::addWorkspaces(QToolBar& bar) {
  auto* gap = new QWidget(&bar);
  gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  bar.addWidget(gap);
  auto* tabs = new QTabBar(&bar);
  tabs->setObjectName(QStringLiteral("workspaces"));
  tabs->setAccessibleName(tr("Workspace"));
  tabs->setDrawBase(false);
  tabs->setFocusPolicy(Qt::NoFocus);
  for (int i = 0; i < Workspaces::kCount; ++i) {
    tabs->addTab(Workspaces::title(i));
    tabs->setTabToolTip(i, Workspaces::hint(i));
  }
  connect(tabs, &QTabBar::currentChanged, workspaces_, &Workspaces::choose);
  connect(workspaces_, &Workspaces::chosen, tabs, [tabs](int, int now) { tabs->setCurrentIndex(now); });
  bar.addWidget(tabs);
}

void MainWindow::addWorkspaceItems(QMenu& menu) {
  for (int i = 0; i < Workspaces::kCount; ++i)
    actions_->add(menu, {Workspaces::title(i),
                         {QKeySequence(Qt::CTRL | Qt::ALT | static_cast<Qt::Key>(Qt::Key_1 + i))},
                         [this, i](bool) {
                           workspaces_->choose(i);
                           actions_->update();
                         },
                         {},
                         nullptr,
                         [this, i] { return workspaces_->current() == i; }});
  menu.addSeparator();
  actions_->add(menu, {tr("&Everything at its first place"),
                       {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_0)},
                       [this](bool) { workspaces_->reset(); },
                       QStringLiteral("reset")});
}

void MainWindow::showPanelMenu(QDockWidget& dock, QPoint at) {
  QMenu menu(this);
  titles_->fillMenu(menu, dock);
  menu.addSeparator();
  menu.addAction(actions_->find(QStringLiteral("reset")));
  menu.exec(at);
}

// The canvas first, then the visible panels, by dock area.
void MainWindow::goToPart(int step) {
  std::vector<QWidget*> parts{canvas_};
  if (beside_) parts.push_back(&beside_->canvas());
  if (pane_->lessons().panel().isVisible()) parts.push_back(&pane_->lessons().panel());
  for (Qt::DockWidgetArea area : {kLeft, kRight, kBottom})
    for (QDockWidget* dock : docks_->all())
      if (dock->widget() && dockWidgetArea(dock) == area && docks_->isInFront(*dock)) parts.push_back(dock->widget());
  focusNextPart(parts, step);
}

void MainWindow::workspaceChosen(int before, int now) {
  actions_->update();
  if (now == Workspaces::kCompare && !beside_ && document_->isOpen() && !pane_->isFirstGraph()) {
    split(false);
    splitToCompare_ = true;
  } else if (before == Workspaces::kCompare && splitToCompare_ && beside_) {
    unsplit();
  }
}

}  // namespace tessera
