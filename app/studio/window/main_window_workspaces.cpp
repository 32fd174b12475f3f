// How a workspace is chosen: tabs in the tool bar, the View menu, keys. Compare splits the window.
#include <QMenu>
#include <QTabBar>
#include <QToolBar>

#include "app/studio/actions/actions.h"
#include "app/studio/window/document_pane.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/workspaces.h"
#include "editor/document/document.h"

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
  actions_->add(menu, {tr("&Everything at its first place"), {}, [this](bool) { workspaces_->reset(); }});
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
