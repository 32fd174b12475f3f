// The way from the entry into the computation that is shown, in the tool bar: each caller's computation is a link back.
// Before: Document, which says what is shown; after: the same, which is asked to show another.
#pragma once

#include <QLabel>

namespace tessera {

class Document;

class Breadcrumbs : public QLabel {
 public:
  Breadcrumbs(Document& document, QWidget* parent);

 private:
  void show();

  Document& document_;
};

}  // namespace tessera
