// The Run menu: runs of the current document, values on nodes, what is cancelled.
#pragma once

#include <QObject>

class QMenu;
class QMenuBar;

namespace tessera {

class Actions;
class CurrentDocument;
class DocumentOpener;

class RunMenu : public QObject {
  Q_OBJECT

 public:
  RunMenu(QMenuBar& bar, Actions& actions, CurrentDocument& current, DocumentOpener& opener, QObject* parent);

 private:
  QMenuBar& bar_;
  Actions& actions_;
  CurrentDocument& current_;
  DocumentOpener& opener_;
};

}  // namespace tessera
