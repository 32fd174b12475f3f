// DocumentSaver: saves the current document, and asks before changes of a document would be lost. It needs no window:
// what is saved is told to the recent files and to a status bar. Used by the File menu and by what closes documents.
#pragma once

#include <QMessageBox>
#include <QObject>

class QStatusBar;

namespace tessera {

class CurrentDocument;
class DocumentPane;
class PaneArea;
class RecentFiles;

class DocumentSaver : public QObject {
  Q_OBJECT

 public:
  // asks: somebody answers questions, which a script does not. Dialogs stand over the area's window.
  DocumentSaver(CurrentDocument& current, PaneArea& area, RecentFiles& recent, QStatusBar& status, bool asks,
                QObject* parent);

  void save();                              // to its file; where it has none of the user's own, as saveAs()
  void saveAs();                            // asks where
  bool mayLoseChanges(DocumentPane& pane);  // there are none, they are saved now, or the user gives them up

 signals:
  void saved();

 private:
  void saveTo(const QString& path);
  QString chosenPath() const;
  QMessageBox::StandardButton askToRewrite(const QString& name);  // SaveAll: under another name
  void connectPane(DocumentPane& pane);
  void tellSaved(DocumentPane& pane, const QString& path, const QString& why);
  QWidget* window() const;

  CurrentDocument& current_;
  PaneArea& area_;
  RecentFiles& recent_;
  QStatusBar& status_;
  const bool asks_;
};

}  // namespace tessera
