// SourcePanel: the line of the program's source that the selected instruction comes from, by frames of its call stack,
// and back: the instructions of a line. Files are looked for in folders that the user names. Used by app/studio.
#pragma once

#include <QStringList>
#include <QWidget>
#include <string>
#include <vector>

class QComboBox;
class QLabel;
class QMenu;
class QPlainTextEdit;
class QToolButton;

namespace tessera {

class Document;

class SourcePanel : public QWidget {
  Q_OBJECT

 public:
  explicit SourcePanel(Document& document, QWidget* parent = nullptr);

  const QStringList& folders() const { return folders_; }
  void setFolders(const QStringList& folders);

  QComboBox* frames() const { return frames_; }  // innermost first: "model.py:42 in rope"
  QPlainTextEdit* text() const { return text_; }
  QToolButton* back() const { return back_; }
  QString stateText() const;
  int markedLine() const;  // from 1; 0: none

 signals:
  void searchWanted(QString query);  // for the instructions of a line
  void foldersChanged();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  struct Frame {
    std::string file;
    int line = 0;
  };
  void showSelection();
  int nearestFound() const;
  void showFrame(int number);
  void mark(int line);
  void fillFolders();
  void addFolder();
  void searchLine();

  Document& document_;
  QComboBox* frames_;
  QToolButton *back_, *folderButton_;
  QMenu* folderMenu_;
  QPlainTextEdit* text_;
  QLabel* state_;
  QStringList folders_;
  std::vector<Frame> stack_;
  std::string shown_;  // the file in the text, as it is recorded; empty: none
};

}  // namespace tessera
