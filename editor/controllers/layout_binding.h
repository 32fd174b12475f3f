// LayoutBinding: the layout panel follows the selection of a Document while it can be seen; what is edited there
// becomes the layout of the selected parameter. Used by the main window.
#pragma once

#include <QObject>
#include <utility>

#include "core/base/ids.h"

namespace tessera {

class Document;
class LayoutPanel;
struct Shape;

class LayoutBinding : public QObject {
  Q_OBJECT

 public:
  LayoutBinding(Document& document, LayoutPanel& panel, QObject* parent);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  InstructionId wanted() const;
  void show();
  void take(const Shape& shape);

  Document& document_;
  LayoutPanel& panel_;
  std::pair<InstructionId, const Shape*> shown_;  // what is typed there stays until another is selected
};

}  // namespace tessera
