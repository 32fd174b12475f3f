// The Help menu: the manual, keys, lessons, guided tours.
#pragma once

#include <QObject>

#include "editor/lessons/tour.h"

class QMenu;
class QMenuBar;

namespace tessera {

class Actions;
class CurrentDocument;
class DocumentOpener;
class Navigation;
class PanelsOnDemand;

class HelpMenu : public QObject {
  Q_OBJECT

 public:
  HelpMenu(QMenuBar& bar, Actions& actions, CurrentDocument& current, Navigation& navigation, DocumentOpener& opener,
           PanelsOnDemand& panels, QObject* parent);

 signals:
  void tourWanted(const tessera::Tour& tour);

 private:
  void showAbout();

  QMenuBar& bar_;
  Actions& actions_;
  CurrentDocument& current_;
  Navigation& navigation_;
  DocumentOpener& opener_;
  PanelsOnDemand& panels_;
};

}  // namespace tessera
