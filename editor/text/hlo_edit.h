// The text of one computation to type in. It is read while it is typed: what reads becomes an edit, what does not is marked
// in its place and said below, and the graph stays at its last good state. Before: Document; after: TextPanel.
#pragma once

#include <QPlainTextEdit>
#include <QTimer>
#include <QWidget>

#include "core/picture/picture.h"

class QLabel;

namespace tessera {

class Document;

class HloEdit : public QWidget {
  Q_OBJECT

 public:
  explicit HloEdit(Document& document, QWidget* parent = nullptr);
  QPlainTextEdit* field() const { return field_; }
  QString errorText() const;
  int errorLine() const { return errorLine_; }  // from 0; -1: none
  void begin();                                 // with the computation that is shown
  void setTheme(Theme theme);
  bool findNext(const QString& words, bool backwards);
  int replaceAll(const QString& words, const QString& by);
  void readNow();                               // what was typed, without waiting

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void follow();
  void mark(const QString& message, int line);

  Document& document_;
  QPlainTextEdit* field_;
  QLabel* error_;
  QTimer timer_;
  Theme theme_ = Theme::Light;
  int errorLine_ = -1;
  bool typing_ = false, filling_ = false;
};

}  // namespace tessera
