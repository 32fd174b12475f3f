// The path from the entry to the computation that is shown, in the tool bar; each caller's computation is a link back
// to it. Reads and changes Document's view.
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
