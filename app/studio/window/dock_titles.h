// DockTitles: what stands above panels. A panel by itself has a title with its icon; panels behind each other have
// their tabs alone, with icons, a cross and a menu. Used by MainWindow.
#pragma once

#include <QHash>
#include <QList>
#include <QObject>

class QDockWidget;
class QMainWindow;
class QMenu;
class QTabBar;

namespace tessera {

class PanelDocks;

class DockTitles : public QObject {
  Q_OBJECT

 public:
  DockTitles(QMainWindow& window, PanelDocks& docks);
  // Of a panel, by its title's or its tab's button or the menu key; the actions below it are the window's.
  void fillMenu(QMenu& menu, QDockWidget& dock);

 signals:
  void menuWanted(QDockWidget* dock, QPoint at);  // of the screen

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void dressLater();
  void dress();
  void dressTitle(QDockWidget& dock);
  void dressTabs(QTabBar& tabs);
  void connectTabs(QTabBar& tabs);
  QDockWidget* dockOf(const QTabBar& tabs, int index) const;

  QMainWindow& window_;
  PanelDocks& docks_;
  QHash<QDockWidget*, QWidget*> titles_, gaps_;
  bool waiting_ = false;
};

}  // namespace tessera
