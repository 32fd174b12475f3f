// Recovery: writes unsaved work to a file at most half a second after each change. After a crash the next session finds
// the file and opens it as an unsaved document. Used by MainWindow in sessions with a user.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <vector>

namespace tessera {

class Document;

class Recovery : public QObject {
  Q_OBJECT

 public:
  // One file a document of a running session in the folder, named by sessionName().
  Recovery(Document& document, const QString& folder, QObject* parent);
  ~Recovery() override;  // the session ends well: nothing is left behind

  struct Left {
    QString file, path;  // what was written aside, and what it is an edit of (empty: never saved)
  };
  // Of sessions that do not run any more, the latest first.
  static std::vector<Left> leftBehind(const QString& folder);
  // Opens it as an unsaved state of its file; it is removed once this session has saved it or written it aside itself.
  void adopt(const Left& left);
  static void discard(const Left& left);
  static QString usualFolder();
  // The process, its start and the system's: no later process has the same.
  static QString sessionName();

 signals:
  void failed(QString why);  // it cannot be written; said once

 private:
  void noteChange();
  void write();
  void finished(const QString& recovered, const QString& why);
  void removeOwn();

  Document& document_;
  const QString folder_, file_;
  QTimer timer_;
  bool writing_ = false, again_ = false, complained_ = false;
};

}  // namespace tessera
