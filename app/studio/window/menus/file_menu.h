// The File menu: documents are made, opened, compared, saved, exported and closed; recent files and examples.
#pragma once

#include <QObject>

class QMenu;
class QMenuBar;

namespace tessera {

class Actions;
class CurrentDocument;
class DocumentCloser;
class DocumentOpener;
class DocumentSaver;
class GraphComparison;
class RecentFiles;

class FileMenu : public QObject {
  Q_OBJECT

 public:
  FileMenu(QMenuBar& bar, Actions& actions, CurrentDocument& current, DocumentOpener& opener, DocumentSaver& saver,
           DocumentCloser& closer, GraphComparison& comparison, RecentFiles& recent, QObject* parent);

 private:
  void addOpening(QMenu& menu);
  void addLists(QMenu& menu);  // files, no actions of the program
  void addSaving(QMenu& menu);
  void showRecentFiles();
  void chooseFiles();
  void chooseProfile();
  void chooseDump();
  void exportGraph();

  QMenuBar& bar_;
  Actions& actions_;
  CurrentDocument& current_;
  DocumentOpener& opener_;
  DocumentSaver& saver_;
  DocumentCloser& closer_;
  GraphComparison& comparison_;
  RecentFiles& recent_;
  QMenu* recentMenu_ = nullptr;
};

}  // namespace tessera
