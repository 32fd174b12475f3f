// WirePreview: while a wire is held at an input, shapes downstream as they would become, and what would break. The edit
// is tried on a copy (core/edit); the result is painted by Canvas.
#pragma once

#include <QObject>
#include <vector>

#include "core/base/ids.h"

namespace tessera {

class Canvas;
class Document;

class WirePreview : public QObject {
  Q_OBJECT

 public:
  WirePreview(Document& document, Canvas& canvas, QObject* parent);

 private:
  void look(InstructionId value, InstructionId user, int operand);

  Document& document_;
  Canvas& canvas_;
};

}  // namespace tessera
