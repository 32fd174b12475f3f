// The text of one computation to type in. It is read while it is typed: what reads becomes an edit, what does not is
// underlined in its place and listed below, and the graph stays at its last good state; what is wrong or open in the
// graph itself is underlined too. Words are completed at the cursor (Ctrl+Space asks). Before: Document; after:
// TextPanel.
#pragma once

#include <QPlainTextEdit>
#include <QPointer>
#include <QTimer>
#include <QWidget>
#include <vector>

#include "core/base/diagnostics.h"
#include "core/picture/picture.h"
#include "editor/text/completion_list.h"

class QListWidget;

namespace tessera {

class Document;

class HloEdit : public QWidget {
  Q_OBJECT

 public:
  explicit HloEdit(Document& document, QWidget* parent = nullptr);
  QPlainTextEdit* field() const { return field_; }
  QString errorText() const;                    // the first that does not read; empty: the text reads
  int errorLine() const { return errorLine_; }  // from 0; -1: none
  // What is underlined: first what does not read, then what is wrong or open in the graph.
  struct Problem {
    QString message;
    int begin = 0, end = 0;  // in the field; equal: it has no place
    bool reads = true;       // the graph has it; false: the text does not read
  };
  const std::vector<Problem>& problems() const { return problems_; }
  QString problemAt(QPoint inViewport) const;  // what the tooltip says there
  QListWidget* list() const { return list_; }
  CompletionList* completion() const { return completion_; }
  void begin();  // with the computation that is shown
  void setTheme(Theme theme);
  bool findNext(const QString& words, bool backwards);
  int replaceAll(const QString& words, const QString& by);
  void readNow();  // what was typed, without waiting

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void follow();
  void say(const QString& message);  // about the field as a whole
  void mark(const std::vector<Diagnostic>& wrong);
  void showProblems();
  void markGraph();
  Problem problemOf(const Diagnostic& diagnostic, int line, int column, bool reads) const;
  void goTo(int problem);
  void complete(bool asked);
  void take();
  bool keyForCompletion(int key, int modifiers);
  void beginLine();

  Document& document_;
  QPlainTextEdit* field_;
  QListWidget* list_;
  QPointer<CompletionList> completion_;  // a child of the window while it is in sight
  std::vector<Problem> problems_;
  QString said_;
  QTimer timer_;
  Theme theme_ = Theme::Light;
  int errorLine_ = -1;
  bool typing_ = false, filling_ = false;
};

}  // namespace tessera
