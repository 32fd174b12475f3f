// The Run menu: runs of the current document, values on nodes, what is cancelled.
#pragma once

#include <QObject>

class QMenu;
class QMenuBar;
class QStatusBar;

namespace tessera {

class Actions;
class CurrentDocument;
class DocumentOpener;

class RunMenu : public QObject {
  Q_OBJECT

 public:
  RunMenu(QMenuBar& bar, Actions& actions, CurrentDocument& current, DocumentOpener& opener, QStatusBar& status,
          QObject* parent);

 private:
  void showValues(bool on);

  QMenuBar& bar_;
  Actions& actions_;
  CurrentDocument& current_;
  DocumentOpener& opener_;
  QStatusBar& status_;
};

}  // namespace tessera
