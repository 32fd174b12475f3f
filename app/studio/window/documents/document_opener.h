// DocumentOpener: opens documents: files, links, profiles, dump folders, the clipboard, examples, lessons. A file is
// read by a pane that nobody sees yet, so that one that does not open leaves what is open alone; files that are asked
// for meanwhile wait. It knows no window. Used by the File menu, the start page, panels and the session.
#pragma once

#include <QObject>
#include <QPointer>
#include <optional>
#include <string>
#include <vector>

#include "app/studio/window/documents/document_pane.h"
#include "core/base/result.h"
#include "editor/document/document_file.h"

class QStatusBar;

namespace tessera {

class CurrentDocument;
class DocumentCloser;
class DocumentSaver;
class DocumentTabs;
class PaneArea;

// A file that is to be opened.
struct OpenRequest {
  QString path;                                        // of text: for messages
  std::optional<QString> text = std::nullopt;          // instead of what a file holds
  std::string instruction = {};                        // to be shown
  std::optional<ShownPart> shown = std::nullopt;       // none: from its project
  std::optional<PanePlace> place = std::nullopt;       // none: all of it
  std::optional<QString> recoveredFor = std::nullopt;  // the path of which it is an unsaved state
  bool again = false;                                  // whatever was changed here
  bool dump = false;                                   // of a dump folder, whose panel is to be seen
  QStringList otherwise = {};                          // what to open in its place where it does not read
  QString note = {};                                   // what is to be known of it
  QPointer<DocumentPane> comparedWith = {};            // the pane beside which it is shown
};

class DocumentOpener : public QObject {
  Q_OBJECT

 public:
  DocumentOpener(CurrentDocument& current, PaneArea& area, DocumentTabs& tabs, DocumentSaver& saver,
                 DocumentCloser& closer, QStatusBar& status, QObject* parent);

  // In a tab of its own, or where nothing would be missed; a file that is open already is shown again. A link to an
  // instruction, FILE#NAME, shows that; a profile goes over the current graph.
  // comparedWith: that pane's graph is compared with it.
  void open(const QString& path, DocumentPane* comparedWith = nullptr);
  void open(std::vector<OpenRequest> requests);                   // behind those that wait
  void openProfile(const QString& path);                          // over the current graph
  void openClipboard();                                           // HLO, StableHLO, a project, a file's path or a link
  bool openExample(const QString& name, const std::string& hlo);  // false: it says why
  void newFile();
  void beginLesson(int lesson);
  void goOnWithLessons();  // with the one that was begun last, or the next that is not done
  void showFirstGraph();   // the content before anything is opened

  bool isReading() const { return opening_; }
  bool isBusy() const { return opening_ || !waiting_.empty(); }
  void cancelReading();

 signals:
  void arriving(tessera::DocumentPane& pane);  // it is open, and not seen yet
  void arrived(tessera::DocumentPane& pane);   // it has a tab and is the current one
  void opened(tessera::DocumentPane& pane, const tessera::OpenRequest& request);
  void allOpened();                                       // nothing waits any more
  void failed(QString message, tessera::ErrorKind kind);  // what a link names is not in its file

 private:
  void connectPane(DocumentPane& pane);
  void openNext();
  void start(const OpenRequest& request);
  void openAgain(DocumentPane& pane, const OpenRequest& request);
  bool openDump(const OpenRequest& request);  // false: it is none
  void openDumpWithoutModule(const QString& folder);
  void openProfileBeside(const QString& path, const QString& module);
  void reload(DocumentPane& pane);
  void show(DocumentPane& pane);
  void showLinked(const std::string& instruction);
  void openingCancelled(DocumentPane& pane);
  void openingFailed(DocumentPane& pane, const QString& message);
  DocumentPane& freePane();  // the current one where nothing would be missed, else another

  CurrentDocument& current_;
  PaneArea& area_;
  DocumentTabs& tabs_;
  DocumentSaver& saver_;
  QStatusBar& status_;
  DocumentPane* opening_ = nullptr;   // its file is being read
  OpenRequest request_;               // for that
  std::vector<OpenRequest> waiting_;  // to be opened after it
};

}  // namespace tessera
