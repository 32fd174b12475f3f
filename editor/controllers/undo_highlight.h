// UndoHighlight: highlights for a moment what an undone or redone step changed, and scrolls there where it is out of
// sight, into another computation too. Listens to Document, paints on Canvas.
#pragma once

#include <QObject>
#include <QTimer>
#include <vector>

#include "core/formats/project.h"
#include "core/hlo/module.h"

namespace tessera {

class Canvas;
class Document;
struct HistoryStep;

class UndoHighlight : public QObject {
 public:
  UndoHighlight(Document& document, Canvas& canvas, QObject* parent);

 private:
  void show(const HistoryStep& step);
  void goThere();
  bool isDrawn(InstructionId id) const;

  Document& document_;
  Canvas& canvas_;
  QTimer end_;
  std::vector<InstructionId> places_;  // what the step changed, while the way there is not done
  ComputationId home_;                 // where it acted
  bool leads_ = false;                 // the scene that shows it is still being made
};

}  // namespace tessera
