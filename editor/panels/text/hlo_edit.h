// HloEdit: an editor for the text of one computation. Text that parses becomes an edit; text that does not is
// underlined and listed below, and the graph stays as it was. Diagnostics of the graph itself are underlined too.
// Ctrl+Space completes the word at the cursor. Used by TextPanel.
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
  QString errorText() const;                    // the first that does not parse; empty: the text parses
  int errorLine() const { return errorLine_; }  // from 0; -1: none
  // What is underlined: first what does not parse, then what is wrong or open in the graph.
  struct Problem {
    QString message;
    int begin = 0, end = 0;  // in the field; equal: it has no place
    bool reads = true;       // the graph has it; false: the text does not parse
  };
  const std::vector<Problem>& problems() const { return problems_; }
  QString problemAt(QPoint inViewport) const;  // what the tooltip says there
  QListWidget* list() const { return list_; }
  CompletionList* completion() const { return completion_; }
  void begin();  // with the computation that is shown; what was typed and not read yet is dropped
  void setTheme(Theme theme);
  bool findNext(const QString& words, bool backwards);
  int replaceAll(const QString& words, const QString& by);
  void readNow();  // what was typed, without waiting

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void connectParts();
  bool isOpen() const;   // a graph of operations
  bool isSmall() const;  // enough to be edited as text
  void follow();
  bool stepTyped(bool undo);         // of what does not read; false: there is nothing
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
  ComputationId shown_;  // whose text the field holds
  int errorLine_ = -1;
  bool typing_ = false, filling_ = false;
};

}  // namespace tessera
