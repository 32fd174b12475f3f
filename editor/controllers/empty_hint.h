// What can be done on an empty canvas, said in its middle with a few beginnings to click; gone with the first node.
// NextHint then says in one line at the upper edge what follows, as long as a new graph is small. Before: Document's
// scene; after: GraphEditController, which places the line that was clicked.
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
