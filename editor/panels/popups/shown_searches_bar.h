// ShownSearchesBar: over a canvas that shows kept searches, a button for each: its colour, its name and how much it
// finds. A click ends it. Placed by a DocumentPane.
#pragma once

#include <QStringList>

#include "editor/look/underlined_bar.h"

class QHBoxLayout;

namespace tessera {

class Document;

class ShownSearchesBar : public UnderlinedBar {
  Q_OBJECT

 public:
  ShownSearchesBar(Document& document, QWidget* parent);
  QStringList words() const;  // of its buttons

 signals:
  void endWanted(QString name);

 private:
  void fill();

  Document& document_;
  QHBoxLayout* row_;
};

}  // namespace tessera
