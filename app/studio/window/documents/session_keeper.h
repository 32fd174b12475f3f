// SessionKeeper: keeps between sessions which documents are open, where one looks at them and beside what, the window's
// place and panels, and the recent files; offers the unsaved work of sessions that ended badly. A window that a script
// drives keeps and reads nothing. Used by the main window.
#pragma once

#include <QObject>
#include <functional>

class QMainWindow;

namespace tessera {

class CurrentDocument;
class DocumentCloser;
class DocumentOpener;
class DocumentTabs;
class LeftBehindBar;
class PaneArea;
class RecentFiles;
class Workspaces;

class SessionKeeper : public QObject {
  Q_OBJECT

 public:
  SessionKeeper(CurrentDocument& current, PaneArea& area, DocumentTabs& tabs, DocumentOpener& opener,
                DocumentCloser& closer, LeftBehindBar& leftBehind, bool remembers, QObject* parent);

  void keepDocuments() const;  // also whenever one comes or goes: a session that ends badly has them, too
  bool reopenDocuments();      // of the last session, at their places; false: there are none
  void keepWindow(const QMainWindow& window, Workspaces& workspaces, const RecentFiles& recent) const;
  void restoreWindow(QMainWindow& window, Workspaces& workspaces, RecentFiles& recent) const;
  void offerLeftBehind() const;  // what sessions that ended badly did not save

 private:
  void putAtTheRight(const QString& path);

  CurrentDocument& current_;
  PaneArea& area_;
  DocumentTabs& tabs_;
  DocumentOpener& opener_;
  LeftBehindBar& leftBehind_;
  const bool remembers_;
  std::function<void()> whenAllAreOpen_;
};

}  // namespace tessera
