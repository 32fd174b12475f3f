// PanelActions: what is done with one panel: shown or hidden by its item, closed, moved, floated by the menu of its tab
// or title and by keys while it has the focus; and how the focus goes from panel to panel. Used by the View and Go
// menus.
#pragma once

#include <QList>
#include <QObject>
#include <QPoint>

class QDockWidget;
class QMainWindow;
class QMenu;

namespace tessera {

class Actions;
class CurrentDocument;
class DockTitles;
class PaneArea;
class PanelDocks;

class PanelActions : public QObject {
  Q_OBJECT

 public:
  PanelActions(QMainWindow& window, CurrentDocument& current, PaneArea& area, PanelDocks& docks, DockTitles& titles,
               Actions& actions, QObject* parent);

  void addList(QMenu& menu);   // an item for each panel; the menu of a panel has them, too
  void addItems(QMenu& menu);  // for the panel that has the focus
  void goToPart(int step);     // the canvas first, then the visible panels, by dock area

 private:
  void addPanel(QMenu& menu, QDockWidget& dock);
  void addMoves(QMenu& menu);
  void addFloating(QMenu& menu);
  void showMenu(QDockWidget& dock, QPoint at);
  void followFocus(const QWidget* now);
  void close(const QList<QDockWidget*>& panels);
  QDockWidget* panelInHand() const;
  QList<QDockWidget*> othersBeside() const;

  QMainWindow& window_;
  CurrentDocument& current_;
  PaneArea& area_;
  PanelDocks& docks_;
  Actions& actions_;
  QDockWidget *menuOf_ = nullptr, *focused_ = nullptr;  // the panel whose menu is open, and that with the focus
  QMenu* list_ = nullptr;
};

}  // namespace tessera
