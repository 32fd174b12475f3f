// DockTitles: title bars and tabs of docks. A dock by itself has a title bar with its icon; tabified docks have only
// their tabs, with icons, a close button and a context menu. Used by MainWindow.
#pragma once

#include <QHash>
#include <QList>
#include <QObject>
#include <QPoint>

class QDockWidget;
class QMainWindow;
class QTabBar;

namespace tessera {

class PanelDocks;

class DockTitles : public QObject {
  Q_OBJECT

 public:
  DockTitles(QMainWindow& window, PanelDocks& docks);

 signals:
  void menuWanted(QDockWidget* dock, QPoint at);  // in screen coordinates

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void updateLater();
  void updateAll();
  void updateTitle(QDockWidget& dock);
  void updateTabs(QTabBar& tabs);
  bool hasRoomForIcons(const QTabBar& tabs) const;
  void connectTabs(QTabBar& tabs);
  QDockWidget* dockOf(const QTabBar& tabs, int index) const;

  QMainWindow& window_;
  PanelDocks& docks_;
  QHash<QDockWidget*, QWidget*> titles_, emptyTitles_;
  bool waiting_ = false;
};

}  // namespace tessera
