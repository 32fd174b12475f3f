// DocumentCloser: closes documents, with a question where changes would be lost. The last one that is closed leaves the
// first graph. Used by tabs, the File menu and the main window.
#pragma once

#include <QObject>

namespace tessera {

class CurrentDocument;
class DocumentPane;
class DocumentSaver;
class DocumentTabs;
class PaneArea;

class DocumentCloser : public QObject {
  Q_OBJECT

 public:
  DocumentCloser(CurrentDocument& current, PaneArea& area, DocumentTabs& tabs, DocumentSaver& saver, QObject* parent);

  bool close(DocumentPane& pane);  // of a twin: its half alone; false: it stays
  void closeOthers(DocumentPane& pane);
  bool mayCloseAll();  // asks for each that has changes; false: one is to stay

 signals:
  void lastClosed();                          // the first graph follows
  void closing(tessera::DocumentPane& pane);  // it has no tab any more
  void closed();

 private:
  void remove(DocumentPane& pane);

  CurrentDocument& current_;
  PaneArea& area_;
  DocumentTabs& tabs_;
  DocumentSaver& saver_;
};

}  // namespace tessera
