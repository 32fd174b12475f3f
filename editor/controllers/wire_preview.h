// What a wire would do while it is held at an input: shapes downstream as they would be, and what would break. Before:
// Canvas; after: core/edit, whose edit is tried on a copy.
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
