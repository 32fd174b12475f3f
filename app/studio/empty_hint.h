// What can be done on an empty canvas, said in its middle; gone with the first node. Before: Document's scene; after: nothing.
#pragma once

#include <QLabel>

namespace tessera {

class Document;

class EmptyHint : public QLabel {
  Q_OBJECT

 public:
  EmptyHint(const Document& document, QWidget* canvas);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void update();

  const Document& document_;
};

}  // namespace tessera
