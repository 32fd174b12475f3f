// See panel_actions.h.
#include "app/studio/window/panel_actions.h"

#include <QApplication>
#include <QDockWidget>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <algorithm>
#include <utility>

#include "app/studio/actions/actions.h"
#include "app/studio/window/dock_titles.h"
#include "app/studio/window/documents/current_document.h"
#include "app/studio/window/documents/pane_area.h"
#include "app/studio/window/panel_focus.h"
#include "app/studio/window/panels.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/lesson_controller.h"
#include "editor/lessons/lesson_panel.h"
#include "editor/look/icon.h"

namespace tessera {

PanelActions::PanelActions(QMainWindow& window, CurrentDocument& current, PaneArea& area, PanelDocks& docks,
                           DockTitles& titles, Actions& actions, QObject* parent)
    : QObject(parent), window_(window), current_(current), area_(area), docks_(docks), actions_(actions) {
  connect(&titles, &DockTitles::menuWanted, this, [this](QDockWidget* dock, QPoint at) { showMenu(*dock, at); });
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, const QWidget* now) { followFocus(now); });
}

// The one whose menu is open, else the one with the focus.
QDockWidget* PanelActions::panelInHand() const { return menuOf_ ? menuOf_ : focused_; }

QList<QDockWidget*> PanelActions::othersBeside() const {
  return panelInHand() ? docks_.visibleTabsBeside(*panelInHand()) : QList<QDockWidget*>();
}

// Menus take the focus from what they act on.
void PanelActions::followFocus(const QWidget* now) {
  if (!now || qobject_cast<const QMenu*>(now) || qobject_cast<const QMenuBar*>(now)) return;
  const auto& all = docks_.all();
  const auto found = std::ranges::find_if(all, [now](const QDockWidget* each) { return each->isAncestorOf(now); });
  QDockWidget* before = std::exchange(focused_, found == all.end() ? nullptr : *found);
  if (before != focused_) actions_.update();
}

void PanelActions::close(const QList<QDockWidget*>& panels) {
  for (QDockWidget* each : panels) {
    if (each->isAncestorOf(QApplication::focusWidget())) current_.canvas().setFocus();
    each->hide();
  }
}

void PanelActions::addList(QMenu& menu) {
  list_ = &menu;
  for (QDockWidget* dock : docks_.all()) addPanel(menu, *dock);
}

// A panel behind others comes to the front; only one that is seen goes.
void PanelActions::addPanel(QMenu& menu, QDockWidget& dock) {
  QAction* item = menu.addAction(iconOf(dock.objectName()), dock.windowTitle());
  item->setCheckable(true);
  const auto isSeen = [this, &dock] { return docks_.isInFront(dock); };
  connect(&menu, &QMenu::aboutToShow, item, [item, isSeen] { item->setChecked(isSeen()); });
  connect(item, &QAction::triggered, &dock, [this, item, &dock, isSeen] {
    isSeen() ? dock.hide() : static_cast<void>(docks_.raise(dock.objectName()));
    item->setChecked(!dock.isHidden());
  });
}

void PanelActions::addItems(QMenu& menu) {
  actions_
      .add(menu, {tr("&Close the panel"),
                  {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_W)},
                  [this](bool) { close({panelInHand()}); },
                  QStringLiteral("close panel"),
                  [this] { return panelInHand() != nullptr; }})
      ->setIcon(iconOf(QStringLiteral("close")));
  actions_.add(menu, {tr("Close the &others beside it"),
                      {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_W)},
                      [this](bool) { close(othersBeside()); },
                      QStringLiteral("close other panels"),
                      [this] { return !othersBeside().isEmpty(); }});
  addMoves(menu);
  addFloating(menu);
}

void PanelActions::addMoves(QMenu& menu) {
  const auto add = [&](const char* id, const QString& text, Qt::Key key, Qt::DockWidgetArea area) {
    actions_.add(menu, {text,
                        {QKeySequence(Qt::CTRL | Qt::ALT | Qt::SHIFT | key)},
                        [this, area](bool) { docks_.moveTo(*panelInHand(), area); },
                        QLatin1String(id),
                        [this, area] { return panelInHand() && docks_.canMoveTo(*panelInHand(), area); }});
  };
  add("panel left", tr("Move to the &left, at full height"), Qt::Key_Left, kLeft);
  add("panel right", tr("Move to the &right, at full height"), Qt::Key_Right, kRight);
  add("panel below", tr("Move &below the canvas"), Qt::Key_Down, kBottom);
}

void PanelActions::addFloating(QMenu& menu) {
  QAction* floats = actions_.add(menu, {tr("In a &window of its own"),
                                        {QKeySequence(Qt::CTRL | Qt::ALT | Qt::SHIFT | Qt::Key_Up)},
                                        [this](bool) {
                                          QDockWidget* panel = panelInHand();
                                          panel->setFloating(!panel->isFloating());
                                          actions_.update();
                                        },
                                        QStringLiteral("float panel"),
                                        [this] { return panelInHand() != nullptr; },
                                        nullptr,
                                        [this] {
                                          return panelInHand() && panelInHand()->isFloating()
                                                     ? tr("Back into the &window")
                                                     : tr("In a &window of its own");
                                        }});
  floats->setIcon(iconOf(QStringLiteral("float")));
}

void PanelActions::showMenu(QDockWidget& dock, QPoint at) {
  menuOf_ = &dock;
  actions_.update();
  QMenu menu(&window_);
  menu.setObjectName(QStringLiteral("panel-menu"));
  for (const char* id :
       {"close panel", "close other panels", "", "panel left", "panel right", "panel below", "float panel"})
    *id ? menu.addAction(actions_.find(QLatin1String(id))) : static_cast<void>(menu.addSeparator());
  menu.addSeparator();
  menu.addMenu(list_);
  menu.addAction(actions_.find(QStringLiteral("reset")));
  for (QAction* each : menu.actions()) each->setShortcutVisibleInContextMenu(true);
  menu.exec(at);
  menuOf_ = nullptr;
  actions_.update();
}

void PanelActions::goToPart(int step) {
  std::vector<QWidget*> parts{&current_.canvas()};
  if (area_.beside()) parts.push_back(&area_.beside()->canvas());
  LessonPanel& lesson = current_.pane().lessons().panel();
  if (lesson.isVisible()) parts.push_back(&lesson);
  for (Qt::DockWidgetArea area : {kLeft, kRight, kBottom})
    for (QDockWidget* dock : docks_.all())
      if (dock->widget() && window_.dockWidgetArea(dock) == area && docks_.isInFront(*dock))
        parts.push_back(dock->widget());
  focusNextPart(parts, step);
}

}  // namespace tessera
