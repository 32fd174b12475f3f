// EmptyHint: what can be done on an empty canvas, with buttons for a first value; hidden with the first node. NextHint:
// one line at the upper edge with the next step, while a new graph is small. Lines that are clicked go to
// GraphEditController.
#pragma once

#include <QFrame>
#include <QLabel>

namespace tessera {

class Document;

class EmptyHint : public QFrame {
  Q_OBJECT

 public:
  EmptyHint(const Document& document, QWidget* canvas);

 signals:
  void lineWanted(QString line);  // of the search; empty: the search itself

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void update();

  const Document& document_;
};

class NextHint : public QLabel {
  Q_OBJECT

 public:
  NextHint(const Document& document, QWidget* canvas);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void update();

  const Document& document_;
};

}  // namespace tessera
