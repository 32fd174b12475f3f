// CanvasBinding: a Document shown on a Canvas, and what is selected, opened and activated there told to the Document.
// Pictures, selection, marks of what is wrong, values and tooltips; no window is needed. Used by the main window and by
// whatever else shows a document.
#pragma once

#include <QObject>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_set>

#include "core/base/ids.h"

namespace tessera {

class Canvas;
class Document;

class CanvasBinding : public QObject {
  Q_OBJECT

 public:
  CanvasBinding(Document& document, Canvas& canvas, QObject* parent);

  // Asked first when a node is double-clicked; true: that was all (the field of a constant was opened).
  void setEditor(std::function<bool(InstructionId)> editor) { editor_ = std::move(editor); }
  void reveal(InstructionId id);  // opens the groups that hide it and brings it into sight
  // Whether what is selected is brought into sight: of several canvases of a document one does it.
  void setFollowsSelection(bool follows) { followsSelection_ = follows; }
  void followNext();  // the next picture brings what is selected then into sight: it is being placed

 signals:
  void detailsWanted(tessera::InstructionId id);  // a double click on a node that calls nothing
  void pictureShown();

 private:
  void showScene(bool keepView);
  QRectF newSince(const GraphView* before) const;
  void showMarks();
  void showValues();
  void showLight();  // what was found, what a panel points at, what differs
  void activate(InstructionId id);
  QString tooltipFor(InstructionId id) const;

  Document& document_;
  Canvas& canvas_;
  std::function<bool(InstructionId)> editor_;
  uint64_t revision_ = 0;                       // of the last picture
  std::unordered_set<std::string> openGroups_;  // in it
  bool followsSelection_ = true;
  bool reveals_ = false, follows_ = false;  // the next picture
};

}  // namespace tessera
