// How a workspace is chosen: tabs in the tool bar, the View menu, keys. Compare splits the window. What is done with
// one panel: by the menu of its tab or title, and by keys while it has the focus.
#include <QApplication>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QTabBar>
#include <QToolBar>
#include <algorithm>
#include <utility>

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
#include "editor/look/icon.h"
#include "editor/panels/compare/diff_panel.h"

namespace tessera {

// At the right end of the tool bar.
void MainWindow::addWorkspaces(QToolBar& bar) {
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

// --- what is done with one panel

// The one whose menu is open, else the one with the focus.
QDockWidget* MainWindow::panelInHand() const { return menuOf_ ? menuOf_ : focused_; }

// Menus take the focus from what they act on.
void MainWindow::followPanelFocus(const QWidget* now) {
  if (!now || qobject_cast<const QMenu*>(now) || qobject_cast<const QMenuBar*>(now)) return;
  const auto& all = docks_->all();
  const auto found = std::ranges::find_if(all, [now](const QDockWidget* each) { return each->isAncestorOf(now); });
  QDockWidget* before = std::exchange(focused_, found == all.end() ? nullptr : *found);
  if (before != focused_) actions_->update();
}

void MainWindow::closePanels(const QList<QDockWidget*>& panels) {
  for (QDockWidget* each : panels) {
    if (each->isAncestorOf(QApplication::focusWidget())) canvas_->setFocus();
    each->hide();
  }
}

void MainWindow::addPanelActions(QMenu& menu) {
  const auto any = [this] { return panelInHand() != nullptr; };
  const auto others = [this] {
    return panelInHand() ? docks_->visibleTabsBeside(*panelInHand()) : QList<QDockWidget*>();
  };
  const auto add = [&](const char* id, const QString& text, QKeyCombination key, auto run, std::function<bool()> can) {
    return actions_->add(
        menu, {text, {QKeySequence(key)}, [run](bool) { run(); }, QLatin1String(id), [=] { return any() && can(); }});
  };
  const auto always = [] { return true; };
  add(
      "close panel", tr("&Close the panel"), Qt::CTRL | Qt::SHIFT | Qt::Key_W, [this] { closePanels({panelInHand()}); },
      always)
      ->setIcon(iconOf(QStringLiteral("close")));
  add(
      "close other panels", tr("Close the &others beside it"), Qt::CTRL | Qt::ALT | Qt::Key_W,
      [this, others] { closePanels(others()); }, [others] { return !others().isEmpty(); });
  add(
      "panel left", tr("Move to the &left, at full height"), Qt::CTRL | Qt::ALT | Qt::SHIFT | Qt::Key_Left,
      [this] { docks_->moveTo(*panelInHand(), kLeft); }, [this] { return docks_->canMoveTo(*panelInHand(), kLeft); });
  add(
      "panel right", tr("Move to the &right, at full height"), Qt::CTRL | Qt::ALT | Qt::SHIFT | Qt::Key_Right,
      [this] { docks_->moveTo(*panelInHand(), kRight); }, [this] { return docks_->canMoveTo(*panelInHand(), kRight); });
  add(
      "panel below", tr("Move &below the canvas"), Qt::CTRL | Qt::ALT | Qt::SHIFT | Qt::Key_Down,
      [this] { docks_->moveTo(*panelInHand(), kBottom); },
      [this] { return docks_->canMoveTo(*panelInHand(), kBottom); });
  QAction* floats = actions_->add(menu, {tr("In a &window of its own"),
                                         {QKeySequence(Qt::CTRL | Qt::ALT | Qt::SHIFT | Qt::Key_Up)},
                                         [this](bool) {
                                           QDockWidget* panel = panelInHand();
                                           panel->setFloating(!panel->isFloating());
                                           actions_->update();
                                         },
                                         QStringLiteral("float panel"),
                                         any,
                                         nullptr,
                                         [this] {
                                           return panelInHand() && panelInHand()->isFloating()
                                                      ? tr("Back into the &window")
                                                      : tr("In a &window of its own");
                                         }});
  floats->setIcon(iconOf(QStringLiteral("float")));
}

void MainWindow::showPanelMenu(QDockWidget& dock, QPoint at) {
  menuOf_ = &dock;
  actions_->update();
  QMenu menu(this);
  menu.setObjectName(QStringLiteral("panel-menu"));
  for (const char* id :
       {"close panel", "close other panels", "", "panel left", "panel right", "panel below", "float panel"})
    *id ? menu.addAction(actions_->find(QLatin1String(id))) : static_cast<void>(menu.addSeparator());
  menu.addSeparator();
  menu.addMenu(panelsMenu_);
  menu.addAction(actions_->find(QStringLiteral("reset")));
  for (QAction* each : menu.actions()) each->setShortcutVisibleInContextMenu(true);
  menu.exec(at);
  menuOf_ = nullptr;
  actions_->update();
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
    DiffPanel& differences = *panels_->differences;
    if (!beside_->isTwin() && beside_->document().isOpen() && !differences.other())
      differences.compareWith(&beside_->document());
  } else if (before == Workspaces::kCompare && splitToCompare_ && beside_) {
    unsplit();
  }
}

}  // namespace tessera
