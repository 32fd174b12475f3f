// Recovery: what is not saved yet is written aside while it is edited, at most half a second after each change, so that
// a session that ends badly loses nothing that was on screen two seconds before. Before: Document; after: the next
// session, which finds what was left behind.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <optional>
#include <vector>

namespace tessera {

class Document;

class Recovery : public QObject {
  Q_OBJECT

 public:
  // One file a running session in the folder, named by sessionName().
  Recovery(Document& document, const QString& folder, QObject* parent);
  ~Recovery() override;  // the session ends well: nothing is left behind

  struct Left {
    QString file, path;  // what was written aside, and what it is an edit of (empty: never saved)
  };
  // Of sessions that do not run any more, the latest first.
  static std::vector<Left> leftBehind(const QString& folder);
  // Opens it as an unsaved state of its file; it is removed once this session has written it aside itself.
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
  void finished(bool fine, const QString& why);
  void removeOwn();

  Document& document_;
  const QString folder_, file_;
  QTimer timer_;
  bool writing_ = false, again_ = false, complained_ = false;
  std::optional<Left> adopted_;
};

}  // namespace tessera
