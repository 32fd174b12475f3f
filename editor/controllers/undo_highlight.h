// Where an undone or done-again step acted: what it changed glows for a moment, and the canvas glides there where that
// is out of sight, into another computation too. Before: Document's history; after: Canvas, which paints the glow.
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
